// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Graphs: create, clone, destroy; queries about their nodes and edges. Driver API 6.24.
#include <cstdio>

#include "driver/api.h"
#include "driver/core/context/device.h"
#include "driver/core/graph/conditional.h"
#include "driver/core/graph/graph.h"
#include "driver/core/graph/graph_call.h"
#include "driver/core/graph/graph_exec.h"
#include "driver/core/graph/graph_memory.h"

using namespace heddle::driver;

namespace {

struct Dependency {
  CUgraphNode from, to;
  CUgraphEdgeData data;
};

/// Writes edges. When the caller has no array for edge data, an edge with data is an error.
template <class Item>
CUresult give_data(const std::vector<Item>& edges, size_t count, CUgraphEdgeData* out) {
  for (size_t i = 0; i < count; ++i) out[i] = i < edges.size() ? edges[i].data : CUgraphEdgeData{};
  return CUDA_SUCCESS;
}

template <class Item>
bool is_lossy(const std::vector<Item>& edges) {
  return std::any_of(edges.begin(), edges.end(),
                     [](const Item& edge) { return !is_default(edge.data); });
}

// The functions of before CUDA 12.3 do not return edge data.
CUresult get_edges(CUgraph handle, CUgraphNode* from, CUgraphNode* to, CUgraphEdgeData* data,
                   size_t* count) {
  return with_graph(handle, [&](const GraphPtr& graph) -> CUresult {
    if (!count || !from != !to || (data && !from)) return CUDA_ERROR_INVALID_VALUE;
    std::vector<Dependency> edges;
    for (const auto& node : graph->nodes()) {
      for (const NodeLink& link : node->from) {
        edges.push_back({link.node->handle, node->handle, link.data});
      }
    }
    if (from && !data && is_lossy(edges)) return CUDA_ERROR_LOSSY_QUERY;
    size_t room = *count;
    if (data) give_data(edges, room, data);
    give_list(edges, &room, from, [](const Dependency& edge) { return edge.from; });
    return give_list(edges, count, to, [](const Dependency& edge) { return edge.to; });
  });
}

CUresult give_links(const std::vector<NodeLink>& links, CUgraphNode* nodes, CUgraphEdgeData* data,
                    size_t* count) {
  if (!count || (data && !nodes)) return CUDA_ERROR_INVALID_VALUE;
  if (nodes && !data && is_lossy(links)) return CUDA_ERROR_LOSSY_QUERY;
  if (data) give_data(links, *count, data);
  return give_list(links, count, nodes, [](const NodeLink& link) { return link.node->handle; });
}

/// Runs `change(graph, from, to, data)` for each pair, once all of them are known to be nodes.
template <class Change>
CUresult for_each_edge(CUgraph handle, const CUgraphNode* from, const CUgraphNode* to,
                       const CUgraphEdgeData* data, size_t count, Change change) {
  return with_graph(handle, [&](const GraphPtr& graph) -> CUresult {
    Edges begins, ends;
    if (const CUresult bad = read_edges(from, data, count, begins)) return bad;
    if (const CUresult bad = read_edges(to, nullptr, count, ends)) return bad;
    for (size_t i = 0; i < count; ++i) {
      if (const CUresult bad = change(*graph, *begins[i].node, *ends[i].node, begins[i].data)) {
        return bad;
      }
    }
    return CUDA_SUCCESS;
  });
}

CUresult add_edges(CUgraph graph, const CUgraphNode* from, const CUgraphNode* to,
                   const CUgraphEdgeData* data, size_t count) {
  return for_each_edge(graph, from, to, data, count,
                       [](Graph& graph, Node& from, Node& to, const auto& data) {
                         return graph.add_edge(from, to, data);
                       });
}

CUresult remove_edges(CUgraph graph, const CUgraphNode* from, const CUgraphNode* to,
                      const CUgraphEdgeData* data, size_t count) {
  return for_each_edge(graph, from, to, data, count,
                       [](Graph& graph, Node& from, Node& to, const auto& data) {
                         return graph.remove_edge(from, to, data);
                       });
}

}  // namespace

CUresult cuGraphCreate(CUgraph* phGraph, unsigned int flags) {
  return in_driver([&]() -> CUresult {
    if (!phGraph || flags) return CUDA_ERROR_INVALID_VALUE;
    *phGraph = Graph::create()->handle();
    return CUDA_SUCCESS;
  });
}

// A graph that a node owns is destroyed with the node.
CUresult cuGraphDestroy(CUgraph hGraph) {
  return with_graph(hGraph, [](const GraphPtr& graph) -> CUresult {
    if (graph->is_within_node() || graph->is_captured_into) return CUDA_ERROR_INVALID_VALUE;
    graph->destroy();
    return CUDA_SUCCESS;
  });
}

