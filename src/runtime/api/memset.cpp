// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Setting memory in three dimensions; the driver has the functions for one and two dimensions.
// Runtime API 6.11.
#include "driver/api.h"
#include "runtime/bodies.h"
#include "runtime/core/context.h"
#include "runtime/core/default_stream.h"

namespace heddle::runtime {
namespace {

/// Runs `set(address, rows)` for the smallest number of ranges of equally spaced rows.
template <class Set>
cudaError_t by_rows(const cudaPitchedPtr& memory, const cudaExtent& extent, Set set) {
  const auto address = reinterpret_cast<CUdeviceptr>(memory.ptr);
  if (!extent.width || !extent.height || !extent.depth) return use_context();
  if (extent.depth == 1 || memory.ysize == extent.height) {
    return in_context([&] { return set(address, extent.height * extent.depth); });
  }
  for (size_t z = 0; z < extent.depth; ++z) {
    const CUdeviceptr slice = address + z * memory.pitch * memory.ysize;
    if (const cudaError_t error = in_context([&] { return set(slice, extent.height); })) {
      return error;
    }
  }
  return cudaSuccess;
}

}  // namespace

cudaError_t cudaMemset3D(struct cudaPitchedPtr pitchedDevPtr, int value, struct cudaExtent extent) {
  const auto byte = static_cast<unsigned char>(value);
  return by_rows(pitchedDevPtr, extent, [&](CUdeviceptr address, size_t rows) {
    return in_default_stream<cuMemsetD2D8_v2, cuMemsetD2D8_v2_ptds>(address, pitchedDevPtr.pitch,
                                                                    byte, extent.width, rows);
  });
}

cudaError_t cudaMemset3DAsync(struct cudaPitchedPtr pitchedDevPtr, int value,
                              struct cudaExtent extent, cudaStream_t stream) {
  const auto byte = static_cast<unsigned char>(value);
  return by_rows(pitchedDevPtr, extent, [&](CUdeviceptr address, size_t rows) {
    return cuMemsetD2D8Async(address, pitchedDevPtr.pitch, byte, extent.width, rows,
                             stream_of(stream));
  });
}

}  // namespace heddle::runtime
