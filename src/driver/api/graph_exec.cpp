// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Executable graphs: instantiate, update, launch, destroy. Driver API 6.24.
#include <cstdio>

#include "driver/api.h"
#include "driver/core/graph/graph.h"
#include "driver/core/graph/graph_call.h"
#include "driver/core/graph/graph_exec.h"
#include "driver/core/graph/tables.h"

using namespace heddle::driver;

namespace {

/// Why a graph cannot be instantiated, for a log.
const char* describe(CUgraphInstantiateResult result) {
  switch (result) {
    case CUDA_GRAPH_INSTANTIATE_INVALID_STRUCTURE:
      return "the dependencies run in a ring";
    case CUDA_GRAPH_INSTANTIATE_NODE_OPERATION_NOT_SUPPORTED:
      return "a node of the body of a conditional node is neither a kernel, a copy, a memset, a "
             "child "
             "graph, a conditional node nor empty";
    case CUDA_GRAPH_INSTANTIATE_CONDITIONAL_HANDLE_UNUSED:
      return "a conditional handle belongs to no node";
    default:
      return "the graph is in use, belongs to a node, or the flags are not valid";
  }
}

CUresult instantiate(CUgraphExec* out, CUgraph handle, unsigned long long flags, PlanError& error) {
  error = {CUDA_GRAPH_INSTANTIATE_ERROR, nullptr};
  return with_graph(handle, [&](const GraphPtr& graph) -> CUresult {
    return out ? GraphExec::create(graph, flags, *out, error) : CUDA_ERROR_INVALID_VALUE;
  });
}

// The functions of CUDA 10 and 11 write the reason of an error as text.
CUresult instantiate_with_log(CUgraphExec* out, CUgraph graph, CUgraphNode* node, char* log,
                              size_t room) {
  PlanError error;
  const CUresult result = instantiate(out, graph, 0, error);
  if (node) *node = error.node;
  if (log && room) std::snprintf(log, room, "%s", result ? describe(error.result) : "");
  return result;
}

CUresult upload(GraphExec& exec, CUstream handle) {
  return in_stream(handle, [&](Context&, Stream& stream) -> CUresult {
    if (const CUresult bad = refuse_in_capture(stream)) return bad;
    exec.upload(stream);
    return CUDA_SUCCESS;
  });
}

// In a capture, the executable graph becomes a child graph with the tasks that it has now.
CUresult capture_launch(const GraphExec& exec, Context& context, Stream& stream) {
  auto graph = make_graph(*exec.plan());
  if (!graph) return refuse_in_capture(stream);
  graph->put_into_node();
  return submit(context, stream, ChildTask{std::move(graph)});
}

bool can_be_disabled(const Step& step) {
  const auto type = type_of(step.task);
  return type == CU_GRAPH_NODE_TYPE_KERNEL || type == CU_GRAPH_NODE_TYPE_MEMCPY ||
         type == CU_GRAPH_NODE_TYPE_MEMSET;
}

}  // namespace

CUresult cuGraphInstantiate(CUgraphExec* phGraphExec, CUgraph hGraph, CUgraphNode* phErrorNode,
                            char* logBuffer, size_t bufferSize) {
  return instantiate_with_log(phGraphExec, hGraph, phErrorNode, logBuffer, bufferSize);
}
CUresult cuGraphInstantiate_v2(CUgraphExec* phGraphExec, CUgraph hGraph, CUgraphNode* phErrorNode,
                               char* logBuffer, size_t bufferSize) {
  return instantiate_with_log(phGraphExec, hGraph, phErrorNode, logBuffer, bufferSize);
}

CUresult cuGraphInstantiateWithFlags(CUgraphExec* phGraphExec, CUgraph hGraph,
                                     unsigned long long flags) {
  PlanError error;
  // Only cuGraphInstantiateWithParams has a stream for the upload.
  if (flags & CUDA_GRAPH_INSTANTIATE_FLAG_UPLOAD) {
    return in_driver([]() -> CUresult { return CUDA_ERROR_INVALID_VALUE; });
  }
  return instantiate(phGraphExec, hGraph, flags, error);
}

