// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A call of the driver or of the run-time always completes. A program may cancel its threads
// (pthread_cancel()), even asynchronously; a cancellation within a call, with locks held and
// objects half made, would end the process or block all later callers.
#pragma once

#include <pthread.h>

namespace heddle {

/// While alive, this thread is not cancelled; a request stays pending. The cancellation type
/// becomes deferred as well, because glibc 2.36 checks only the type when a request reaches a
/// thread that has just disabled cancellation.
class Uncancelled {
 public:
  Uncancelled() {
    pthread_setcanceltype(PTHREAD_CANCEL_DEFERRED, &type_);
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &state_);
  }
  ~Uncancelled() {
    int ignored;
    pthread_setcancelstate(state_, &ignored);
    pthread_setcanceltype(type_, &ignored);
  }
  Uncancelled(const Uncancelled&) = delete;
  Uncancelled& operator=(const Uncancelled&) = delete;

 private:
  int type_ = PTHREAD_CANCEL_DEFERRED, state_ = PTHREAD_CANCEL_ENABLE;
};

}  // namespace heddle
