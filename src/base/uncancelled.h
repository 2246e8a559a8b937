// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A call of the driver or of the run-time is done as a whole. A program may cancel its threads (pthread_cancel()), even
// asynchronously; within a call, with locks held and objects half made, that would end the process
// or stop everybody who calls next.
#pragma once

#include <pthread.h>

namespace heddle {

/// While alive, this thread is not cancelled; a request waits. Its type becomes deferred as well:
/// glibc 2.36 asks, where a request comes to a thread that has just disabled cancellation, for the
/// type alone.
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
