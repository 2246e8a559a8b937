// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Graph nodes of any kind. Runtime API 6.30.
#include "driver/api.h"
#include "runtime/bodies.h"
#include "runtime/core/context.h"
#include "runtime/core/convert.h"
#include "runtime/core/graph.h"

namespace heddle::runtime {

cudaError_t cudaGraphAddNode(cudaGraphNode_t* pGraphNode, cudaGraph_t graph,
                             const cudaGraphNode_t* pDependencies,
                             const cudaGraphEdgeData* dependencyData, size_t numDependencies,
                             struct cudaGraphNodeParams* nodeParams) {
  if (!nodeParams) return cudaErrorInvalidValue;
  CUgraphNodeParams parameters;
  if (const cudaError_t error = translate(*nodeParams, parameters)) return error;
  const CUresult result =
      cuGraphAddNode_v2(pGraphNode, graph, pDependencies,
                        as<const CUgraphEdgeData*>(dependencyData), numDependencies, &parameters);
  if (result == CUDA_SUCCESS) give_back(parameters, *nodeParams);
  return from_driver(result);
}

// CUDA 12 has no data on edges in this one.
cudaError_t cudaGraphAddNode(cudaGraphNode_t* pGraphNode, cudaGraph_t graph,
                             const cudaGraphNode_t* pDependencies, size_t numDependencies,
                             struct cudaGraphNodeParams* nodeParams) {
  return cudaGraphAddNode(pGraphNode, graph, pDependencies, nullptr, numDependencies, nodeParams);
}

cudaError_t cudaGraphNodeSetParams(cudaGraphNode_t node, struct cudaGraphNodeParams* nodeParams) {
  if (!nodeParams) return cudaErrorInvalidValue;
  CUgraphNodeParams parameters;
  if (const cudaError_t error = translate(*nodeParams, parameters)) return error;
  return from_driver(cuGraphNodeSetParams(node, &parameters));
}

cudaError_t cudaGraphExecNodeSetParams(cudaGraphExec_t graphExec, cudaGraphNode_t node,
                                       struct cudaGraphNodeParams* nodeParams) {
  if (!nodeParams) return cudaErrorInvalidValue;
  CUgraphNodeParams parameters;
  if (const cudaError_t error = translate(*nodeParams, parameters)) return error;
  return from_driver(cuGraphExecNodeSetParams(graphExec, node, &parameters));
}

cudaError_t cudaGraphConditionalHandleCreate(cudaGraphConditionalHandle* pHandle_out,
                                             cudaGraph_t graph, unsigned int defaultLaunchValue,
                                             unsigned int flags) {
  CUcontext context = nullptr;
  if (const cudaError_t error = graph_context(context)) return error;
  return from_driver(
      cuGraphConditionalHandleCreate(reinterpret_cast<CUgraphConditionalHandle*>(pHandle_out),
                                     graph, context, defaultLaunchValue, flags));
}

}  // namespace heddle::runtime
