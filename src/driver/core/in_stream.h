// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the entry points that take a stream begin with.
#pragma once

#include "driver/core/call.h"
#include "driver/core/capture.h"
#include "driver/core/task.h"

namespace heddle::driver {

/// Runs `body(context, stream)` for a stream handle from the current context's point of view, null
/// being the default stream.
template <class Body>
CUresult with_stream(CUstream handle, Body body) {
  return in_context([&](Context& context) -> CUresult {
    const auto stream = context.stream(handle);
    return stream ? body(context, *stream) : CUDA_ERROR_INVALID_HANDLE;
  });
}

/// The same for a call that uses the stream: not the legacy one while a stream that it would wait
/// for is captured.
template <class Body>
CUresult in_stream(CUstream handle, Body body) {
  return with_stream(handle, [&](Context& context, Stream& stream) -> CUresult {
    if (const CUresult bad = refuse_implicit(context, stream)) return bad;
    return body(context, stream);
  });
}

/// Writes a result, if there is a place for it.
template <class T>
CUresult give(T* out, T value) {
  if (!out) return CUDA_ERROR_INVALID_VALUE;
  *out = value;
  return CUDA_SUCCESS;
}

}  // namespace heddle::driver
