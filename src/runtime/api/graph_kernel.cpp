// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Graph nodes that launch kernels. Runtime API 6.30.
#include "driver/api.h"
#include "runtime/bodies.h"
#include "runtime/core/context.h"
#include "runtime/core/graph.h"

namespace heddle::runtime {

cudaError_t cudaGraphAddKernelNode(cudaGraphNode_t* pGraphNode, cudaGraph_t graph,
                                   const cudaGraphNode_t* pDependencies, size_t numDependencies,
                                   const struct cudaKernelNodeParams* pNodeParams) {
  if (!pNodeParams) return cudaErrorInvalidValue;
  CUDA_KERNEL_NODE_PARAMS parameters;
  if (const cudaError_t error = translate(*pNodeParams, parameters)) return error;
  return from_driver(
      cuGraphAddKernelNode_v2(pGraphNode, graph, pDependencies, numDependencies, &parameters));
}

cudaError_t cudaGraphKernelNodeGetParams(cudaGraphNode_t node,
                                         struct cudaKernelNodeParams* pNodeParams) {
  if (!pNodeParams) return cudaErrorInvalidValue;
  CUDA_KERNEL_NODE_PARAMS parameters{};
  const cudaError_t error =
      in_context([&] { return cuGraphKernelNodeGetParams_v2(node, &parameters); });
  if (!error) translate(parameters, *pNodeParams);
  return error;
}

cudaError_t cudaGraphKernelNodeSetParams(cudaGraphNode_t node,
                                         const struct cudaKernelNodeParams* pNodeParams) {
  if (!pNodeParams) return cudaErrorInvalidValue;
  CUDA_KERNEL_NODE_PARAMS parameters;
  if (const cudaError_t error = translate(*pNodeParams, parameters)) return error;
  return from_driver(cuGraphKernelNodeSetParams_v2(node, &parameters));
}

cudaError_t cudaGraphExecKernelNodeSetParams(cudaGraphExec_t hGraphExec, cudaGraphNode_t node,
                                             const struct cudaKernelNodeParams* pNodeParams) {
  if (!pNodeParams) return cudaErrorInvalidValue;
  CUDA_KERNEL_NODE_PARAMS parameters;
  if (const cudaError_t error = translate(*pNodeParams, parameters)) return error;
  return from_driver(cuGraphExecKernelNodeSetParams_v2(hGraphExec, node, &parameters));
}

}  // namespace heddle::runtime
