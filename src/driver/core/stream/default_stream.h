// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The stream of a null stream handle. Programs compiled for per-thread default streams call the
// _ptds and _ptsz exports, which run the plain function inside UsePerThreadDefaultStream. Functions
// call default_stream() for a null handle. Driver API 2 (Stream synchronization behavior).
#pragma once

#include "driver/abi.h"

namespace heddle::driver {

/// CU_STREAM_LEGACY, or CU_STREAM_PER_THREAD inside a per-thread export of this thread.
CUstream default_stream();

class UsePerThreadDefaultStream {
 public:
  UsePerThreadDefaultStream();
  ~UsePerThreadDefaultStream();
  UsePerThreadDefaultStream(const UsePerThreadDefaultStream&) = delete;
  UsePerThreadDefaultStream& operator=(const UsePerThreadDefaultStream&) = delete;

 private:
  CUstream previous_;
};

}  // namespace heddle::driver
