// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "base/roomy_stack.h"

#include <pthread.h>
#include <sys/mman.h>
#include <ucontext.h>

#include <cstdint>

#include "base/check.h"

namespace heddle {
namespace {

constexpr std::size_t kStack = std::size_t{8} << 20, kGuard = 4096;

/// The lowest address of this thread's stack. The first thread's stack grows: its lowest address
/// follows from its limit.
std::uintptr_t lowest() {
  static thread_local std::uintptr_t known = 0;
  if (known) return known;
  pthread_attr_t attributes;
  void* low = nullptr;
  std::size_t size = 0;
  if (pthread_getattr_np(pthread_self(), &attributes) != 0) return 0;
  pthread_attr_getstack(&attributes, &low, &size);
  pthread_attr_destroy(&attributes);
  return known = reinterpret_cast<std::uintptr_t>(low);
}

/// The entry of a ucontext; its operands have the size of an int, so a pointer takes two.
void enter(unsigned high, unsigned low) {
  const std::uintptr_t address = std::uintptr_t{high} << 32 | low;
  (*reinterpret_cast<const std::function<void()>*>(address))();
}

}  // namespace

void on_roomy_stack(const std::function<void()>& body) {
  static thread_local bool is_on_another = false;
  const auto here = reinterpret_cast<std::uintptr_t>(__builtin_frame_address(0));
  const std::uintptr_t low = lowest();
  // Below the thread's stack: the program made this stack, and its size is not known.
  if (is_on_another || here < low || here - low >= kRoom) return body();
  void* const stack = mmap(nullptr, kStack, PROT_READ | PROT_WRITE,
                           MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_STACK, -1, 0);
  if (stack == MAP_FAILED) return body();
  mprotect(stack, kGuard, PROT_NONE);
  ucontext_t back, other;
  HEDDLE_CHECK(getcontext(&other) == 0);
  other.uc_stack.ss_sp = stack;
  other.uc_stack.ss_size = kStack;
  other.uc_link = &back;
  const auto address = reinterpret_cast<std::uintptr_t>(&body);
  makecontext(&other, reinterpret_cast<void (*)()>(&enter), 2, static_cast<unsigned>(address >> 32),
              static_cast<unsigned>(address));
  is_on_another = true;
  HEDDLE_CHECK(swapcontext(&back, &other) == 0);
  is_on_another = false;
  munmap(stack, kStack);
}

}  // namespace heddle
