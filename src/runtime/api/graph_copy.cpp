// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Graph nodes that copy and set memory. Runtime API 6.30. All kinds of copy nodes are handled
// alike: the copy is described first, then a node is created, changed, or changed in an instance.
#include "driver/api.h"
#include "runtime/bodies.h"
#include "runtime/core/context.h"
#include "runtime/core/convert.h"
#include "runtime/core/copy.h"
#include "runtime/core/graph.h"

namespace heddle::runtime {
namespace {

/// The graph and the dependencies of a new node.
struct NewNode {
  cudaGraphNode_t* node;
  cudaGraph_t graph;
  const cudaGraphNode_t* dependencies;
  size_t count;

  cudaError_t operator()(const CUDA_MEMCPY3D& copy) const {
    CUcontext context = nullptr;
    if (const cudaError_t error = graph_context(context)) return error;
    return from_driver(cuGraphAddMemcpyNode(node, graph, dependencies, count, &copy, context));
  }
};

/// A node whose copy is replaced, in the graph or in an instance of it.
struct OldNode {
  cudaGraphNode_t node;
  cudaGraphExec_t instance = nullptr;

  cudaError_t operator()(const CUDA_MEMCPY3D& copy) const {
    CUcontext context = nullptr;
    if (const cudaError_t error = graph_context(context)) return error;
    return from_driver(instance ? cuGraphExecMemcpyNodeSetParams(instance, node, &copy, context)
                                : cuGraphMemcpyNodeSetParams(node, &copy));
  }
};

template <class Use>
cudaError_t shaped(const Use& use, const cudaMemcpy3DParms* parameters) {
  if (!parameters) return cudaErrorInvalidValue;
  CUDA_MEMCPY3D copy;
  const cudaError_t error = describe(*parameters, copy);
  return error ? error : use(copy);
}

template <class Use>
cudaError_t linear(const Use& use, void* dst, const void* src, size_t count, cudaMemcpyKind kind) {
  CUDA_MEMCPY3D copy;
  const cudaError_t error = linear_copy(dst, src, count, kind, copy);
  return error ? error : use(copy);
}

template <class Use>
cudaError_t to_symbol(const Use& use, const void* symbol, const void* src, size_t count,
                      size_t offset, cudaMemcpyKind kind) {
  CUDA_MEMCPY3D copy;
  const cudaError_t error = copy_to_symbol(symbol, src, count, offset, kind, copy);
  return error ? error : use(copy);
}

template <class Use>
cudaError_t from_symbol(const Use& use, void* dst, const void* symbol, size_t count, size_t offset,
                        cudaMemcpyKind kind) {
  CUDA_MEMCPY3D copy;
  const cudaError_t error = copy_from_symbol(dst, symbol, count, offset, kind, copy);
  return error ? error : use(copy);
}

}  // namespace

cudaError_t cudaGraphAddMemcpyNode(cudaGraphNode_t* pGraphNode, cudaGraph_t graph,
                                   const cudaGraphNode_t* pDependencies, size_t numDependencies,
                                   const struct cudaMemcpy3DParms* pCopyParams) {
  return shaped(NewNode{pGraphNode, graph, pDependencies, numDependencies}, pCopyParams);
}

cudaError_t cudaGraphAddMemcpyNode1D(cudaGraphNode_t* pGraphNode, cudaGraph_t graph,
                                     const cudaGraphNode_t* pDependencies, size_t numDependencies,
                                     void* dst, const void* src, size_t count,
                                     enum cudaMemcpyKind kind) {
  return linear(NewNode{pGraphNode, graph, pDependencies, numDependencies}, dst, src, count, kind);
}

cudaError_t cudaGraphAddMemcpyNodeToSymbol(cudaGraphNode_t* pGraphNode, cudaGraph_t graph,
                                           const cudaGraphNode_t* pDependencies,
                                           size_t numDependencies, const void* symbol,
                                           const void* src, size_t count, size_t offset,
                                           enum cudaMemcpyKind kind) {
  return to_symbol(NewNode{pGraphNode, graph, pDependencies, numDependencies}, symbol, src, count,
                   offset, kind);
}

cudaError_t cudaGraphAddMemcpyNodeFromSymbol(cudaGraphNode_t* pGraphNode, cudaGraph_t graph,
                                             const cudaGraphNode_t* pDependencies,
                                             size_t numDependencies, void* dst, const void* symbol,
                                             size_t count, size_t offset,
                                             enum cudaMemcpyKind kind) {
  return from_symbol(NewNode{pGraphNode, graph, pDependencies, numDependencies}, dst, symbol, count,
                     offset, kind);
}

cudaError_t cudaGraphMemcpyNodeGetParams(cudaGraphNode_t node,
                                         struct cudaMemcpy3DParms* pNodeParams) {
  if (!pNodeParams) return cudaErrorInvalidValue;
  CUDA_MEMCPY3D copy{};
  const cudaError_t error = in_context([&] { return cuGraphMemcpyNodeGetParams(node, &copy); });
  if (!error) describe(copy, *pNodeParams);
  return error;
}

cudaError_t cudaGraphMemcpyNodeSetParams(cudaGraphNode_t node,
                                         const struct cudaMemcpy3DParms* pNodeParams) {
  return shaped(OldNode{node}, pNodeParams);
}

cudaError_t cudaGraphMemcpyNodeSetParams1D(cudaGraphNode_t node, void* dst, const void* src,
                                           size_t count, enum cudaMemcpyKind kind) {
  return linear(OldNode{node}, dst, src, count, kind);
}

cudaError_t cudaGraphMemcpyNodeSetParamsToSymbol(cudaGraphNode_t node, const void* symbol,
                                                 const void* src, size_t count, size_t offset,
                                                 enum cudaMemcpyKind kind) {
  return to_symbol(OldNode{node}, symbol, src, count, offset, kind);
}

cudaError_t cudaGraphMemcpyNodeSetParamsFromSymbol(cudaGraphNode_t node, void* dst,
                                                   const void* symbol, size_t count, size_t offset,
                                                   enum cudaMemcpyKind kind) {
  return from_symbol(OldNode{node}, dst, symbol, count, offset, kind);
}

cudaError_t cudaGraphExecMemcpyNodeSetParams(cudaGraphExec_t hGraphExec, cudaGraphNode_t node,
                                             const struct cudaMemcpy3DParms* pNodeParams) {
  if (!hGraphExec) return cudaErrorInvalidValue;
  return shaped(OldNode{node, hGraphExec}, pNodeParams);
}

cudaError_t cudaGraphExecMemcpyNodeSetParams1D(cudaGraphExec_t hGraphExec, cudaGraphNode_t node,
                                               void* dst, const void* src, size_t count,
                                               enum cudaMemcpyKind kind) {
  if (!hGraphExec) return cudaErrorInvalidValue;
  return linear(OldNode{node, hGraphExec}, dst, src, count, kind);
}

cudaError_t cudaGraphExecMemcpyNodeSetParamsToSymbol(cudaGraphExec_t hGraphExec,
                                                     cudaGraphNode_t node, const void* symbol,
                                                     const void* src, size_t count, size_t offset,
                                                     enum cudaMemcpyKind kind) {
  if (!hGraphExec) return cudaErrorInvalidValue;
  return to_symbol(OldNode{node, hGraphExec}, symbol, src, count, offset, kind);
}

cudaError_t cudaGraphExecMemcpyNodeSetParamsFromSymbol(cudaGraphExec_t hGraphExec,
                                                       cudaGraphNode_t node, void* dst,
                                                       const void* symbol, size_t count,
                                                       size_t offset, enum cudaMemcpyKind kind) {
  if (!hGraphExec) return cudaErrorInvalidValue;
  return from_symbol(OldNode{node, hGraphExec}, dst, symbol, count, offset, kind);
}

cudaError_t cudaGraphAddMemsetNode(cudaGraphNode_t* pGraphNode, cudaGraph_t graph,
                                   const cudaGraphNode_t* pDependencies, size_t numDependencies,
                                   const struct cudaMemsetParams* pMemsetParams) {
  CUcontext context = nullptr;
  if (const cudaError_t error = graph_context(context)) return error;
  return from_driver(cuGraphAddMemsetNode(pGraphNode, graph, pDependencies, numDependencies,
                                          as<const CUDA_MEMSET_NODE_PARAMS*>(pMemsetParams),
                                          context));
}

cudaError_t cudaGraphExecMemsetNodeSetParams(cudaGraphExec_t hGraphExec, cudaGraphNode_t node,
                                             const struct cudaMemsetParams* pNodeParams) {
  CUcontext context = nullptr;
  if (const cudaError_t error = graph_context(context)) return error;
  return from_driver(cuGraphExecMemsetNodeSetParams(
      hGraphExec, node, as<const CUDA_MEMSET_NODE_PARAMS*>(pNodeParams), context));
}

}  // namespace heddle::runtime
