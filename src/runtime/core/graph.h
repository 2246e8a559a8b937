// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Parameters of graph nodes: those of the runtime as those of the driver, and back. Runtime
// API 6.30. The driver wants to know the context that a node works in; it is the current one.
#pragma once

#include "runtime/core/error.h"

namespace heddle::runtime {

/// The current context, made if there is none.
cudaError_t graph_context(CUcontext& context);

cudaError_t translate(const cudaKernelNodeParams& parameters, CUDA_KERNEL_NODE_PARAMS& out);
void translate(const CUDA_KERNEL_NODE_PARAMS& parameters, cudaKernelNodeParams& out);

/// `count` bytes as the one-dimensional copy that nodes of this kind are.
cudaError_t linear_copy(void* dst, const void* src, size_t count, cudaMemcpyKind kind,
                        CUDA_MEMCPY3D& out);
cudaError_t copy_to_symbol(const void* symbol, const void* src, size_t count, size_t offset,
                           cudaMemcpyKind kind, CUDA_MEMCPY3D& out);
cudaError_t copy_from_symbol(void* dst, const void* symbol, size_t count, size_t offset,
                             cudaMemcpyKind kind, CUDA_MEMCPY3D& out);

/// Parameters of any kind of node.
cudaError_t translate(const cudaGraphNodeParams& parameters, CUgraphNodeParams& out);
/// What the driver put into the parameters of a node it made.
void give_back(const CUgraphNodeParams& from, cudaGraphNodeParams& to);

}  // namespace heddle::runtime