CUresult cuGraphClone(CUgraph* phGraphClone, CUgraph originalGraph) {
  return with_graph(originalGraph, [&](const GraphPtr& graph) -> CUresult {
    if (!phGraphClone) return CUDA_ERROR_INVALID_VALUE;
    const auto clone = graph->clone();
    if (!clone) return CUDA_ERROR_NOT_SUPPORTED;
    *phGraphClone = clone->handle();
    return CUDA_SUCCESS;
  });
}

CUresult cuGraphNodeFindInClone(CUgraphNode* phNode, CUgraphNode hOriginalNode,
                                CUgraph hClonedGraph) {
  return with_graph(hClonedGraph, [&](const GraphPtr& graph) -> CUresult {
    const Node* found = phNode ? graph->clone_of(hOriginalNode) : nullptr;
    if (!found) return CUDA_ERROR_INVALID_VALUE;
    *phNode = found->handle;
    return CUDA_SUCCESS;
  });
}

CUresult cuGraphDestroyNode(CUgraphNode hNode) {
  return with_node(hNode, [](const NodePtr& node) { return node->graph->remove(node); });
}

CUresult cuGraphNodeGetType(CUgraphNode hNode, CUgraphNodeType* type) {
  return with_node(hNode, [&](const NodePtr& node) { return give(type, type_of(node->task)); });
}

CUresult cuGraphGetNodes(CUgraph hGraph, CUgraphNode* nodes, size_t* numNodes) {
  return with_graph(hGraph, [&](const GraphPtr& graph) {
    return give_list(graph->nodes(), numNodes, nodes,
                     [](const NodePtr& node) { return node->handle; });
  });
}

CUresult cuGraphGetRootNodes(CUgraph hGraph, CUgraphNode* rootNodes, size_t* numRootNodes) {
  return with_graph(hGraph, [&](const GraphPtr& graph) {
    std::vector<NodePtr> roots;
    std::copy_if(graph->nodes().begin(), graph->nodes().end(), std::back_inserter(roots),
                 [](const NodePtr& node) { return node->from.empty(); });
    return give_list(roots, numRootNodes, rootNodes,
                     [](const NodePtr& node) { return node->handle; });
  });
}

CUresult cuGraphGetEdges(CUgraph hGraph, CUgraphNode* from, CUgraphNode* to, size_t* numEdges) {
  return get_edges(hGraph, from, to, nullptr, numEdges);
}
CUresult cuGraphGetEdges_v2(CUgraph hGraph, CUgraphNode* from, CUgraphNode* to,
                            CUgraphEdgeData* edgeData, size_t* numEdges) {
  return get_edges(hGraph, from, to, edgeData, numEdges);
}

CUresult cuGraphNodeGetDependencies(CUgraphNode hNode, CUgraphNode* dependencies,
                                    size_t* numDependencies) {
  return cuGraphNodeGetDependencies_v2(hNode, dependencies, nullptr, numDependencies);
}
CUresult cuGraphNodeGetDependencies_v2(CUgraphNode hNode, CUgraphNode* dependencies,
                                       CUgraphEdgeData* edgeData, size_t* numDependencies) {
  return with_node(hNode, [&](const NodePtr& node) {
    return give_links(node->from, dependencies, edgeData, numDependencies);
  });
}

CUresult cuGraphNodeGetDependentNodes(CUgraphNode hNode, CUgraphNode* dependentNodes,
                                      size_t* numDependentNodes) {
  return cuGraphNodeGetDependentNodes_v2(hNode, dependentNodes, nullptr, numDependentNodes);
}
CUresult cuGraphNodeGetDependentNodes_v2(CUgraphNode hNode, CUgraphNode* dependentNodes,
                                         CUgraphEdgeData* edgeData, size_t* numDependentNodes) {
  return with_node(hNode, [&](const NodePtr& node) {
    return give_links(node->to, dependentNodes, edgeData, numDependentNodes);
  });
}

CUresult cuGraphAddDependencies(CUgraph hGraph, const CUgraphNode* from, const CUgraphNode* to,
                                size_t numDependencies) {
  return add_edges(hGraph, from, to, nullptr, numDependencies);
}
CUresult cuGraphAddDependencies_v2(CUgraph hGraph, const CUgraphNode* from, const CUgraphNode* to,
                                   const CUgraphEdgeData* edgeData, size_t numDependencies) {
  return add_edges(hGraph, from, to, edgeData, numDependencies);
}
CUresult cuGraphRemoveDependencies(CUgraph hGraph, const CUgraphNode* from, const CUgraphNode* to,
                                   size_t numDependencies) {
  return remove_edges(hGraph, from, to, nullptr, numDependencies);
}
CUresult cuGraphRemoveDependencies_v2(CUgraph hGraph, const CUgraphNode* from,
                                      const CUgraphNode* to, const CUgraphEdgeData* edgeData,
                                      size_t numDependencies) {
  return remove_edges(hGraph, from, to, edgeData, numDependencies);
}

