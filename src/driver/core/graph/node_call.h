// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Functions that add a node, and that read or change its parameters. Driver API 6.24. The entry
// points for one type of node put its parameters into a CUgraphNodeParams and call these.
#pragma once

#include "driver/core/graph/graph_call.h"
#include "driver/core/graph/graph_exec.h"

namespace heddle::driver {

inline CUresult add_node(CUgraphNode* out, CUgraph handle, const CUgraphNode* after,
                         const CUgraphEdgeData* data, size_t count, CUgraphNodeParams* params) {
  return with_graph(handle, [&](const GraphPtr& graph) -> CUresult {
    if (!out || !params) return CUDA_ERROR_INVALID_VALUE;
    Edges edges;
    if (const CUresult bad = read_edges(after, data, count, edges)) return bad;
    Task task;
    if (const CUresult bad = make_task(*params, *graph, task)) return bad;
    NodePtr node;
    if (const CUresult bad = graph->add(std::move(task), edges, node)) return bad;
    if (const auto* condition = std::get_if<ConditionalTask>(&node->task)) {
      params->conditional.phGraph_out = const_cast<CUgraph*>(condition->handles.data());
    }
    *out = node->handle;
    return CUDA_SUCCESS;
  });
}

inline CUresult set_node(CUgraphNode handle, const CUgraphNodeParams& params) {
  return with_node(handle, [&](const NodePtr& node) -> CUresult {
    Task task;
    if (const CUresult bad = change_task(params, node->task, task)) return bad;
    node->task = std::move(task);
    return CUDA_SUCCESS;
  });
}

// The same changes are allowed as in an update of the whole graph.
inline CUresult set_in_exec(CUgraphExec exec, CUgraphNode node, const CUgraphNodeParams& params) {
  return with_exec(exec, [&](GraphExec& exec) {
    return exec.change(node, [&](Step& step) -> CUresult {
      Task task;
      if (const CUresult bad = change_task(params, step.task, task)) return bad;
      if (allowed_change(step.task, task)) return CUDA_ERROR_INVALID_VALUE;
      step.task = std::move(task);
      return CUDA_SUCCESS;
    });
  });
}

/// Runs `read(params)` on the parameters of a node when the node has this type.
template <class Read>
CUresult get_node(CUgraphNode handle, CUgraphNodeType type, const void* out, Read read) {
  return with_node(handle, [&](const NodePtr& node) -> CUresult {
    if (!out || type_of(node->task) != type) return CUDA_ERROR_INVALID_VALUE;
    CUgraphNodeParams params;
    read_params(*node, params);
    read(params);
    return CUDA_SUCCESS;
  });
}

inline CUresult missing_params() {
  return in_driver([]() -> CUresult { return CUDA_ERROR_INVALID_VALUE; });
}

inline CUgraphNodeParams params_of_type(CUgraphNodeType type) {
  CUgraphNodeParams params{};
  params.type = type;
  return params;
}

inline CUresult add_node(CUgraphNode* out, CUgraph graph, const CUgraphNode* after, size_t count,
                         CUgraphNodeParams params) {
  return add_node(out, graph, after, nullptr, count, &params);
}

}  // namespace heddle::driver
