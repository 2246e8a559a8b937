// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See context_marks.h.
#include "driver/core/stream/context_marks.h"

#include "driver/core/stream/event.h"
#include "driver/core/stream/stream.h"

namespace heddle::driver {

// An internal stream waits for the work in all streams.
CUresult record_all(Context& context, const std::vector<StreamPtr>& streams, Event& event) {
  if (event.context() != &context) return CUDA_ERROR_INVALID_HANDLE;
  std::vector<CompletionPtr> all;
  for (const auto& stream : streams) {
    if (auto last = stream->last(); last && !last->is_done()) all.push_back(std::move(last));
  }
  const auto gather = context.create_stream(CU_STREAM_NON_BLOCKING, 0);
  event.record(gather->mark(std::move(all)));
  gather->close();
  return CUDA_SUCCESS;
}

CUresult wait_in_all(const std::vector<StreamPtr>& streams, const Event& event) {
  const auto recorded = event.recorded();
  if (!recorded.done || recorded.done->is_done()) return CUDA_SUCCESS;
  for (const auto& stream : streams) stream->mark({recorded.done});
  return CUDA_SUCCESS;
}

}  // namespace heddle::driver
