// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Stream capture. Driver API 6.18.
#include "driver/api.h"
#include "driver/core/graph/graph.h"
#include "driver/core/graph/graph_call.h"

using namespace heddle::driver;

namespace {

/// Where cuStreamGetCaptureInfo writes its results. A version of the function that does not return
/// one of them leaves its pointer null.
struct Info {
  CUstreamCaptureStatus* status;
  cuuint64_t* id;
  CUgraph* graph = nullptr;
  const CUgraphNode** nodes = nullptr;
  const CUgraphEdgeData** data = nullptr;
  size_t* count = nullptr;
};

CUresult get_info(CUstream handle, const Info& out) {
  return with_stream(handle, [&](Context&, Stream& stream) -> CUresult {
    if (!out.status || (out.data && !out.nodes)) return CUDA_ERROR_INVALID_VALUE;
    if (const CUresult bad = asks_about_legacy(stream)) return bad;
    const auto info = capture_of(stream);
    *out.status = info.status;
    if (info.status != CU_STREAM_CAPTURE_STATUS_ACTIVE) return CUDA_SUCCESS;
    const auto& arrays = dependency_arrays(stream);
    if (out.nodes && !out.data && arrays.has_data) return CUDA_ERROR_LOSSY_QUERY;
    if (out.id) *out.id = info.capture->id;
    if (out.graph) *out.graph = info.capture->graph->handle();
    if (out.nodes) *out.nodes = arrays.nodes.data();
    if (out.data) *out.data = arrays.data.data();
    if (out.count) *out.count = arrays.nodes.size();
    return CUDA_SUCCESS;
  });
}

CUresult begin(CUstream handle, CUstreamCaptureMode mode) {
  return with_stream(
      handle, [&](Context&, Stream& stream) { return begin_capture(stream, mode, nullptr, {}); });
}

CUresult update(CUstream handle, const CUgraphNode* nodes, const CUgraphEdgeData* data,
                size_t count, unsigned flags) {
  return with_stream(handle, [&](Context&, Stream& stream) -> CUresult {
    if (flags > CU_STREAM_SET_CAPTURE_DEPENDENCIES) return CUDA_ERROR_INVALID_VALUE;
    Edges edges;
    if (!is_capturing(stream)) return CUDA_ERROR_ILLEGAL_STATE;
    if (const CUresult bad = read_edges(nodes, data, count, edges)) return bad;
    return update_dependencies(stream, edges, flags == CU_STREAM_SET_CAPTURE_DEPENDENCIES);
  });
}

}  // namespace

CUresult cuStreamBeginCapture(CUstream hStream) {
  return begin(hStream, CU_STREAM_CAPTURE_MODE_GLOBAL);
}
CUresult cuStreamBeginCapture_v2(CUstream hStream, CUstreamCaptureMode mode) {
  return begin(hStream, mode);
}

CUresult cuStreamBeginCaptureToGraph(CUstream hStream, CUgraph hGraph,
                                     const CUgraphNode* dependencies,
                                     const CUgraphEdgeData* dependencyData, size_t numDependencies,
                                     CUstreamCaptureMode mode) {
  return with_stream(hStream, [&](Context&, Stream& stream) {
    return with_graph(hGraph, [&](const GraphPtr& graph) -> CUresult {
      Edges edges;
      if (graph->is_captured_into) return CUDA_ERROR_INVALID_VALUE;
      if (const CUresult bad = read_edges(dependencies, dependencyData, numDependencies, edges)) {
        return bad;
      }
      if (!graph->are_dependencies(edges)) return CUDA_ERROR_INVALID_VALUE;
      return begin_capture(stream, mode, graph, std::move(edges));
    });
  });
}

CUresult cuStreamEndCapture(CUstream hStream, CUgraph* phGraph) {
  return with_stream(hStream,
                     [&](Context&, Stream& stream) { return end_capture(stream, phGraph); });
}

CUresult cuStreamIsCapturing(CUstream hStream, CUstreamCaptureStatus* captureStatus) {
  return get_info(hStream, {captureStatus, nullptr});
}

CUresult cuStreamGetCaptureInfo(CUstream hStream, CUstreamCaptureStatus* captureStatus_out,
                                cuuint64_t* id_out) {
  return get_info(hStream, {captureStatus_out, id_out});
}
CUresult cuStreamGetCaptureInfo_v2(CUstream hStream, CUstreamCaptureStatus* captureStatus_out,
                                   cuuint64_t* id_out, CUgraph* graph_out,
                                   const CUgraphNode** dependencies_out,
                                   size_t* numDependencies_out) {
  return get_info(hStream, {captureStatus_out, id_out, graph_out, dependencies_out, nullptr,
                            numDependencies_out});
}
CUresult cuStreamGetCaptureInfo_v3(CUstream hStream, CUstreamCaptureStatus* captureStatus_out,
                                   cuuint64_t* id_out, CUgraph* graph_out,
                                   const CUgraphNode** dependencies_out,
                                   const CUgraphEdgeData** edgeData_out,
                                   size_t* numDependencies_out) {
  return get_info(hStream, {captureStatus_out, id_out, graph_out, dependencies_out, edgeData_out,
                            numDependencies_out});
}

CUresult cuStreamUpdateCaptureDependencies(CUstream hStream, CUgraphNode* dependencies,
                                           size_t numDependencies, unsigned int flags) {
  return update(hStream, dependencies, nullptr, numDependencies, flags);
}
CUresult cuStreamUpdateCaptureDependencies_v2(CUstream hStream, CUgraphNode* dependencies,
                                              const CUgraphEdgeData* dependencyData,
                                              size_t numDependencies, unsigned int flags) {
  return update(hStream, dependencies, dependencyData, numDependencies, flags);
}

CUresult cuThreadExchangeStreamCaptureMode(CUstreamCaptureMode* mode) {
  return in_driver([&]() -> CUresult {
    if (!mode || *mode < CU_STREAM_CAPTURE_MODE_GLOBAL || *mode > CU_STREAM_CAPTURE_MODE_RELAXED) {
      return CUDA_ERROR_INVALID_VALUE;
    }
    *mode = exchange_capture_mode(*mode);
    return CUDA_SUCCESS;
  });
}
