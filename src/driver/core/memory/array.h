// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// CUDA arrays: memory with a format and up to three extents, which only copies, textures and
// surfaces access. Driver API 6.13. The layout is linear: rows with a pitch, and slices of rows.
// Layers and cube faces are slices. The rows of a compressed format are rows of blocks of 4x4
// elements, and copies count blocks.
#pragma once

#include <memory>
#include <vector>

#include "base/types.h"
#include "driver/abi.h"
#include "driver/core/memory/element_format.h"

namespace heddle::driver {

class Context;

class Array {
 public:
  /// CUDA_ERROR_INVALID_VALUE for a shape or format that does not exist, CUDA_ERROR_NOT_SUPPORTED
  /// for video formats and sparse arrays.
  static CUresult create(Context& context, const CUDA_ARRAY3D_DESCRIPTOR& descriptor, CUarray& out);
  ~Array();
  Array(const Array&) = delete;
  Array& operator=(const Array&) = delete;

  Context* context() const { return context_; }
  const CUDA_ARRAY3D_DESCRIPTOR& descriptor() const { return descriptor_; }
  const ElementFormat& element() const { return element_; }
  u64 base() const { return base_; }
  /// Bytes of a row without the padding, and number of rows of a slice.
  u64 row_bytes() const { return row_bytes_; }
  u64 pitch() const { return pitch_; }
  u64 rows() const { return rows_; }
  u64 slice() const { return pitch_ * rows_; }
  u64 slices() const { return slices_; }
  /// Whether this is a level of a mipmapped array, which the mipmapped array destroys.
  bool is_level = false;

 private:
  Array(Context& context, const CUDA_ARRAY3D_DESCRIPTOR& descriptor);

  Context* const context_;
  const CUDA_ARRAY3D_DESCRIPTOR descriptor_;
  const ElementFormat element_;
  u64 base_ = 0, row_bytes_ = 0, pitch_ = 0, rows_ = 1, slices_ = 1;
};

class MipmappedArray {
 public:
  /// Makes the number of levels that the program asks for, but at most as many as halving the
  /// extents gives.
  static CUresult create(Context& context, const CUDA_ARRAY3D_DESCRIPTOR& descriptor,
                         unsigned levels, CUmipmappedArray& out);
  ~MipmappedArray();

  Context* context() const { return context_; }
  const std::vector<CUarray>& levels() const { return levels_; }

 private:
  explicit MipmappedArray(Context& context) : context_(&context) {}

  Context* const context_;
  std::vector<CUarray> levels_;
};

}  // namespace heddle::driver
