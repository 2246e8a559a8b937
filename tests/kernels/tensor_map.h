// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tensor maps for the kernel tests: matrices of which boxes are copied.
#pragma once

#include "harness/kernel_test.h"

namespace heddle::kernels {

/// A matrix with rows of `pitch` bytes, of which boxes of `box` elements are copied.
inline CUtensorMap matrix_map(CUdeviceptr address, CUtensorMapDataType type, unsigned columns,
                              unsigned rows, size_t pitch, Extent box, CUtensorMapSwizzle swizzle) {
  const cuuint64_t dims[] = {columns, rows}, strides[] = {pitch};
  const cuuint32_t sizes[] = {box.x, box.y}, steps[] = {1, 1};
  CUtensorMap map{};
  succeeded(
      cuTensorMapEncodeTiled(&map, type, 2, reinterpret_cast<void*>(address), dims, strides, sizes,
                             steps, CU_TENSOR_MAP_INTERLEAVE_NONE, swizzle,
                             CU_TENSOR_MAP_L2_PROMOTION_NONE, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE),
      "cuTensorMapEncodeTiled");
  return map;
}

}  // namespace heddle::kernels
