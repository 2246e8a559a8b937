// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "base/quiet_thread.h"

#include <pthread.h>

#include <csignal>
#include <thread>
#include <utility>

namespace heddle {

void start_quiet_thread(std::function<void()> body) {
  sigset_t all, before;
  sigfillset(&all);
  for (const int own : {SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGTRAP, SIGSYS}) sigdelset(&all, own);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  std::thread(std::move(body)).detach();
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

}  // namespace heddle
