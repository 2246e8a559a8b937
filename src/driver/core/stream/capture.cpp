// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See capture.h.
#include "driver/core/stream/capture.h"

#include <algorithm>
#include <atomic>
#include <set>

#include "driver/core/graph/graph.h"
#include "driver/core/stream/event.h"

namespace heddle::driver {
namespace {

struct Captures {
  std::mutex mutex;
  std::atomic<int> count{0};
  std::map<const Stream*, StreamCapturePtr> of;  // by stream that takes part
  std::map<const Stream*, DependencyArrays> arrays;
  unsigned long long next_id = 1;

  StreamCapturePtr find(const Stream& stream) const {
    const auto found = of.find(&stream);
    return found == of.end() ? nullptr : found->second;
  }
  std::set<StreamCapturePtr> all() const {
    std::set<StreamCapturePtr> result;
    for (const auto& [stream, capture] : of) result.insert(capture);
    return result;
  }
  void remove(const StreamCapturePtr& capture) {
    for (const auto& [stream, edges] : capture->streams) {
      of.erase(stream);
      arrays.erase(stream);
    }
    count = static_cast<int>(of.size());
  }
  void join(const StreamCapturePtr& capture, const Stream& stream, Edges edges) {
    capture->streams[&stream] = std::move(edges);
    of[&stream] = capture;
    count = static_cast<int>(of.size());
  }
};

Captures& captures() {
  static Captures& instance = *new Captures;
  return instance;
}

thread_local CUstreamCaptureMode thread_mode = CU_STREAM_CAPTURE_MODE_GLOBAL;

CUresult invalidate(StreamCapture& capture, CUresult why) {
  capture.is_invalid = true;
  return why;
}

/// Runs `body(capture)` when the stream takes part in a valid capture. CUDA_SUCCESS when it takes
/// part in none.
template <class Body>
CUresult with_capture(const Stream& stream, Body body) {
  Captures& all = captures();
  if (!all.count.load(std::memory_order_relaxed)) return CUDA_SUCCESS;
  const std::lock_guard lock(all.mutex);
  const auto capture = all.find(stream);
  if (!capture) return CUDA_SUCCESS;
  if (capture->is_invalid) return CUDA_ERROR_STREAM_CAPTURE_INVALIDATED;
  return body(*capture);
}

bool is_same(const Edge& a, const Edge& b) { return a.node == b.node; }

void add(Edges& to, const Edges& more) {
  for (const auto& edge : more) {
    if (std::ranges::none_of(to, [&](const Edge& each) { return is_same(each, edge); })) {
      to.push_back(edge);
    }
  }
}

// True when the last nodes of every stream are ancestors of the origin's last nodes.
bool is_joined(const StreamCapture& capture) {
  std::set<const Node*> seen;
  std::vector<const Node*> open;
  for (const auto& edge : capture.streams.at(capture.origin)) open.push_back(edge.node.get());
  while (!open.empty()) {
    const Node* node = open.back();
    open.pop_back();
    if (!seen.insert(node).second) continue;
    for (const auto& link : node->from) open.push_back(link.node);
  }
  const auto are_seen = [&](const Edges& edges) {
    return std::ranges::all_of(edges,
                               [&](const Edge& edge) { return seen.contains(edge.node.get()); });
  };
  return are_seen(capture.left) && std::ranges::all_of(capture.streams, [&](const auto& each) {
           return are_seen(each.second);
         });
}

template <class IsIn>
CUresult refuse_captures_of(IsIn is_in) {
  Captures& all = captures();
  if (!all.count.load(std::memory_order_relaxed)) return CUDA_SUCCESS;
  const std::lock_guard lock(all.mutex);
  CUresult result = CUDA_SUCCESS;
  for (const auto& [stream, capture] : all.of) {
    if (is_in(*stream)) result = invalidate(*capture, CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED);
  }
  return result;
}

}  // namespace

bool is_capturing(const Stream& stream) {
  Captures& all = captures();
  if (!all.count.load(std::memory_order_relaxed)) return false;
  const std::lock_guard lock(all.mutex);
  return all.find(stream) != nullptr;
}

CUresult capture(Stream& stream, Task& task, bool& captured, CUgraphNode* out) {
  return with_capture(stream, [&](StreamCapture& capture) -> CUresult {
    captured = true;
    Edges& edges = capture.streams[&stream];
    NodePtr node;
    if (const CUresult bad = capture.graph->add(std::move(task), edges, node)) {
      return invalidate(capture, bad);
    }
    if (out) *out = node->handle;
    edges = {Edge{node, {}}};
    return CUDA_SUCCESS;
  });
}

CUresult refuse_in_capture(const Stream& stream) {
  return with_capture(stream, [](StreamCapture& capture) {
    return invalidate(capture, CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED);
  });
}

CUresult refuse_implicit(const Stream& stream) {
  Captures& all = captures();
  if (stream.kind() != Stream::Kind::legacy || !all.count.load(std::memory_order_relaxed)) {
    return CUDA_SUCCESS;
  }
  const std::lock_guard lock(all.mutex);
  CUresult result = CUDA_SUCCESS;
  for (const auto& [other, capture] : all.of) {
    if (&other->group() != &stream.group() || other->kind() == Stream::Kind::non_blocking) continue;
    result = invalidate(*capture, CUDA_ERROR_STREAM_CAPTURE_IMPLICIT);
  }
  return result;
}

CUresult asks_about_legacy(const Stream& stream) {
  Captures& all = captures();
  if (stream.kind() != Stream::Kind::legacy) return CUDA_SUCCESS;
  const std::lock_guard lock(all.mutex);
  const bool implicit = std::ranges::any_of(all.of, [&](const auto& each) {
    return &each.first->group() == &stream.group() &&
           each.first->kind() != Stream::Kind::non_blocking;
  });
  return implicit ? CUDA_ERROR_STREAM_CAPTURE_IMPLICIT : CUDA_SUCCESS;
}

CUresult refuse_unsafe() {
  Captures& all = captures();
  if (!all.count.load(std::memory_order_relaxed)) return CUDA_SUCCESS;
  if (thread_mode == CU_STREAM_CAPTURE_MODE_RELAXED) return CUDA_SUCCESS;
  const std::lock_guard lock(all.mutex);
  CUresult result = CUDA_SUCCESS;
  for (const auto& capture : all.all()) {
    const bool mine = capture->thread == std::this_thread::get_id();
    const bool conflicts = mine ? capture->mode != CU_STREAM_CAPTURE_MODE_RELAXED
                                : thread_mode == CU_STREAM_CAPTURE_MODE_GLOBAL &&
                                      capture->mode == CU_STREAM_CAPTURE_MODE_GLOBAL;
    if (conflicts) result = invalidate(*capture, CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED);
  }
  return result;
}

CUresult refuse_while_capturing(Context& context) {
  return refuse_captures_of([&](const Stream& stream) { return stream.context() == &context; });
}

CUresult refuse_while_capturing(const StreamGroup& group) {
  return refuse_captures_of([&](const Stream& stream) { return &stream.group() == &group; });
}

CUresult refuse_captured(const Event& event) {
  Captures& all = captures();
  const std::lock_guard lock(all.mutex);
  const auto capture = event.recorded().capture;
  return capture ? invalidate(*capture, CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED) : CUDA_SUCCESS;
}

CUstreamCaptureMode exchange_capture_mode(CUstreamCaptureMode mode) {
  return std::exchange(thread_mode, mode);
}

CUresult capture_record(Event& event, const Stream& stream, bool& captured) {
  Captures& all = captures();
  if (!all.count.load(std::memory_order_relaxed)) return CUDA_SUCCESS;
  const std::lock_guard lock(all.mutex);
  const auto capture = all.find(stream);
  if (!capture) return CUDA_SUCCESS;
  if (capture->is_invalid) return CUDA_ERROR_STREAM_CAPTURE_INVALIDATED;
  captured = true;
  event.record_captured(capture, capture->streams[&stream]);
  return CUDA_SUCCESS;
}

CUresult capture_wait(const Event& event, Stream& stream, bool& captured) {
  Captures& all = captures();
  const auto recorded = event.recorded();
  if (!recorded.capture && !all.count.load(std::memory_order_relaxed)) return CUDA_SUCCESS;
  const std::lock_guard lock(all.mutex);
  const auto mine = all.find(stream);
  if (!mine && !recorded.capture) return CUDA_SUCCESS;
  captured = true;
  if (mine && mine->is_invalid) return CUDA_ERROR_STREAM_CAPTURE_INVALIDATED;
  // A captured stream may not wait for an event that was recorded outside of the capture.
  if (!recorded.capture) return invalidate(*mine, CUDA_ERROR_STREAM_CAPTURE_ISOLATION);
  const auto& theirs = recorded.capture;
  // The capture that the event belongs to may be over.
  if (!all.all().contains(theirs)) {
    return mine ? invalidate(*mine, CUDA_ERROR_CAPTURED_EVENT) : CUDA_ERROR_CAPTURED_EVENT;
  }
  if (theirs->is_invalid) return CUDA_ERROR_STREAM_CAPTURE_INVALIDATED;
  if (mine && mine != theirs) {
    invalidate(*mine, CUDA_ERROR_STREAM_CAPTURE_MERGE);
    return invalidate(*theirs, CUDA_ERROR_STREAM_CAPTURE_MERGE);
  }
  if (mine) {
    add(mine->streams[&stream], *recorded.nodes);
    return CUDA_SUCCESS;
  }
  if (stream.kind() == Stream::Kind::legacy) {
    return invalidate(*theirs, CUDA_ERROR_STREAM_CAPTURE_IMPLICIT);
  }
  all.join(theirs, stream, *recorded.nodes);
  return CUDA_SUCCESS;
}

CUresult begin_capture(Stream& stream, CUstreamCaptureMode mode, GraphPtr into, Edges after) {
  if (mode < CU_STREAM_CAPTURE_MODE_GLOBAL || mode > CU_STREAM_CAPTURE_MODE_RELAXED) {
    return CUDA_ERROR_INVALID_VALUE;
  }
  if (stream.kind() == Stream::Kind::legacy) return CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED;
  Captures& all = captures();
  const std::lock_guard lock(all.mutex);
  if (all.find(stream)) return CUDA_ERROR_ILLEGAL_STATE;
  const auto capture = std::make_shared<StreamCapture>();
  capture->id = all.next_id++;
  capture->mode = mode;
  capture->thread = std::this_thread::get_id();
  capture->origin = &stream;
  capture->owns_graph = !into;
  capture->graph = into ? std::move(into) : Graph::create();
  capture->graph->is_captured_into = true;
  all.join(capture, stream, std::move(after));
  return CUDA_SUCCESS;
}

CUresult end_capture(Stream& stream, CUgraph* out) {
  if (out) *out = nullptr;
  Captures& all = captures();
  const std::lock_guard lock(all.mutex);
  const auto capture = all.find(stream);
  if (!capture) return CUDA_ERROR_ILLEGAL_STATE;
  if (!out) return CUDA_ERROR_INVALID_VALUE;
  if (capture->origin != &stream) {
    return invalidate(*capture, CUDA_ERROR_STREAM_CAPTURE_UNMATCHED);
  }
  if (capture->mode != CU_STREAM_CAPTURE_MODE_RELAXED &&
      capture->thread != std::this_thread::get_id()) {
    return CUDA_ERROR_STREAM_CAPTURE_WRONG_THREAD;
  }
  CUresult result = CUDA_SUCCESS;
  if (capture->is_invalid) {
    result = CUDA_ERROR_STREAM_CAPTURE_INVALIDATED;
  } else if (!is_joined(*capture)) {
    result = CUDA_ERROR_STREAM_CAPTURE_UNJOINED;
  }
  all.remove(capture);
  capture->graph->is_captured_into = false;
  if (result == CUDA_SUCCESS) {
    *out = capture->graph->handle();
  } else if (capture->owns_graph) {
    capture->graph->destroy();
  }
  return result;
}

void leave_capture(const Stream& stream) {
  Captures& all = captures();
  if (!all.count.load(std::memory_order_relaxed)) return;
  const std::lock_guard lock(all.mutex);
  const auto capture = all.find(stream);
  if (!capture) return;
  if (capture->origin == &stream) {  // without its origin, the capture cannot be ended
    capture->is_invalid = true;
    all.remove(capture);
    capture->graph->is_captured_into = false;
    if (capture->owns_graph) capture->graph->destroy();
    return;
  }
  add(capture->left, capture->streams[&stream]);
  capture->streams.erase(&stream);
  all.arrays.erase(&stream);
  all.of.erase(&stream);
  all.count = static_cast<int>(all.of.size());
}

CaptureInfo capture_of(const Stream& stream) {
  Captures& all = captures();
  if (!all.count.load(std::memory_order_relaxed)) return {};
  const std::lock_guard lock(all.mutex);
  const auto capture = all.find(stream);
  if (!capture) return {};
  return {
      capture->is_invalid ? CU_STREAM_CAPTURE_STATUS_INVALIDATED : CU_STREAM_CAPTURE_STATUS_ACTIVE,
      capture};
}

const DependencyArrays& dependency_arrays(const Stream& stream) {
  Captures& all = captures();
  const std::lock_guard lock(all.mutex);
  DependencyArrays& arrays = all.arrays[&stream];
  arrays = {};
  if (const auto capture = all.find(stream)) {
    for (const auto& edge : capture->streams[&stream]) {
      arrays.nodes.push_back(edge.node->handle);
      arrays.data.push_back(edge.data);
      arrays.has_data |= !is_default(edge.data);
    }
  }
  return arrays;
}

CUresult update_dependencies(const Stream& stream, const Edges& edges, bool replace) {
  Captures& all = captures();
  const std::lock_guard lock(all.mutex);
  const auto capture = all.find(stream);
  if (!capture) return CUDA_ERROR_ILLEGAL_STATE;
  if (capture->is_invalid) return CUDA_ERROR_STREAM_CAPTURE_INVALIDATED;
  for (const auto& edge : edges) {
    if (edge.node->graph != capture->graph.get()) return CUDA_ERROR_INVALID_VALUE;
  }
  Edges& now = capture->streams[&stream];
  if (replace) now.clear();
  add(now, edges);
  return CUDA_SUCCESS;
}

}  // namespace heddle::driver
