// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Copies: one description for every shape, checked against the allocations. Driver API 6.13.
#pragma once

#include <cstddef>
#include <vector>

#include "base/types.h"
#include "driver/core/context/context.h"

namespace heddle::driver {

/// The source or the destination of a copy: the address of its first row, and the distances of rows
/// and slices.
struct CopySide {
  u64 base = 0;
  std::size_t pitch = 0;  ///< bytes from row to row
  std::size_t slice = 0;  ///< bytes from slice to slice
  bool must_be_device = false;
  bool is_written = false;
};

/// `depth` slices of `height` rows of `width` bytes.
struct Copy {
  CopySide to, from;
  std::size_t width = 0, height = 1, depth = 1;

  /// CUDA_ERROR_INVALID_VALUE when a side leaves its allocation or its pitch is too short.
  CUresult check() const;
  void execute() const;
  bool is_empty() const { return !width || !height || !depth; }
};

/// A side given by address alone: device memory, host memory, or either.
struct CopyAddress {
  CUmemorytype type;
  u64 address;
};
inline CopyAddress on_device(u64 address) { return {CU_MEMORYTYPE_DEVICE, address}; }
inline CopyAddress on_host(const void* address) {
  return {CU_MEMORYTYPE_HOST, reinterpret_cast<u64>(address)};
}
inline CopyAddress anywhere(u64 address) { return {CU_MEMORYTYPE_UNIFIED, address}; }

/// The parameters of cuMemcpy3D for a linear or two-dimensional copy.
CUDA_MEMCPY3D linear_copy(CopyAddress to, CopyAddress from, std::size_t bytes);
CUDA_MEMCPY3D as_3d(const CUDA_MEMCPY2D& params);
CUDA_MEMCPY3D as_3d(const CUDA_MEMCPY3D_PEER& params);

/// Makes the copy that the parameters of cuMemcpy3D describe, and checks it.
CUresult make_copy(const CUDA_MEMCPY3D& params, Copy& out);

struct CopyTask;
/// Copies in the stream as a synchronous function, which waits as in host_sync.h. The copy is also
/// ordered with the work of `peers`.
CUresult copy_and_wait(Context& context, Stream& stream, CopyTask task,
                       const std::vector<ContextPtr>& peers = {});
/// Copies in the stream as an asynchronous function, which waits as in host_sync.h.
CUresult copy_async(Context& context, Stream& stream, CopyTask task);

}  // namespace heddle::driver
