// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A call of the driver or of the run-time is done as a whole. A program may cancel its threads (pthread_cancel()), even
// asynchronously; within a call, with locks held and objects half made, that would end the process
// or stop everybody who calls next.
#pragma once

#include <pthread.h>

namespace heddle {

/// While alive, this thread is not cancelled; a request waits.
class Uncancelled {
 public:
  Uncancelled() { pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &before_); }
  ~Uncancelled() {
    int ignored;
    pthread_setcancelstate(before_, &ignored);
  }
  Uncancelled(const Uncancelled&) = delete;
  Uncancelled& operator=(const Uncancelled&) = delete;

 private:
  int before_ = PTHREAD_CANCEL_ENABLE;
};

}  // namespace heddle
