// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Nodes of graphs: adding them, their parameters in a graph and in an executable graph. Driver API
// 6.24. The functions of one type of node put its parameters into a CUgraphNodeParams and go the
// way of those for any type.
#include "driver/api.h"
#include "driver/core/graph_call.h"
#include "driver/core/launch_attributes.h"

using namespace heddle::driver;

namespace {

CUresult add(CUgraphNode* out, CUgraph handle, const CUgraphNode* after,
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

CUresult set(CUgraphNode handle, const CUgraphNodeParams& params) {
  return with_node(handle, [&](const NodePtr& node) -> CUresult {
    Task task;
    if (const CUresult bad = change_task(params, node->task, task)) return bad;
    node->task = std::move(task);
    return CUDA_SUCCESS;
  });
}

// What an update of the whole graph may not change, this may not change either.
CUresult set_in(CUgraphExec exec, CUgraphNode node, const CUgraphNodeParams& params) {
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

/// Runs `read(params)` on the parameters of a node of a type.
template <class Read>
CUresult get(CUgraphNode handle, CUgraphNodeType type, const void* out, Read read) {
  return with_node(handle, [&](const NodePtr& node) -> CUresult {
    if (!out || type_of(node->task) != type) return CUDA_ERROR_INVALID_VALUE;
    CUgraphNodeParams params;
    read_params(*node, params);
    read(params);
    return CUDA_SUCCESS;
  });
}

CUresult missing() {
  return in_driver([]() -> CUresult { return CUDA_ERROR_INVALID_VALUE; });
}

CUgraphNodeParams of_type(CUgraphNodeType type) {
  CUgraphNodeParams params{};
  params.type = type;
  return params;
}

CUgraphNodeParams any(const CUDA_KERNEL_NODE_PARAMS& from) {
  auto params = of_type(CU_GRAPH_NODE_TYPE_KERNEL);
  params.kernel = {from.func,         from.gridDimX,     from.gridDimY,  from.gridDimZ,
                   from.blockDimX,    from.blockDimY,    from.blockDimZ, from.sharedMemBytes,
                   from.kernelParams, from.extra,        from.kern,      from.ctx};
  return params;
}
CUgraphNodeParams any(const CUDA_KERNEL_NODE_PARAMS_v1& from) {
  return any(CUDA_KERNEL_NODE_PARAMS{from.func, from.gridDimX, from.gridDimY, from.gridDimZ,
                                     from.blockDimX, from.blockDimY, from.blockDimZ,
                                     from.sharedMemBytes, from.kernelParams, from.extra, nullptr,
                                     nullptr});
}
CUgraphNodeParams any(const CUDA_MEMCPY3D& from, CUcontext context) {
  auto params = of_type(CU_GRAPH_NODE_TYPE_MEMCPY);
  params.memcpy.copyCtx = context;
  params.memcpy.copyParams = from;
  return params;
}
CUgraphNodeParams any(const CUDA_MEMSET_NODE_PARAMS& from, CUcontext context) {
  auto params = of_type(CU_GRAPH_NODE_TYPE_MEMSET);
  params.memset = {from.dst,   from.pitch,  from.value, from.elementSize,
                   from.width, from.height, context};
  return params;
}
CUgraphNodeParams any(const CUDA_HOST_NODE_PARAMS& from) {
  auto params = of_type(CU_GRAPH_NODE_TYPE_HOST);
  params.host = {from.fn, from.userData};
  return params;
}
CUgraphNodeParams any(const CUDA_BATCH_MEM_OP_NODE_PARAMS& from) {
  auto params = of_type(CU_GRAPH_NODE_TYPE_BATCH_MEM_OP);
  params.memOp = {from.ctx, from.count, from.paramArray, from.flags};
  return params;
}
CUgraphNodeParams wait_for(CUevent event) {
  auto params = of_type(CU_GRAPH_NODE_TYPE_WAIT_EVENT);
  params.eventWait.event = event;
  return params;
}
CUgraphNodeParams record(CUevent event) {
  auto params = of_type(CU_GRAPH_NODE_TYPE_EVENT_RECORD);
  params.eventRecord.event = event;
  return params;
}

CUresult add(CUgraphNode* out, CUgraph graph, const CUgraphNode* after, size_t count,
             CUgraphNodeParams params) {
  return add(out, graph, after, nullptr, count, &params);
}

// Copies and memsets of a node stay in the context that they were made for.
CUcontext context_of_node(CUgraphNode handle) {
  const auto node = state().nodes.find(handle);
  const Context* context = node ? context_of(node->task) : nullptr;
  return context ? context->handle() : nullptr;
}

}  // namespace

CUresult cuGraphAddNode(CUgraphNode* phGraphNode, CUgraph hGraph, const CUgraphNode* dependencies,
                        size_t numDependencies, CUgraphNodeParams* nodeParams) {
  return add(phGraphNode, hGraph, dependencies, nullptr, numDependencies, nodeParams);
}
CUresult cuGraphAddNode_v2(CUgraphNode* phGraphNode, CUgraph hGraph,
                           const CUgraphNode* dependencies, const CUgraphEdgeData* dependencyData,
                           size_t numDependencies, CUgraphNodeParams* nodeParams) {
  return add(phGraphNode, hGraph, dependencies, dependencyData, numDependencies, nodeParams);
}
CUresult cuGraphNodeSetParams(CUgraphNode hNode, CUgraphNodeParams* nodeParams) {
  return nodeParams ? set(hNode, *nodeParams) : missing();
}
CUresult cuGraphExecNodeSetParams(CUgraphExec hGraphExec, CUgraphNode hNode,
                                  CUgraphNodeParams* nodeParams) {
  return nodeParams ? set_in(hGraphExec, hNode, *nodeParams) : missing();
}

// --- kernels ---

CUresult cuGraphAddKernelNode(CUgraphNode* phGraphNode, CUgraph hGraph,
                              const CUgraphNode* dependencies, size_t numDependencies,
                              const CUDA_KERNEL_NODE_PARAMS_v1* nodeParams) {
  if (!nodeParams) return missing();
  return add(phGraphNode, hGraph, dependencies, numDependencies, any(*nodeParams));
}
CUresult cuGraphAddKernelNode_v2(CUgraphNode* phGraphNode, CUgraph hGraph,
                                 const CUgraphNode* dependencies, size_t numDependencies,
                                 const CUDA_KERNEL_NODE_PARAMS* nodeParams) {
  if (!nodeParams) return missing();
  return add(phGraphNode, hGraph, dependencies, numDependencies, any(*nodeParams));
}
CUresult cuGraphKernelNodeGetParams(CUgraphNode hNode, CUDA_KERNEL_NODE_PARAMS_v1* nodeParams) {
  return get(hNode, CU_GRAPH_NODE_TYPE_KERNEL, nodeParams, [&](const CUgraphNodeParams& params) {
    const auto& from = params.kernel;
    *nodeParams = {from.func,         from.gridDimX,  from.gridDimY,  from.gridDimZ,
                   from.blockDimX,    from.blockDimY, from.blockDimZ, from.sharedMemBytes,
                   from.kernelParams, from.extra};
  });
}
CUresult cuGraphKernelNodeGetParams_v2(CUgraphNode hNode, CUDA_KERNEL_NODE_PARAMS* nodeParams) {
  return get(hNode, CU_GRAPH_NODE_TYPE_KERNEL, nodeParams, [&](const CUgraphNodeParams& params) {
    const auto& from = params.kernel;
    *nodeParams = {from.func,         from.gridDimX,  from.gridDimY,  from.gridDimZ,
                   from.blockDimX,    from.blockDimY, from.blockDimZ, from.sharedMemBytes,
                   from.kernelParams, from.extra,     from.kern,      from.ctx};
  });
}
CUresult cuGraphKernelNodeSetParams(CUgraphNode hNode,
                                    const CUDA_KERNEL_NODE_PARAMS_v1* nodeParams) {
  return nodeParams ? set(hNode, any(*nodeParams)) : missing();
}
CUresult cuGraphKernelNodeSetParams_v2(CUgraphNode hNode,
                                       const CUDA_KERNEL_NODE_PARAMS* nodeParams) {
  return nodeParams ? set(hNode, any(*nodeParams)) : missing();
}
CUresult cuGraphExecKernelNodeSetParams(CUgraphExec hGraphExec, CUgraphNode hNode,
                                        const CUDA_KERNEL_NODE_PARAMS_v1* nodeParams) {
  return nodeParams ? set_in(hGraphExec, hNode, any(*nodeParams)) : missing();
}
CUresult cuGraphExecKernelNodeSetParams_v2(CUgraphExec hGraphExec, CUgraphNode hNode,
                                           const CUDA_KERNEL_NODE_PARAMS* nodeParams) {
  return nodeParams ? set_in(hGraphExec, hNode, any(*nodeParams)) : missing();
}

CUresult cuGraphKernelNodeCopyAttributes(CUgraphNode dst, CUgraphNode src) {
  return with_node_of<KernelTask>(src, [&](Node&, KernelTask& from) {
    return with_node_of<KernelTask>(dst, [&](Node&, KernelTask& to) -> CUresult {
      if (from.context != to.context) return CUDA_ERROR_INVALID_VALUE;
      to.attributes = from.attributes;
      return CUDA_SUCCESS;
    });
  });
}
CUresult cuGraphKernelNodeGetAttribute(CUgraphNode hNode, CUkernelNodeAttrID attr,
                                       CUkernelNodeAttrValue* value_out) {
  return with_node_of<KernelTask>(hNode, [&](Node&, KernelTask& task) -> CUresult {
    if (!value_out || attr <= CU_LAUNCH_ATTRIBUTE_IGNORE || attr >= CU_LAUNCH_ATTRIBUTE_MAX) {
      return CUDA_ERROR_INVALID_VALUE;
    }
    *value_out = {};
    for (const auto& each : task.attributes) {
      if (each.id == attr) *value_out = each.value;
    }
    return CUDA_SUCCESS;
  });
}
CUresult cuGraphKernelNodeSetAttribute(CUgraphNode hNode, CUkernelNodeAttrID attr,
                                       const CUkernelNodeAttrValue* value) {
  return with_node_of<KernelTask>(hNode, [&](Node&, KernelTask& task) -> CUresult {
    if (!value) return CUDA_ERROR_INVALID_VALUE;
    CUlaunchAttribute attribute{};
    attribute.id = attr;
    attribute.value = *value;
    LaunchOptions options;
    if (const CUresult bad = read_attributes({&attribute, 1}, options)) return bad;
    std::erase_if(task.attributes, [&](const auto& each) { return each.id == attr; });
    task.attributes.push_back(attribute);
    return CUDA_SUCCESS;
  });
}

// --- copies and memsets ---

CUresult cuGraphAddMemcpyNode(CUgraphNode* phGraphNode, CUgraph hGraph,
                              const CUgraphNode* dependencies, size_t numDependencies,
                              const CUDA_MEMCPY3D* copyParams, CUcontext ctx) {
  if (!copyParams) return missing();
  return add(phGraphNode, hGraph, dependencies, numDependencies, any(*copyParams, ctx));
}
CUresult cuGraphMemcpyNodeGetParams(CUgraphNode hNode, CUDA_MEMCPY3D* nodeParams) {
  return get(hNode, CU_GRAPH_NODE_TYPE_MEMCPY, nodeParams, [&](const CUgraphNodeParams& params) {
    *nodeParams = params.memcpy.copyParams;
  });
}
CUresult cuGraphMemcpyNodeSetParams(CUgraphNode hNode, const CUDA_MEMCPY3D* nodeParams) {
  return nodeParams ? set(hNode, any(*nodeParams, context_of_node(hNode))) : missing();
}
CUresult cuGraphExecMemcpyNodeSetParams(CUgraphExec hGraphExec, CUgraphNode hNode,
                                        const CUDA_MEMCPY3D* copyParams, CUcontext ctx) {
  return copyParams ? set_in(hGraphExec, hNode, any(*copyParams, ctx)) : missing();
}

CUresult cuGraphAddMemsetNode(CUgraphNode* phGraphNode, CUgraph hGraph,
                              const CUgraphNode* dependencies, size_t numDependencies,
                              const CUDA_MEMSET_NODE_PARAMS* memsetParams, CUcontext ctx) {
  if (!memsetParams) return missing();
  return add(phGraphNode, hGraph, dependencies, numDependencies, any(*memsetParams, ctx));
}
CUresult cuGraphMemsetNodeGetParams(CUgraphNode hNode, CUDA_MEMSET_NODE_PARAMS* nodeParams) {
  return get(hNode, CU_GRAPH_NODE_TYPE_MEMSET, nodeParams, [&](const CUgraphNodeParams& params) {
    const auto& from = params.memset;
    *nodeParams = {from.dst, from.pitch, from.value, from.elementSize, from.width, from.height};
  });
}
CUresult cuGraphMemsetNodeSetParams(CUgraphNode hNode, const CUDA_MEMSET_NODE_PARAMS* nodeParams) {
  return nodeParams ? set(hNode, any(*nodeParams, context_of_node(hNode))) : missing();
}
CUresult cuGraphExecMemsetNodeSetParams(CUgraphExec hGraphExec, CUgraphNode hNode,
                                        const CUDA_MEMSET_NODE_PARAMS* memsetParams,
                                        CUcontext ctx) {
  return memsetParams ? set_in(hGraphExec, hNode, any(*memsetParams, ctx)) : missing();
}

// --- host functions ---

CUresult cuGraphAddHostNode(CUgraphNode* phGraphNode, CUgraph hGraph,
                            const CUgraphNode* dependencies, size_t numDependencies,
                            const CUDA_HOST_NODE_PARAMS* nodeParams) {
  if (!nodeParams) return missing();
  return add(phGraphNode, hGraph, dependencies, numDependencies, any(*nodeParams));
}
CUresult cuGraphHostNodeGetParams(CUgraphNode hNode, CUDA_HOST_NODE_PARAMS* nodeParams) {
  return get(hNode, CU_GRAPH_NODE_TYPE_HOST, nodeParams, [&](const CUgraphNodeParams& params) {
    *nodeParams = {params.host.fn, params.host.userData};
  });
}
CUresult cuGraphHostNodeSetParams(CUgraphNode hNode, const CUDA_HOST_NODE_PARAMS* nodeParams) {
  return nodeParams ? set(hNode, any(*nodeParams)) : missing();
}
CUresult cuGraphExecHostNodeSetParams(CUgraphExec hGraphExec, CUgraphNode hNode,
                                      const CUDA_HOST_NODE_PARAMS* nodeParams) {
  return nodeParams ? set_in(hGraphExec, hNode, any(*nodeParams)) : missing();
}

// --- graphs within graphs, and nothing ---

CUresult cuGraphAddChildGraphNode(CUgraphNode* phGraphNode, CUgraph hGraph,
                                  const CUgraphNode* dependencies, size_t numDependencies,
                                  CUgraph childGraph) {
  auto params = of_type(CU_GRAPH_NODE_TYPE_GRAPH);
  params.graph = {childGraph, CU_GRAPH_CHILD_GRAPH_OWNERSHIP_CLONE};
  return add(phGraphNode, hGraph, dependencies, numDependencies, params);
}
CUresult cuGraphChildGraphNodeGetGraph(CUgraphNode hNode, CUgraph* phGraph) {
  return get(hNode, CU_GRAPH_NODE_TYPE_GRAPH, phGraph,
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
  return add(phGraphNode, hGraph, dependencies, numDependencies,
             of_type(CU_GRAPH_NODE_TYPE_EMPTY));
}

// --- events ---

CUresult cuGraphAddEventRecordNode(CUgraphNode* phGraphNode, CUgraph hGraph,
                                   const CUgraphNode* dependencies, size_t numDependencies,
                                   CUevent event) {
  return add(phGraphNode, hGraph, dependencies, numDependencies, record(event));
}
CUresult cuGraphEventRecordNodeGetEvent(CUgraphNode hNode, CUevent* event_out) {
  return get(hNode, CU_GRAPH_NODE_TYPE_EVENT_RECORD, event_out,
             [&](const CUgraphNodeParams& params) { *event_out = params.eventRecord.event; });
}
CUresult cuGraphEventRecordNodeSetEvent(CUgraphNode hNode, CUevent event) {
  return set(hNode, record(event));
}
CUresult cuGraphExecEventRecordNodeSetEvent(CUgraphExec hGraphExec, CUgraphNode hNode,
                                            CUevent event) {
  return set_in(hGraphExec, hNode, record(event));
}
CUresult cuGraphAddEventWaitNode(CUgraphNode* phGraphNode, CUgraph hGraph,
                                 const CUgraphNode* dependencies, size_t numDependencies,
                                 CUevent event) {
  return add(phGraphNode, hGraph, dependencies, numDependencies, wait_for(event));
}
CUresult cuGraphEventWaitNodeGetEvent(CUgraphNode hNode, CUevent* event_out) {
  return get(hNode, CU_GRAPH_NODE_TYPE_WAIT_EVENT, event_out,
             [&](const CUgraphNodeParams& params) { *event_out = params.eventWait.event; });
}
CUresult cuGraphEventWaitNodeSetEvent(CUgraphNode hNode, CUevent event) {
  return set(hNode, wait_for(event));
}
CUresult cuGraphExecEventWaitNodeSetEvent(CUgraphExec hGraphExec, CUgraphNode hNode,
                                          CUevent event) {
  return set_in(hGraphExec, hNode, wait_for(event));
}

// --- words ---

CUresult cuGraphAddBatchMemOpNode(CUgraphNode* phGraphNode, CUgraph hGraph,
                                  const CUgraphNode* dependencies, size_t numDependencies,
                                  const CUDA_BATCH_MEM_OP_NODE_PARAMS* nodeParams) {
  if (!nodeParams) return missing();
  return add(phGraphNode, hGraph, dependencies, numDependencies, any(*nodeParams));
}
CUresult cuGraphBatchMemOpNodeGetParams(CUgraphNode hNode,
                                        CUDA_BATCH_MEM_OP_NODE_PARAMS* nodeParams_out) {
  return get(hNode, CU_GRAPH_NODE_TYPE_BATCH_MEM_OP, nodeParams_out,
             [&](const CUgraphNodeParams& params) {
               const auto& from = params.memOp;
               *nodeParams_out = {from.ctx, from.count, from.paramArray, from.flags};
             });
}
CUresult cuGraphBatchMemOpNodeSetParams(CUgraphNode hNode,
                                        const CUDA_BATCH_MEM_OP_NODE_PARAMS* nodeParams) {
  return nodeParams ? set(hNode, any(*nodeParams)) : missing();
}
CUresult cuGraphExecBatchMemOpNodeSetParams(CUgraphExec hGraphExec, CUgraphNode hNode,
                                            const CUDA_BATCH_MEM_OP_NODE_PARAMS* nodeParams) {
  return nodeParams ? set_in(hGraphExec, hNode, any(*nodeParams)) : missing();
}

// --- memory ---

CUresult cuGraphAddMemAllocNode(CUgraphNode* phGraphNode, CUgraph hGraph,
                                const CUgraphNode* dependencies, size_t numDependencies,
                                CUDA_MEM_ALLOC_NODE_PARAMS* nodeParams) {
  if (!nodeParams) return missing();
  auto params = of_type(CU_GRAPH_NODE_TYPE_MEM_ALLOC);
  params.alloc = {nodeParams->poolProps, nodeParams->accessDescs, nodeParams->accessDescCount,
                  nodeParams->bytesize, 0};
  const CUresult result =
      add(phGraphNode, hGraph, dependencies, nullptr, numDependencies, &params);
  if (result == CUDA_SUCCESS) nodeParams->dptr = params.alloc.dptr;
  return result;
}
CUresult cuGraphMemAllocNodeGetParams(CUgraphNode hNode, CUDA_MEM_ALLOC_NODE_PARAMS* params_out) {
  return get(hNode, CU_GRAPH_NODE_TYPE_MEM_ALLOC, params_out,
             [&](const CUgraphNodeParams& params) {
               const auto& from = params.alloc;
               *params_out = {from.poolProps, nullptr, 0, from.bytesize, from.dptr};
             });
}
CUresult cuGraphAddMemFreeNode(CUgraphNode* phGraphNode, CUgraph hGraph,
                               const CUgraphNode* dependencies, size_t numDependencies,
                               CUdeviceptr dptr) {
  auto params = of_type(CU_GRAPH_NODE_TYPE_MEM_FREE);
  params.free.dptr = dptr;
  return add(phGraphNode, hGraph, dependencies, numDependencies, params);
}
CUresult cuGraphMemFreeNodeGetParams(CUgraphNode hNode, CUdeviceptr* dptr_out) {
  return get(hNode, CU_GRAPH_NODE_TYPE_MEM_FREE, dptr_out,
             [&](const CUgraphNodeParams& params) { *dptr_out = params.free.dptr; });
}
