// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Stream capture: operations of a stream become nodes of a graph. Driver API 6.18
// (cuStreamBeginCapture).
//
// A capture begins in one stream, its origin, and spreads: a stream that waits for an event which
// was recorded in the capture takes part in it. For each such stream the capture keeps the nodes
// that the stream's next node will depend on. An operation that cannot be captured is refused and
// invalidates the capture, which can then only be ended. One lock guards all captures. While there
// are none, a check costs one load.
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
  std::thread::id thread;  ///< the thread that began the capture
  const Stream* origin = nullptr;
  GraphPtr graph;
  bool owns_graph = true;  ///< false when the program captures into a graph of its own
  bool is_invalid = false;
  /// The streams that take part, with the dependencies of their next nodes.
  std::map<const Stream*, Edges> streams;
  Edges left;  ///< last nodes of destroyed streams, which must be joined, too
};
using StreamCapturePtr = std::shared_ptr<StreamCapture>;

// --- operations ---

bool is_capturing(const Stream& stream);
/// When the stream is captured, adds the task to the graph and sets `captured`.
CUresult capture(Stream& stream, Task& task, bool& captured, CUgraphNode* node = nullptr);
/// Refuses a call that cannot be captured: when the stream is captured, invalidates the capture and
/// returns the error.
CUresult refuse_in_capture(const Stream& stream);
/// Refuses a use of the legacy stream while a stream that it would wait for is captured:
/// invalidates that capture and returns the error.
CUresult refuse_implicit(const Stream& stream);
/// The error of a query of the legacy stream in this case. The captures stay valid.
CUresult asks_about_legacy(const Stream& stream);
/// Refuses a call that is unsafe during a capture of this thread, or of another one
/// (cuThreadExchangeStreamCaptureMode): invalidates these captures and returns the error.
CUresult refuse_unsafe();
/// Refuses a call that waits for all streams of the context, or of the green context, while one of
/// them is captured.
CUresult refuse_while_capturing(Context& context);
CUresult refuse_while_capturing(const StreamGroup& group);
/// Refuses a call that uses an event of a capture.
CUresult refuse_captured(const Event& event);
CUstreamCaptureMode exchange_capture_mode(CUstreamCaptureMode mode);

// --- events ---

/// When the stream is captured, records the event in the capture and sets `captured`.
CUresult capture_record(Event& event, const Stream& stream, bool& captured);
/// When the stream or the event is captured, makes the stream wait for the event and sets
/// `captured`. From then on the stream takes part in the capture.
CUresult capture_wait(const Event& event, Stream& stream, bool& captured);

// --- begin, end, query ---

CUresult begin_capture(Stream& stream, CUstreamCaptureMode mode, GraphPtr into, Edges after);
CUresult end_capture(Stream& stream, CUgraph* graph);
/// Called when a stream is destroyed. A capture that began in the stream ends.
void leave_capture(const Stream& stream);

struct CaptureInfo {
  CUstreamCaptureStatus status = CU_STREAM_CAPTURE_STATUS_NONE;
  StreamCapturePtr capture;  ///< null when the stream is not captured
};
CaptureInfo capture_of(const Stream& stream);
/// The dependency set of a captured stream, in arrays that live until the next such call for it.
struct DependencyArrays {
  std::vector<CUgraphNode> nodes;
  std::vector<CUgraphEdgeData> data;
  bool has_data = false;  ///< whether some edge data is not zero
};
const DependencyArrays& dependency_arrays(const Stream& stream);
/// Adds to the stream's dependency set, or replaces it. CUDA_ERROR_ILLEGAL_STATE when the stream is
/// not captured.
CUresult update_dependencies(const Stream& stream, const Edges& edges, bool replace);

}  // namespace heddle::driver
