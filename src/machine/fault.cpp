// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "machine/fault.h"

#include <ucontext.h>

#include <csignal>
#include <mutex>

namespace heddle::machine {
namespace {

struct sigaction previous_segv, previous_bus;

void pass_on(const struct sigaction& previous, int signal, siginfo_t* info, void* context) {
  if (previous.sa_flags & SA_SIGINFO) {
    previous.sa_sigaction(signal, info, context);
  } else if (previous.sa_handler == SIG_DFL || previous.sa_handler == SIG_IGN) {
    // Back to the default: the instruction is executed again and ends the process as it would have
    // without us.
    std::signal(signal, SIG_DFL);
  } else {
    previous.sa_handler(signal);
  }
}

u64 code_of(const void* context) {
#if defined(__linux__) && defined(__x86_64__)
  return static_cast<u64>(static_cast<const ucontext_t*>(context)->uc_mcontext.gregs[REG_RIP]);
#elif defined(__linux__) && defined(__aarch64__)
  return static_cast<const ucontext_t*>(context)->uc_mcontext.pc;
#else
  return 0;
#endif
}

}  // namespace

thread_local FaultGuard::State FaultGuard::current;

void on_fault(int signal, siginfo_t* info, void* context) {
  const FaultGuard::State& state = FaultGuard::current;
  const u64 address = reinterpret_cast<u64>(info->si_addr);
  if (state.recover && state.memory->is_accessible(address, 1)) {
    *state.fault = {address, code_of(context)};
    // The jump leaves the handler without returning, which would have brought the mask back: a
    // sanitizer that calls us has blocked all signals, and the next fault would end the process.
    pthread_sigmask(SIG_SETMASK, &static_cast<const ucontext_t*>(context)->uc_sigmask, nullptr);
    siglongjmp(*state.recover, FaultGuard::kFault);
  }
  pass_on(signal == SIGBUS ? previous_bus : previous_segv, signal, info, context);
}

namespace {

void install() {
  struct sigaction action{};
  action.sa_sigaction = on_fault;
  action.sa_flags = SA_SIGINFO | SA_NODEFER | SA_ONSTACK;
  sigemptyset(&action.sa_mask);
  sigaction(SIGSEGV, &action, &previous_segv);
  sigaction(SIGBUS, &action, &previous_bus);
}

}  // namespace

FaultGuard::FaultGuard(const Memory& memory, sigjmp_buf* recover, Fault* fault)
    : previous_(current) {
  static std::once_flag once;
  std::call_once(once, install);
  current = {&memory, recover, fault};
}

FaultGuard::~FaultGuard() { current = previous_; }

}  // namespace heddle::machine
