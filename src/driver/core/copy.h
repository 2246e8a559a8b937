// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Copies: one description for every shape, checked against what is allocated. Driver API 6.13.
#pragma once

#include <cstddef>

#include "base/types.h"
#include "driver/core/context.h"

namespace heddle::driver {

/// One side of a copy: where a row begins, and how far it is to the next row and the next slice.
struct CopySide {
  u64 base = 0;
  std::size_t pitch = 0;  ///< bytes from row to row
  std::size_t slice = 0;  ///< bytes from slice to slice
  bool must_be_device = false;
};

/// `depth` slices of `height` rows of `width` bytes.
struct Copy {
  CopySide to, from;
  std::size_t width = 0, height = 1, depth = 1;

  static Copy linear(CopySide to, CopySide from, std::size_t bytes);
  /// CUDA_ERROR_INVALID_VALUE when a side leaves its allocation or its pitch is too short.
  CUresult check() const;
  void execute() const;
  bool is_empty() const { return !width || !height || !depth; }
};

inline CopySide on_device(u64 address) { return {.base = address, .must_be_device = true}; }
inline CopySide on_host(const void* address) { return {.base = reinterpret_cast<u64>(address)}; }
inline CopySide anywhere(u64 address) { return {.base = address}; }

/// Copies in the stream and waits, except from device to device, where the API does not.
CUresult copy_and_wait(Context& context, Stream& stream, const Copy& copy);
/// Copies in the stream. Pageable host memory (which the program may change or free as soon as the
/// call returns) is read before the call returns; written, the call waits.
CUresult copy_async(Context& context, Stream& stream, const Copy& copy);

}  // namespace heddle::driver
