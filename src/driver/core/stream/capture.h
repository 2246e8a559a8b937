// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Stream capture: what a stream is asked to do becomes nodes of a graph. Driver API 6.18
// (cuStreamBeginCapture and what follows it).
//
// A capture begins in one stream, its origin, and spreads: a stream that waits for an event which
// was recorded in the capture takes part in it. For each such stream the capture keeps the nodes
// that the next one will depend on. What cannot be captured is refused and invalidates the capture,
// which then only waits for its end. One lock guards all captures; where there are none, asking
// costs one load.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include "driver/core/graph/graph.h"
#include "driver/core/stream/stream.h"

namespace heddle::driver {

class Event;

class StreamCapture {
 public:
  unsigned long long id = 0;
  CUstreamCaptureMode mode = CU_STREAM_CAPTURE_MODE_GLOBAL;
  std::thread::id thread;  ///< that began it
  const Stream* origin = nullptr;
  GraphPtr graph;
  bool owns_graph = true;  ///< not when the program captures into a graph of its own
  bool is_invalid = false;
  /// The streams that take part, and what their next node depends on.
  std::map<const Stream*, Edges> streams;
  Edges left;  ///< of streams that are gone: they must have been joined too
};
using StreamCapturePtr = std::shared_ptr<StreamCapture>;

// --- what work does ---

bool is_capturing(const Stream& stream);
/// Adds the task to the graph that the stream is captured into, and says so in `captured`.
CUresult capture(Stream& stream, Task& task, bool& captured, CUgraphNode* node = nullptr);
/// The error of a call that cannot be captured when the stream is; the capture is invalid then.
CUresult refuse_in_capture(const Stream& stream);
/// The error of using the legacy stream while a stream that it would wait for is captured.
CUresult refuse_implicit(const Stream& stream);
/// The same for a question about the stream, which leaves the captures as they are.
CUresult asks_about_legacy(const Stream& stream);
/// The error of a call that is unsafe while this thread, or another one, captures
/// (cuThreadExchangeStreamCaptureMode). The captures in question are invalid then.
CUresult refuse_unsafe();
/// The same for a call that waits for all streams of the context, or of the green context.
CUresult refuse_while_capturing(Context& context);
CUresult refuse_while_capturing(const StreamGroup& group);
/// The same for a call that uses an event of a capture.
CUresult refuse_captured(const Event& event);
CUstreamCaptureMode exchange_capture_mode(CUstreamCaptureMode mode);

// --- events ---

/// Records the event in the capture, when the stream is captured.
CUresult capture_record(Event& event, const Stream& stream, bool& captured);
/// Makes the stream wait for the event, when one of them is captured: the stream takes part from
/// now on.
CUresult capture_wait(const Event& event, Stream& stream, bool& captured);

// --- begin, end, query ---

CUresult begin_capture(Stream& stream, CUstreamCaptureMode mode, GraphPtr into, Edges after);
CUresult end_capture(Stream& stream, CUgraph* graph);
/// Called when a stream is destroyed: a capture that began in it is over.
void leave_capture(const Stream& stream);

struct CaptureInfo {
  CUstreamCaptureStatus status = CU_STREAM_CAPTURE_STATUS_NONE;
  StreamCapturePtr capture;  ///< null when there is none
};
CaptureInfo capture_of(const Stream& stream);
/// The dependency set of a captured stream, in arrays that live until the next such call for it.
struct DependencyArrays {
  std::vector<CUgraphNode> nodes;
  std::vector<CUgraphEdgeData> data;
  bool has_data = false;  ///< that is not all zero
};
const DependencyArrays& dependency_arrays(const Stream& stream);
/// Adds to the dependency set, or replaces it. CUDA_ERROR_ILLEGAL_STATE without a capture.
CUresult update_dependencies(const Stream& stream, const Edges& edges, bool replace);

}  // namespace heddle::driver
