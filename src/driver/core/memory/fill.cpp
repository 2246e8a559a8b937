// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See fill.h.
#include "driver/core/memory/fill.h"

#include <algorithm>

#include "driver/core/memory/allocation.h"

namespace heddle::driver {
namespace {

template <class T>
void fill(const CUDA_MEMSET_NODE_PARAMS& params) {
  for (std::size_t y = 0; y < params.height; ++y) {
    std::fill_n(reinterpret_cast<T*>(params.dst + y * params.pitch), params.width,
                static_cast<T>(params.value));
  }
}

}  // namespace

CUresult check(const FillTask& task) {
  const auto& [dst, pitch, value, size, width, height] = task.params;
  if (size != 1 && size != 2 && size != 4) return CUDA_ERROR_INVALID_VALUE;
  if (!width || !height) return CUDA_SUCCESS;
  u64 row = 0, bytes = 0;
  if (dst % size || __builtin_mul_overflow(width, size, &row)) return CUDA_ERROR_INVALID_VALUE;
  if (height > 1 && (pitch < row || pitch % size)) return CUDA_ERROR_INVALID_VALUE;
  if (__builtin_mul_overflow(height - 1, pitch, &bytes) ||
      __builtin_add_overflow(bytes, row, &bytes)) {
    return CUDA_ERROR_INVALID_VALUE;
  }
  return is_writable_range(dst, bytes) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

void run(const FillTask& task) {
  switch (task.params.elementSize) {
    case 1:
      return fill<u8>(task.params);
    case 2:
      return fill<u16>(task.params);
    default:
      return fill<u32>(task.params);
  }
}

}  // namespace heddle::driver
