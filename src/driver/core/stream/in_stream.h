// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Checks with which the entry points that take a stream begin.
#pragma once

#include "driver/core/context/call.h"
#include "driver/core/stream/capture.h"
#include "driver/core/stream/task.h"

namespace heddle::driver {

/// Runs `body(context, stream)` for a stream handle in the current context. A null handle is the
/// default stream.
template <class Body>
CUresult with_stream(CUstream handle, Body body) {
  return in_context([&](Context& context) -> CUresult {
    const auto stream = context.stream(handle);
    if (!stream) return CUDA_ERROR_INVALID_HANDLE;
    if (stream->group().is_detached()) return CUDA_ERROR_CONTEXT_IS_DESTROYED;
    return body(context, *stream);
  });
}

/// Runs `body(context, stream)` for a call that uses the stream. Refuses the legacy stream while a
/// stream that it would wait for is captured.
template <class Body>
CUresult in_stream(CUstream handle, Body body) {
  return with_stream(handle, [&](Context& context, Stream& stream) -> CUresult {
    if (const CUresult bad = refuse_implicit(stream)) return bad;
    return body(context, stream);
  });
}

/// Whether `firsts` splits a batch of `count` members into `number` parts: the first part begins at
/// 0, and each later one after the part before.
inline bool is_partition(const size_t* firsts, size_t number, size_t count) {
  if (!firsts || !number || number > count || firsts[0] != 0) return false;
  for (size_t i = 1; i < number; ++i) {
    if (firsts[i] <= firsts[i - 1] || firsts[i] >= count) return false;
  }
  return true;
}

}  // namespace heddle::driver
