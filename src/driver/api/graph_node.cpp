// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Nodes of any type, and kernels. Driver API 6.24.
#include "driver/api.h"
#include "driver/core/graph/graph.h"
#include "driver/core/graph/node_call.h"

using namespace heddle::driver;

namespace {

CUgraphNodeParams any(const CUDA_KERNEL_NODE_PARAMS& from) {
  auto params = params_of_type(CU_GRAPH_NODE_TYPE_KERNEL);
  params.kernel = {from.func,         from.gridDimX,  from.gridDimY,  from.gridDimZ,
                   from.blockDimX,    from.blockDimY, from.blockDimZ, from.sharedMemBytes,
                   from.kernelParams, from.extra,     from.kern,      from.ctx};
  return params;
}
CUgraphNodeParams any(const CUDA_KERNEL_NODE_PARAMS_v1& from) {
  return any(CUDA_KERNEL_NODE_PARAMS{
      from.func, from.gridDimX, from.gridDimY, from.gridDimZ, from.blockDimX, from.blockDimY,
      from.blockDimZ, from.sharedMemBytes, from.kernelParams, from.extra, nullptr, nullptr});
}

}  // namespace

CUresult cuGraphAddNode(CUgraphNode* phGraphNode, CUgraph hGraph, const CUgraphNode* dependencies,
                        size_t numDependencies, CUgraphNodeParams* nodeParams) {
  return add_node(phGraphNode, hGraph, dependencies, nullptr, numDependencies, nodeParams);
}
CUresult cuGraphAddNode_v2(CUgraphNode* phGraphNode, CUgraph hGraph,
                           const CUgraphNode* dependencies, const CUgraphEdgeData* dependencyData,
                           size_t numDependencies, CUgraphNodeParams* nodeParams) {
  return add_node(phGraphNode, hGraph, dependencies, dependencyData, numDependencies, nodeParams);
}
CUresult cuGraphNodeSetParams(CUgraphNode hNode, CUgraphNodeParams* nodeParams) {
  return nodeParams ? set_node(hNode, *nodeParams) : missing_params();
}
CUresult cuGraphExecNodeSetParams(CUgraphExec hGraphExec, CUgraphNode hNode,
                                  CUgraphNodeParams* nodeParams) {
  return nodeParams ? set_in_exec(hGraphExec, hNode, *nodeParams) : missing_params();
}

// --- kernels ---

CUresult cuGraphAddKernelNode(CUgraphNode* phGraphNode, CUgraph hGraph,
                              const CUgraphNode* dependencies, size_t numDependencies,
                              const CUDA_KERNEL_NODE_PARAMS_v1* nodeParams) {
  if (!nodeParams) return missing_params();
  return add_node(phGraphNode, hGraph, dependencies, numDependencies, any(*nodeParams));
}
CUresult cuGraphAddKernelNode_v2(CUgraphNode* phGraphNode, CUgraph hGraph,
                                 const CUgraphNode* dependencies, size_t numDependencies,
                                 const CUDA_KERNEL_NODE_PARAMS* nodeParams) {
  if (!nodeParams) return missing_params();
  return add_node(phGraphNode, hGraph, dependencies, numDependencies, any(*nodeParams));
}
CUresult cuGraphKernelNodeGetParams(CUgraphNode hNode, CUDA_KERNEL_NODE_PARAMS_v1* nodeParams) {
  return get_node(
      hNode, CU_GRAPH_NODE_TYPE_KERNEL, nodeParams, [&](const CUgraphNodeParams& params) {
        const auto& from = params.kernel;
        *nodeParams = {from.func,         from.gridDimX,  from.gridDimY,  from.gridDimZ,
                       from.blockDimX,    from.blockDimY, from.blockDimZ, from.sharedMemBytes,
                       from.kernelParams, from.extra};
      });
}
CUresult cuGraphKernelNodeGetParams_v2(CUgraphNode hNode, CUDA_KERNEL_NODE_PARAMS* nodeParams) {
  return get_node(
      hNode, CU_GRAPH_NODE_TYPE_KERNEL, nodeParams, [&](const CUgraphNodeParams& params) {
        const auto& from = params.kernel;
        *nodeParams = {from.func,         from.gridDimX,  from.gridDimY,  from.gridDimZ,
                       from.blockDimX,    from.blockDimY, from.blockDimZ, from.sharedMemBytes,
                       from.kernelParams, from.extra,     from.kern,      from.ctx};
      });
}
CUresult cuGraphKernelNodeSetParams(CUgraphNode hNode,
                                    const CUDA_KERNEL_NODE_PARAMS_v1* nodeParams) {
  return nodeParams ? set_node(hNode, any(*nodeParams)) : missing_params();
}
CUresult cuGraphKernelNodeSetParams_v2(CUgraphNode hNode,
                                       const CUDA_KERNEL_NODE_PARAMS* nodeParams) {
  return nodeParams ? set_node(hNode, any(*nodeParams)) : missing_params();
}
CUresult cuGraphExecKernelNodeSetParams(CUgraphExec hGraphExec, CUgraphNode hNode,
                                        const CUDA_KERNEL_NODE_PARAMS_v1* nodeParams) {
  return nodeParams ? set_in_exec(hGraphExec, hNode, any(*nodeParams)) : missing_params();
}
CUresult cuGraphExecKernelNodeSetParams_v2(CUgraphExec hGraphExec, CUgraphNode hNode,
                                           const CUDA_KERNEL_NODE_PARAMS* nodeParams) {
  return nodeParams ? set_in_exec(hGraphExec, hNode, any(*nodeParams)) : missing_params();
}

CUresult cuGraphKernelNodeCopyAttributes(CUgraphNode dst, CUgraphNode src) {
  return with_node_of<KernelTask>(src, [&](Node&, KernelTask& from) {
    return with_node_of<KernelTask>(dst, [&](Node&, KernelTask& to) -> CUresult {
      if (from.context != to.context) return CUDA_ERROR_INVALID_VALUE;
      if (const CUresult bad = set_attributes(to, from.attributes)) return bad;
      to.priority = from.priority;
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
    if (attr == CU_LAUNCH_ATTRIBUTE_PRIORITY) value_out->priority = task.priority;
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
    auto attributes = task.attributes;
    std::erase_if(attributes, [&](const auto& each) { return each.id == attr; });
    attributes.push_back(attribute);
    if (const CUresult bad = set_attributes(task, std::move(attributes))) return bad;
    if (attr == CU_LAUNCH_ATTRIBUTE_PRIORITY) task.priority = value->priority;
    return CUDA_SUCCESS;
  });
}
