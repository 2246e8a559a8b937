// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The stream that a null stream means. Programs compiled for per-thread default streams call the
// _ptds and _ptsz exports, which run the plain body inside UsePerThreadDefaultStream. Runtime API 2
// (Stream synchronization behavior).
#pragma once

#include "driver/abi.h"

namespace heddle::runtime {

bool per_thread_default_stream();

/// The caller's stream, for a function of the driver that is not a twin.
inline CUstream stream_of(CUstream stream) {
  return stream || !per_thread_default_stream() ? stream : CU_STREAM_PER_THREAD;
}

/// Calls `Plain`, or its `Twin` inside a per-thread export: for functions without a stream
/// argument.
template <auto Plain, auto Twin, class... Arguments>
CUresult in_default_stream(Arguments... arguments) {
  return per_thread_default_stream() ? Twin(arguments...) : Plain(arguments...);
}

class UsePerThreadDefaultStream {
 public:
  UsePerThreadDefaultStream();
  ~UsePerThreadDefaultStream();
  UsePerThreadDefaultStream(const UsePerThreadDefaultStream&) = delete;
  UsePerThreadDefaultStream& operator=(const UsePerThreadDefaultStream&) = delete;

 private:
  bool before_;
};

}  // namespace heddle::runtime
