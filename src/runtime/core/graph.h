// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Converts parameters of graph nodes between the runtime and the driver. Runtime API 6.30. The
// driver needs the context of a node, which is the current one.
#pragma once

#include "runtime/core/error.h"

namespace heddle::runtime {

/// The current context; created if there is none.
cudaError_t graph_context(CUcontext& context);

cudaError_t translate(const cudaKernelNodeParams& parameters, CUDA_KERNEL_NODE_PARAMS& out);
void translate(const CUDA_KERNEL_NODE_PARAMS& parameters, cudaKernelNodeParams& out);

/// The one-dimensional copy of `count` bytes.
cudaError_t linear_copy(void* dst, const void* src, size_t count, cudaMemcpyKind kind,
                        CUDA_MEMCPY3D& out);
cudaError_t copy_to_symbol(const void* symbol, const void* src, size_t count, size_t offset,
                           cudaMemcpyKind kind, CUDA_MEMCPY3D& out);
cudaError_t copy_from_symbol(void* dst, const void* symbol, size_t count, size_t offset,
                             cudaMemcpyKind kind, CUDA_MEMCPY3D& out);

/// Parameters of any kind of node.
cudaError_t translate(const cudaGraphNodeParams& parameters, CUgraphNodeParams& out);
/// Copies the results that the driver wrote into the parameters of a new node.
void give_back(const CUgraphNodeParams& from, cudaGraphNodeParams& to);

}  // namespace heddle::runtime