CUresult cuGraphDebugDotPrint(CUgraph hGraph, const char* path, unsigned int flags) {
  return with_graph(hGraph, [&](const GraphPtr& graph) -> CUresult {
    constexpr unsigned kKnown = 2 * CU_GRAPH_DEBUG_DOT_FLAGS_CONDITIONAL_NODE_PARAMS - 1;
    if (!path || (flags & ~kKnown)) return CUDA_ERROR_INVALID_VALUE;
    std::FILE* file = std::fopen(path, "w");
    if (!file) return CUDA_ERROR_OPERATING_SYSTEM;
    const std::string text = dot(*graph, flags);
    const bool written = std::fwrite(text.data(), 1, text.size(), file) == text.size();
    return std::fclose(file) == 0 && written ? CUDA_SUCCESS : CUDA_ERROR_OPERATING_SYSTEM;
  });
}

// --- what cuGraphDebugDotPrint calls them ---

CUresult cuGraphGetId(CUgraph hGraph, unsigned int* graphId) {
  return with_graph(hGraph, [&](const GraphPtr& graph) { return give(graphId, graph->id()); });
}

CUresult cuGraphExecGetId(CUgraphExec hGraphExec, unsigned int* graphId) {
  return with_exec(hGraphExec, [&](GraphExec& exec) { return give(graphId, exec.id()); });
}

CUresult cuGraphNodeGetLocalId(CUgraphNode hNode, unsigned int* nodeId) {
  return with_node(hNode, [&](const NodePtr& node) { return give(nodeId, node->id); });
}

// The identifier holds the number of the graph and that of the node.
CUresult cuGraphNodeGetToolsId(CUgraphNode hNode, unsigned long long* toolsNodeId) {
  return with_node(hNode, [&](const NodePtr& node) {
    const unsigned long long graph = node->graph->id();
    return give(toolsNodeId, graph << 32 | node->id);
  });
}

CUresult cuGraphNodeGetContainingGraph(CUgraphNode hNode, CUgraph* phGraph) {
  return with_node(hNode,
                   [&](const NodePtr& node) { return give(phGraph, node->graph->handle()); });
}

CUresult cuGraphConditionalHandleCreate(CUgraphConditionalHandle* pHandle_out, CUgraph hGraph,
                                        CUcontext ctx, unsigned int defaultLaunchValue,
                                        unsigned int flags) {
  return with_graph(hGraph, [&](const GraphPtr& graph) -> CUresult {
    if (!pHandle_out || (flags & ~unsigned{CU_GRAPH_COND_ASSIGN_DEFAULT})) {
      return CUDA_ERROR_INVALID_VALUE;
    }
    if (ctx ? !find_context(ctx) : !current_context()) return CUDA_ERROR_INVALID_CONTEXT;
    std::optional<unsigned> start;
    if (flags & CU_GRAPH_COND_ASSIGN_DEFAULT) start = defaultLaunchValue;
    graph->conditionals.push_back(Conditional::create(start));
    *pHandle_out = graph->conditionals.back()->handle();
    return CUDA_SUCCESS;
  });
}

// Heddle frees the memory of graphs at once, so trimming only changes the accounting.
CUresult cuDeviceGraphMemTrim(CUdevice device) {
  return with_device(device, [](Device& device) {
    trim_graph_memory(device);
    return CUDA_SUCCESS;
  });
}

CUresult cuDeviceGetGraphMemAttribute(CUdevice device, CUgraphMem_attribute attr, void* value) {
  return with_device(device, [&](Device& device) -> CUresult {
    const auto found = graph_memory(device, attr);
    if (!value || !found) return CUDA_ERROR_INVALID_VALUE;
    *static_cast<cuuint64_t*>(value) = *found;
    return CUDA_SUCCESS;
  });
}

CUresult cuDeviceSetGraphMemAttribute(CUdevice device, CUgraphMem_attribute attr, void* value) {
  return with_device(device, [&](Device& device) -> CUresult {
    if (!value || *static_cast<const cuuint64_t*>(value)) return CUDA_ERROR_INVALID_VALUE;
    return reset_graph_memory(device, attr);
  });
}
