// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Copies of a number of bytes to and from arrays of one or two dimensions, whose rows count as
// consecutive. Runtime API 6.12.
#include <algorithm>

#include "driver/api.h"
#include "runtime/bodies.h"
#include "runtime/core/array.h"
#include "runtime/core/context.h"
#include "runtime/core/convert.h"
#include "runtime/core/copy.h"

namespace heddle::runtime {
namespace {

/// A position that advances: in an array from row to row, in memory linearly.
struct Place {
  const void* pointer = nullptr;
  CUarray array = nullptr;
  size_t row = 0, rows = 0;  ///< of the array: bytes of a row, number of rows
  size_t x = 0, y = 0;

  /// Bytes until the end of the row, and of the array.
  size_t left_in_row() const { return array ? row - x : SIZE_MAX; }
  bool has(size_t count) const {
    if (!array) return true;
    return x < row && y < rows && count <= (rows - y) * row - x;
  }
  void advance(size_t bytes) {
    if (!array) {
      pointer = static_cast<const char*>(pointer) + bytes;
    } else {
      y += (x + bytes) / row;
      x = (x + bytes) % row;
    }
  }
  CopySide side(size_t width) const {
    return {.pointer = pointer, .array = array, .pitch = array ? 0 : width, .x = x, .y = y};
  }
};

cudaError_t in_array(cudaArray_const_t array, size_t x, size_t y, Place& out) {
  ArrayLayout layout;
  if (const cudaError_t error = layout_of(array, layout)) return error;
  out = {.array = as<CUarray>(array), .row = layout.row, .rows = layout.rows, .x = x, .y = y};
  return cudaSuccess;
}

/// Copies piece by piece: the rest of a row, or as many whole rows as both sides have.
template <class Copy>
cudaError_t each_piece(Place to, Place from, size_t count, cudaMemcpyKind kind, Copy copy) {
  if (!to.has(count) || !from.has(count)) return cudaErrorInvalidValue;
  while (count) {
    const size_t width = std::min({count, to.left_in_row(), from.left_in_row()});
    const auto is_whole_row = [&](const Place& place) {
      return !place.array || place.row == width;
    };
    const size_t height = is_whole_row(to) && is_whole_row(from) ? count / width : 1;
    CUDA_MEMCPY3D piece;
    if (const cudaError_t error =
            describe(to.side(width), from.side(width), {width, height, 1}, kind, piece)) {
      return error;
    }
    if (const cudaError_t error = copy(piece)) return error;
    to.advance(width * height);
    from.advance(width * height);
    count -= width * height;
  }
  return cudaSuccess;
}

cudaError_t now(const Place& to, const Place& from, size_t count, cudaMemcpyKind kind) {
  return each_piece(to, from, count, kind, copy_now);
}

cudaError_t later(const Place& to, const Place& from, size_t count, cudaMemcpyKind kind,
                  cudaStream_t stream) {
  return each_piece(to, from, count, kind,
                    [&](const CUDA_MEMCPY3D& piece) { return copy_later(piece, stream); });
}

}  // namespace

cudaError_t cudaMemcpyToArray(cudaArray_t dst, size_t wOffset, size_t hOffset, const void* src,
                              size_t count, enum cudaMemcpyKind kind) {
  Place to;
  const cudaError_t error = in_array(dst, wOffset, hOffset, to);
  return error ? error : now(to, {.pointer = src}, count, kind);
}

cudaError_t cudaMemcpyToArrayAsync(cudaArray_t dst, size_t wOffset, size_t hOffset, const void* src,
                                   size_t count, enum cudaMemcpyKind kind, cudaStream_t stream) {
  Place to;
  const cudaError_t error = in_array(dst, wOffset, hOffset, to);
  return error ? error : later(to, {.pointer = src}, count, kind, stream);
}

cudaError_t cudaMemcpyFromArray(void* dst, cudaArray_const_t src, size_t wOffset, size_t hOffset,
                                size_t count, enum cudaMemcpyKind kind) {
  Place from;
  const cudaError_t error = in_array(src, wOffset, hOffset, from);
  return error ? error : now({.pointer = dst}, from, count, kind);
}

cudaError_t cudaMemcpyFromArrayAsync(void* dst, cudaArray_const_t src, size_t wOffset,
                                     size_t hOffset, size_t count, enum cudaMemcpyKind kind,
                                     cudaStream_t stream) {
  Place from;
  const cudaError_t error = in_array(src, wOffset, hOffset, from);
  return error ? error : later({.pointer = dst}, from, count, kind, stream);
}

cudaError_t cudaMemcpyArrayToArray(cudaArray_t dst, size_t wOffsetDst, size_t hOffsetDst,
                                   cudaArray_const_t src, size_t wOffsetSrc, size_t hOffsetSrc,
                                   size_t count, enum cudaMemcpyKind kind) {
  Place to, from;
  if (const cudaError_t error = in_array(dst, wOffsetDst, hOffsetDst, to)) return error;
  const cudaError_t error = in_array(src, wOffsetSrc, hOffsetSrc, from);
  return error ? error : now(to, from, count, kind);
}

}  // namespace heddle::runtime
