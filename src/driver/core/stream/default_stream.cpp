// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See default_stream.h.
#include "driver/core/stream/default_stream.h"

namespace heddle::driver {
namespace {
thread_local CUstream current_default = CU_STREAM_LEGACY;
}  // namespace

CUstream default_stream() { return current_default; }

UsePerThreadDefaultStream::UsePerThreadDefaultStream() : previous_(current_default) {
  current_default = CU_STREAM_PER_THREAD;
}

UsePerThreadDefaultStream::~UsePerThreadDefaultStream() { current_default = previous_; }

}  // namespace heddle::driver
