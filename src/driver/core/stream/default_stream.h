// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which stream a null stream handle means. Programs compiled for per-thread default streams call
// the _ptds and _ptsz exports; those run the plain function inside UsePerThreadDefaultStream, and
// every function asks default_stream() wherever the caller named none. Driver API 2 (Stream
// synchronization behavior).
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
