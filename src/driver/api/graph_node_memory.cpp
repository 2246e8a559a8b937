// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Nodes that copy, set, wait for, write, allocate and free memory. Driver API 6.24.
#include "driver/api.h"
#include "driver/core/context/context.h"
#include "driver/core/graph/node_call.h"
#include "driver/core/graph/tables.h"

using namespace heddle::driver;

namespace {

CUgraphNodeParams any(const CUDA_MEMCPY3D& from, CUcontext context) {
  auto params = params_of_type(CU_GRAPH_NODE_TYPE_MEMCPY);
  params.memcpy.copyCtx = context;
  params.memcpy.copyParams = from;
  return params;
}
CUgraphNodeParams any(const CUDA_MEMSET_NODE_PARAMS& from, CUcontext context) {
  auto params = params_of_type(CU_GRAPH_NODE_TYPE_MEMSET);
  params.memset = {from.dst,   from.pitch,  from.value, from.elementSize,
                   from.width, from.height, context};
  return params;
}
CUgraphNodeParams any(const CUDA_BATCH_MEM_OP_NODE_PARAMS& from) {
  auto params = params_of_type(CU_GRAPH_NODE_TYPE_BATCH_MEM_OP);
  params.memOp = {from.ctx, from.count, from.paramArray, from.flags};
  return params;
}
// A node that copies or sets memory stays in the context that it was made for.
CUcontext context_of_node(CUgraphNode handle) {
  const auto node = graph_tables().nodes.find(handle);
  const Context* context = node ? context_of(node->task) : nullptr;
  return context ? context->handle() : nullptr;
}

}  // namespace

// --- copies and memsets ---

CUresult cuGraphAddMemcpyNode(CUgraphNode* phGraphNode, CUgraph hGraph,
                              const CUgraphNode* dependencies, size_t numDependencies,
                              const CUDA_MEMCPY3D* copyParams, CUcontext ctx) {
  if (!copyParams) return missing_params();
  return add_node(phGraphNode, hGraph, dependencies, numDependencies, any(*copyParams, ctx));
}
CUresult cuGraphMemcpyNodeGetParams(CUgraphNode hNode, CUDA_MEMCPY3D* nodeParams) {
  return get_node(hNode, CU_GRAPH_NODE_TYPE_MEMCPY, nodeParams,
                  [&](const CUgraphNodeParams& params) { *nodeParams = params.memcpy.copyParams; });
}
CUresult cuGraphMemcpyNodeSetParams(CUgraphNode hNode, const CUDA_MEMCPY3D* nodeParams) {
  return nodeParams ? set_node(hNode, any(*nodeParams, context_of_node(hNode))) : missing_params();
}
CUresult cuGraphExecMemcpyNodeSetParams(CUgraphExec hGraphExec, CUgraphNode hNode,
                                        const CUDA_MEMCPY3D* copyParams, CUcontext ctx) {
  return copyParams ? set_in_exec(hGraphExec, hNode, any(*copyParams, ctx)) : missing_params();
}

CUresult cuGraphAddMemsetNode(CUgraphNode* phGraphNode, CUgraph hGraph,
                              const CUgraphNode* dependencies, size_t numDependencies,
                              const CUDA_MEMSET_NODE_PARAMS* memsetParams, CUcontext ctx) {
  if (!memsetParams) return missing_params();
  return add_node(phGraphNode, hGraph, dependencies, numDependencies, any(*memsetParams, ctx));
}
CUresult cuGraphMemsetNodeGetParams(CUgraphNode hNode, CUDA_MEMSET_NODE_PARAMS* nodeParams) {
  return get_node(
      hNode, CU_GRAPH_NODE_TYPE_MEMSET, nodeParams, [&](const CUgraphNodeParams& params) {
        const auto& from = params.memset;
        *nodeParams = {from.dst, from.pitch, from.value, from.elementSize, from.width, from.height};
      });
}
CUresult cuGraphMemsetNodeSetParams(CUgraphNode hNode, const CUDA_MEMSET_NODE_PARAMS* nodeParams) {
  return nodeParams ? set_node(hNode, any(*nodeParams, context_of_node(hNode))) : missing_params();
}
CUresult cuGraphExecMemsetNodeSetParams(CUgraphExec hGraphExec, CUgraphNode hNode,
                                        const CUDA_MEMSET_NODE_PARAMS* memsetParams,
                                        CUcontext ctx) {
  return memsetParams ? set_in_exec(hGraphExec, hNode, any(*memsetParams, ctx)) : missing_params();
}

