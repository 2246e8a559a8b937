// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Nodes of host functions, child graphs and events, and empty nodes. Driver API 6.24.
#include "driver/api.h"
#include "driver/core/graph/graph.h"
#include "driver/core/graph/graph_exec.h"
#include "driver/core/graph/node_call.h"

using namespace heddle::driver;

namespace {

CUgraphNodeParams any(const CUDA_HOST_NODE_PARAMS& from) {
  auto params = params_of_type(CU_GRAPH_NODE_TYPE_HOST);
  params.host = {from.fn, from.userData};
  return params;
}
CUgraphNodeParams wait_for(CUevent event) {
  auto params = params_of_type(CU_GRAPH_NODE_TYPE_WAIT_EVENT);
  params.eventWait.event = event;
  return params;
}
CUgraphNodeParams record(CUevent event) {
  auto params = params_of_type(CU_GRAPH_NODE_TYPE_EVENT_RECORD);
  params.eventRecord.event = event;
  return params;
}

}  // namespace

// --- host functions ---

CUresult cuGraphAddHostNode(CUgraphNode* phGraphNode, CUgraph hGraph,
                            const CUgraphNode* dependencies, size_t numDependencies,
                            const CUDA_HOST_NODE_PARAMS* nodeParams) {
  if (!nodeParams) return missing_params();
  return add_node(phGraphNode, hGraph, dependencies, numDependencies, any(*nodeParams));
}
CUresult cuGraphHostNodeGetParams(CUgraphNode hNode, CUDA_HOST_NODE_PARAMS* nodeParams) {
  return get_node(hNode, CU_GRAPH_NODE_TYPE_HOST, nodeParams, [&](const CUgraphNodeParams& params) {
    *nodeParams = {params.host.fn, params.host.userData};
  });
}
CUresult cuGraphHostNodeSetParams(CUgraphNode hNode, const CUDA_HOST_NODE_PARAMS* nodeParams) {
  return nodeParams ? set_node(hNode, any(*nodeParams)) : missing_params();
}
CUresult cuGraphExecHostNodeSetParams(CUgraphExec hGraphExec, CUgraphNode hNode,
                                      const CUDA_HOST_NODE_PARAMS* nodeParams) {
  return nodeParams ? set_in_exec(hGraphExec, hNode, any(*nodeParams)) : missing_params();
}

// --- child graphs, and empty nodes ---

CUresult cuGraphAddChildGraphNode(CUgraphNode* phGraphNode, CUgraph hGraph,
                                  const CUgraphNode* dependencies, size_t numDependencies,
                                  CUgraph childGraph) {
  auto params = params_of_type(CU_GRAPH_NODE_TYPE_GRAPH);
  params.graph = {childGraph, CU_GRAPH_CHILD_GRAPH_OWNERSHIP_CLONE};
  return add_node(phGraphNode, hGraph, dependencies, numDependencies, params);
}
CUresult cuGraphChildGraphNodeGetGraph(CUgraphNode hNode, CUgraph* phGraph) {
  return get_node(hNode, CU_GRAPH_NODE_TYPE_GRAPH, static_cast<const void*>(phGraph),
                  [&](const CUgraphNodeParams& params) { *phGraph = params.graph.graph; });
}
CUresult cuGraphExecChildGraphNodeSetParams(CUgraphExec hGraphExec, CUgraphNode hNode,
                                            CUgraph childGraph) {
  return with_graph(childGraph, [&](const GraphPtr& graph) {
    return with_exec(hGraphExec, [&](GraphExec& exec) {
      return exec.change(hNode, [&](Step& step) -> CUresult {
        if (!std::holds_alternative<ChildTask>(step.task)) return CUDA_ERROR_INVALID_VALUE;
        auto changed = copy_of(*step.within.front());
        if (update(*changed, *graph).result) return CUDA_ERROR_INVALID_VALUE;
        step.within.front() = std::move(changed);
        return CUDA_SUCCESS;
      });
    });
  });
}
CUresult cuGraphAddEmptyNode(CUgraphNode* phGraphNode, CUgraph hGraph,
                             const CUgraphNode* dependencies, size_t numDependencies) {
  return add_node(phGraphNode, hGraph, dependencies, numDependencies,
                  params_of_type(CU_GRAPH_NODE_TYPE_EMPTY));
}

// --- events ---

CUresult cuGraphAddEventRecordNode(CUgraphNode* phGraphNode, CUgraph hGraph,
                                   const CUgraphNode* dependencies, size_t numDependencies,
                                   CUevent event) {
  return add_node(phGraphNode, hGraph, dependencies, numDependencies, record(event));
}
CUresult cuGraphEventRecordNodeGetEvent(CUgraphNode hNode, CUevent* event_out) {
  return get_node(hNode, CU_GRAPH_NODE_TYPE_EVENT_RECORD, static_cast<const void*>(event_out),
                  [&](const CUgraphNodeParams& params) { *event_out = params.eventRecord.event; });
}
CUresult cuGraphEventRecordNodeSetEvent(CUgraphNode hNode, CUevent event) {
  return set_node(hNode, record(event));
}
CUresult cuGraphExecEventRecordNodeSetEvent(CUgraphExec hGraphExec, CUgraphNode hNode,
                                            CUevent event) {
  return set_in_exec(hGraphExec, hNode, record(event));
}
CUresult cuGraphAddEventWaitNode(CUgraphNode* phGraphNode, CUgraph hGraph,
                                 const CUgraphNode* dependencies, size_t numDependencies,
                                 CUevent event) {
  return add_node(phGraphNode, hGraph, dependencies, numDependencies, wait_for(event));
}
CUresult cuGraphEventWaitNodeGetEvent(CUgraphNode hNode, CUevent* event_out) {
  return get_node(hNode, CU_GRAPH_NODE_TYPE_WAIT_EVENT, static_cast<const void*>(event_out),
                  [&](const CUgraphNodeParams& params) { *event_out = params.eventWait.event; });
}
CUresult cuGraphEventWaitNodeSetEvent(CUgraphNode hNode, CUevent event) {
  return set_node(hNode, wait_for(event));
}
CUresult cuGraphExecEventWaitNodeSetEvent(CUgraphExec hGraphExec, CUgraphNode hNode,
                                          CUevent event) {
  return set_in_exec(hGraphExec, hNode, wait_for(event));
}
