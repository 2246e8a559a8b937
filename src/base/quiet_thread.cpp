// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "base/quiet_thread.h"

#include <pthread.h>

#include <csignal>
#include <memory>
#include <utility>

namespace heddle {

bool start_quiet_thread(std::function<void()> body, std::size_t stack_bytes) {
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
  if (stack_bytes) pthread_attr_setstacksize(&attributes, stack_bytes);
  sigset_t all, before;
  sigfillset(&all);
  for (const int own : {SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGTRAP, SIGSYS}) sigdelset(&all, own);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  auto work = std::make_unique<std::function<void()>>(std::move(body));
  pthread_t thread;
  const auto run = [](void* argument) -> void* {
    const std::unique_ptr<std::function<void()>> mine(
        static_cast<std::function<void()>*>(argument));
    (*mine)();
    return nullptr;
  };
  const bool started = pthread_create(&thread, &attributes, run, work.get()) == 0;
  if (started) (void)work.release();  // it is the thread's
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  pthread_attr_destroy(&attributes);
  return started;
}

}  // namespace heddle