// --- words ---

CUresult cuGraphAddBatchMemOpNode(CUgraphNode* phGraphNode, CUgraph hGraph,
                                  const CUgraphNode* dependencies, size_t numDependencies,
                                  const CUDA_BATCH_MEM_OP_NODE_PARAMS* nodeParams) {
  if (!nodeParams) return missing_params();
  return add_node(phGraphNode, hGraph, dependencies, numDependencies, any(*nodeParams));
}
CUresult cuGraphBatchMemOpNodeGetParams(CUgraphNode hNode,
                                        CUDA_BATCH_MEM_OP_NODE_PARAMS* nodeParams_out) {
  return get_node(hNode, CU_GRAPH_NODE_TYPE_BATCH_MEM_OP, nodeParams_out,
                  [&](const CUgraphNodeParams& params) {
                    const auto& from = params.memOp;
                    *nodeParams_out = {from.ctx, from.count, from.paramArray, from.flags};
                  });
}
CUresult cuGraphBatchMemOpNodeSetParams(CUgraphNode hNode,
                                        const CUDA_BATCH_MEM_OP_NODE_PARAMS* nodeParams) {
  return nodeParams ? set_node(hNode, any(*nodeParams)) : missing_params();
}
CUresult cuGraphExecBatchMemOpNodeSetParams(CUgraphExec hGraphExec, CUgraphNode hNode,
                                            const CUDA_BATCH_MEM_OP_NODE_PARAMS* nodeParams) {
  return nodeParams ? set_in_exec(hGraphExec, hNode, any(*nodeParams)) : missing_params();
}

// --- memory ---

CUresult cuGraphAddMemAllocNode(CUgraphNode* phGraphNode, CUgraph hGraph,
                                const CUgraphNode* dependencies, size_t numDependencies,
                                CUDA_MEM_ALLOC_NODE_PARAMS* nodeParams) {
  if (!nodeParams) return missing_params();
  auto params = params_of_type(CU_GRAPH_NODE_TYPE_MEM_ALLOC);
  params.alloc = {nodeParams->poolProps, nodeParams->accessDescs, nodeParams->accessDescCount,
                  nodeParams->bytesize, 0};
  const CUresult result =
      add_node(phGraphNode, hGraph, dependencies, nullptr, numDependencies, &params);
  if (result == CUDA_SUCCESS) nodeParams->dptr = params.alloc.dptr;
  return result;
}
CUresult cuGraphMemAllocNodeGetParams(CUgraphNode hNode, CUDA_MEM_ALLOC_NODE_PARAMS* params_out) {
  return get_node(hNode, CU_GRAPH_NODE_TYPE_MEM_ALLOC, params_out,
                  [&](const CUgraphNodeParams& params) {
                    const auto& from = params.alloc;
                    *params_out = {from.poolProps, nullptr, 0, from.bytesize, from.dptr};
                  });
}
CUresult cuGraphAddMemFreeNode(CUgraphNode* phGraphNode, CUgraph hGraph,
                               const CUgraphNode* dependencies, size_t numDependencies,
                               CUdeviceptr dptr) {
  auto params = params_of_type(CU_GRAPH_NODE_TYPE_MEM_FREE);
  params.free.dptr = dptr;
  return add_node(phGraphNode, hGraph, dependencies, numDependencies, params);
}
CUresult cuGraphMemFreeNodeGetParams(CUgraphNode hNode, CUdeviceptr* dptr_out) {
  return get_node(hNode, CU_GRAPH_NODE_TYPE_MEM_FREE, dptr_out,
                  [&](const CUgraphNodeParams& params) { *dptr_out = params.free.dptr; });
}
