// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Describes copies of any shape as the driver's 3D copy, the general case. Runtime API 6.11.
#pragma once

#include "runtime/core/error.h"

namespace heddle::runtime {

/// The source or destination of a copy: an address, or a place in an array. Offsets are in bytes,
/// rows, slices.
struct CopySide {
  const void* pointer = nullptr;
  CUarray array = nullptr;
  size_t pitch = 0;   ///< bytes from row to row
  size_t height = 0;  ///< rows from slice to slice
  size_t x = 0, y = 0, z = 0;
};

/// A copy of `extent`, whose width is in bytes. `kind` says on which side the host is;
/// cudaErrorInvalidMemcpyDirection when it is not a valid kind.
cudaError_t describe(const CopySide& to, const CopySide& from, const cudaExtent& extent,
                     cudaMemcpyKind kind, CUDA_MEMCPY3D& out);

/// The parameters of cudaMemcpy3D, whose widths are in elements where an array takes part.
cudaError_t describe(const cudaMemcpy3DParms& parameters, CUDA_MEMCPY3D& out);
cudaError_t describe(const cudaMemcpy3DPeerParms& parameters, CUDA_MEMCPY3D_PEER& out);
/// The inverse; all widths are in bytes.
void describe(const CUDA_MEMCPY3D& copy, cudaMemcpy3DParms& out);

/// Copies synchronously, with the rules of the driver's synchronous copies.
cudaError_t copy_now(const CUDA_MEMCPY3D& copy);
cudaError_t copy_later(const CUDA_MEMCPY3D& copy, CUstream stream);

}  // namespace heddle::runtime
