// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "machine/fault.h"

#include <pthread.h>
#include <ucontext.h>

#include <csignal>

#include "base/check.h"

namespace heddle::machine {
namespace {

u64 code_of(const void* context) {
#if defined(__linux__) && defined(__x86_64__)
  return static_cast<u64>(static_cast<const ucontext_t*>(context)->uc_mcontext.gregs[REG_RIP]);
#elif defined(__linux__) && defined(__aarch64__)
  return static_cast<const ucontext_t*>(context)->uc_mcontext.pc;
#else
  return 0;
#endif
}

/// The innermost guard of each thread. Not thread_local, because the first use of a thread_local in
/// a thread may allocate, and the handler may have interrupted the allocator.
const pthread_key_t innermost = [] {
  pthread_key_t made;
  HEDDLE_CHECK(pthread_key_create(&made, nullptr) == 0);
  return made;
}();

}  // namespace

FaultGuard::FaultGuard(const Memory& memory, sigjmp_buf* recover, Fault* fault)
    : memory_(memory),
      recover_(recover),
      fault_(fault),
      previous_(static_cast<FaultGuard*>(pthread_getspecific(innermost))) {
  pthread_setspecific(innermost, this);
}

FaultGuard::~FaultGuard() { pthread_setspecific(innermost, previous_); }

void FaultGuard::leave_if_kernels(u64 address, const void* context) {
  const auto* guard = static_cast<const FaultGuard*>(pthread_getspecific(innermost));
  // A fault in memory that kernels may access is the kernel's trap; any other fault is the
  // program's.
  if (!guard || !guard->memory_.is_accessible(address, 1)) return;
  *guard->fault_ = {address, code_of(context)};
  // The jump leaves the handler without the return that would restore the signal mask: a sanitizer
  // that calls this handler has blocked all signals, and the next fault would end the process.
  pthread_sigmask(SIG_SETMASK, &static_cast<const ucontext_t*>(context)->uc_sigmask, nullptr);
  siglongjmp(*guard->recover_, kFault);
}

}  // namespace heddle::machine