CUresult cuGraphInstantiateWithParams(CUgraphExec* phGraphExec, CUgraph hGraph,
                                      CUDA_GRAPH_INSTANTIATE_PARAMS* instantiateParams) {
  if (!instantiateParams) return in_driver([]() -> CUresult { return CUDA_ERROR_INVALID_VALUE; });
  PlanError error;
  const CUresult result = instantiate(phGraphExec, hGraph, instantiateParams->flags, error);
  instantiateParams->result_out = error.result;
  instantiateParams->hErrNode_out = error.node;
  if (result || !(instantiateParams->flags & CUDA_GRAPH_INSTANTIATE_FLAG_UPLOAD)) return result;
  return upload(*graph_tables().graph_execs.find(*phGraphExec), instantiateParams->hUploadStream);
}

CUresult cuGraphExecGetFlags(CUgraphExec hGraphExec, cuuint64_t* flags) {
  return with_exec(hGraphExec,
                   [&](GraphExec& exec) { return give<cuuint64_t>(flags, exec.flags()); });
}

CUresult cuGraphUpload(CUgraphExec hGraph, CUstream hStream) {
  return with_exec(hGraph, [&](GraphExec& exec) { return upload(exec, hStream); });
}

CUresult cuGraphLaunch(CUgraphExec hGraph, CUstream hStream) {
  return with_exec(hGraph, [&](GraphExec& exec) {
    return in_stream(hStream, [&](Context& context, Stream& stream) -> CUresult {
      return is_capturing(stream) ? capture_launch(exec, context, stream)
                                  : exec.launch(context, stream);
    });
  });
}

// Launches under way continue.
CUresult cuGraphExecDestroy(CUgraphExec hGraphExec) {
  return in_driver([&]() -> CUresult {
    return graph_tables().graph_execs.remove(hGraphExec) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
  });
}

CUresult cuGraphExecUpdate_v2(CUgraphExec hGraphExec, CUgraph hGraph,
                              CUgraphExecUpdateResultInfo* resultInfo) {
  CUgraphExecUpdateResultInfo info{CU_GRAPH_EXEC_UPDATE_ERROR, nullptr, nullptr};
  const CUresult result = with_graph(hGraph, [&](const GraphPtr& graph) {
    return with_exec(hGraphExec, [&](GraphExec& exec) { return exec.update(*graph, info); });
  });
  if (resultInfo) *resultInfo = info;
  return result;
}

CUresult cuGraphExecUpdate(CUgraphExec hGraphExec, CUgraph hGraph, CUgraphNode* hErrorNode_out,
                           CUgraphExecUpdateResult* updateResult_out) {
  CUgraphExecUpdateResultInfo info{};
  const CUresult result = cuGraphExecUpdate_v2(hGraphExec, hGraph, &info);
  if (hErrorNode_out) *hErrorNode_out = info.errorNode;
  if (updateResult_out) *updateResult_out = info.result;
  return result;
}

CUresult cuGraphNodeSetEnabled(CUgraphExec hGraphExec, CUgraphNode hNode, unsigned int isEnabled) {
  return with_exec(hGraphExec, [&](GraphExec& exec) {
    return exec.change(hNode, [&](Step& step) -> CUresult {
      if (!can_be_disabled(step)) return CUDA_ERROR_INVALID_VALUE;
      step.is_enabled = isEnabled != 0;
      return CUDA_SUCCESS;
    });
  });
}

CUresult cuGraphNodeGetEnabled(CUgraphExec hGraphExec, CUgraphNode hNode, unsigned int* isEnabled) {
  return with_exec(hGraphExec, [&](GraphExec& exec) {
    return exec.change(hNode, [&](const Step& step) -> CUresult {
      if (!can_be_disabled(step)) return CUDA_ERROR_INVALID_VALUE;
      return give<unsigned>(isEnabled, step.is_enabled);
    });
  });
}
