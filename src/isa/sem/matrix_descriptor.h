// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Matrix descriptors of wgmma (PTX ISA 9.7.15.5.1.2) and tcgen05 (9.7.16.4.1), and where an
// operand's elements lie in shared memory. A matrix is seen as rows of contiguous elements:
//
//               a row is                   contiguous are
//   K-major     an index along M or N      indices along K
//   MN-major    an index along K           indices along M or N
//
// A row consists of chunks of 16 bytes, which stay contiguous under every swizzling mode, so
// callers fetch whole chunks:
//
//   const MatrixLayout layout = matrix_layout(wgmma_descriptor(bits), Major::k);
//   chunk_address(layout, row, chunk)
//
// Addresses are offsets in the CTA's shared memory; they are not checked.
#pragma once

#include "isa/sem/swizzle.h"

namespace heddle::sem {

inline constexpr u32 kMatrixChunk = 16;  ///< bytes

enum class Major : u8 { k, mn };

struct MatrixDescriptor {
  u32 start = 0;        ///< address of the matrix, in bytes
  u32 leading = 0;      ///< leading dimension byte offset, or the second buffer's address
  u32 stride = 0;       ///< stride dimension byte offset
  u32 base_offset = 0;  ///< the line of 128 bytes, of eight, where the swizzling pattern begins
  Swizzle swizzle = Swizzle::none;
  bool leading_is_address = false;  ///< tcgen05 only: leading dimension stride mode 1
};

/// The field of 14 bits at `bit`, which holds bits 4 to 17 of an address or an offset.
constexpr u32 descriptor_address(u64 bits, u32 bit) {
  return (static_cast<u32>(bits >> bit) & 0x3fff) << 4;
}

constexpr MatrixDescriptor wgmma_descriptor(u64 bits) {
  constexpr Swizzle kModes[] = {Swizzle::none, Swizzle::b128, Swizzle::b64, Swizzle::b32};
  return {.start = descriptor_address(bits, 0),
          .leading = descriptor_address(bits, 16),
          .stride = descriptor_address(bits, 32),
          .base_offset = static_cast<u32>(bits >> 49) & 7,
          .swizzle = kModes[bits >> 62]};
}

/// What the manual forbids in a descriptor of tcgen05.
enum class DescriptorFault : u8 {
  none,
  fixed_bits,     ///< bits 46-48 are not 0b001, or bits 53-60 are not 0
  swizzle_code,   ///< 3, 5 or 7
  absolute_mode,  ///< leading dimension stride mode 1 without K-major, 128-byte swizzling, base
                  ///< offset 0 (9.7.16.3.1.2.1)
};

/// Its swizzling mode is `none` where the code means nothing; see tcgen05_descriptor_fault().
constexpr MatrixDescriptor tcgen05_descriptor(u64 bits) {
  constexpr Swizzle kModes[] = {Swizzle::none, Swizzle::b128_atom_32b, Swizzle::b128,
                                Swizzle::none, Swizzle::b64,           Swizzle::none,
                                Swizzle::b32,  Swizzle::none};
  return {.start = descriptor_address(bits, 0),
          .leading = descriptor_address(bits, 16),
          .stride = descriptor_address(bits, 32),
          .base_offset = static_cast<u32>(bits >> 49) & 7,
          .swizzle = kModes[bits >> 61],
          .leading_is_address = (bits >> 52 & 1) != 0};
}
constexpr DescriptorFault tcgen05_descriptor_fault(u64 bits, Major major) {
  if ((bits >> 46 & 7) != 1 || (bits >> 53 & 0xff) != 0) return DescriptorFault::fixed_bits;
  const u64 code = bits >> 61;
  if (code == 3 || code == 5 || code == 7) return DescriptorFault::swizzle_code;
  const MatrixDescriptor d = tcgen05_descriptor(bits);
  if (d.leading_is_address &&
      (major != Major::k || d.swizzle != Swizzle::b128 || d.base_offset != 0)) {
    return DescriptorFault::absolute_mode;
  }
  return DescriptorFault::none;
}

/// The strides of a matrix, from its descriptor: made once for an instruction, so that
/// chunk_address() is a few shifts and additions. All strides are in bytes.
struct MatrixLayout {
  u32 start;
  u32 row_stride;   ///< from a row to the next one of the same group
  u32 group_shift;  ///< log2 of the rows of a group
  u32 group_stride;
  u32 span_shift;  ///< log2 of the chunks that lie side by side
  u32 span_stride;
  SwizzlePattern swizzle;
  u32 first_line;  ///< see swizzled()
  /// Chunks from `split` on lie in a second buffer, where chunk number `split` of row 0 is at
  /// `second`.
  u32 split = ~0u;
  u32 second = 0;
};

/// The size of a row of the swizzling pattern, log2, in chunks.
constexpr u32 swizzle_span_shift(Swizzle mode) {
  if (mode == Swizzle::none) return 0;
  if (mode == Swizzle::b32) return 1;
  return mode == Swizzle::b64 ? 2 : 3;
}

/// The canonical layouts of 9.7.15.5.1.2.1.3 and 9.7.16.3.3. With atoms of 32 bytes, a group has 4
/// rows instead of 8, because the pattern repeats after 4 lines.
constexpr MatrixLayout matrix_layout(const MatrixDescriptor& d, Major major) {
  const bool swizzles = d.swizzle != Swizzle::none;
  const bool k_major = major == Major::k;
  const u32 span_shift = swizzle_span_shift(d.swizzle);
  MatrixLayout layout{.start = d.start,
                      .row_stride = kMatrixChunk << span_shift,
                      .group_shift = d.swizzle == Swizzle::b128_atom_32b ? 2u : 3u,
                      .group_stride = swizzles || k_major ? d.stride : d.leading,
                      .span_shift = span_shift,
                      .span_stride = 0,
                      .swizzle = swizzle_pattern(d.swizzle),
                      .first_line = swizzles ? d.base_offset : 0};
  if (swizzles) {
    layout.span_stride = k_major ? layout.row_stride : d.leading;
  } else {
    layout.span_stride = k_major ? d.leading : d.stride;
  }
  if (d.leading_is_address) {
    layout.split = (kSwizzleLine - d.start % kSwizzleLine) / kMatrixChunk;
    layout.second = d.leading;
  }
  return layout;
}

/// The address of chunk number `chunk` of a row.
constexpr u32 chunk_address(const MatrixLayout& layout, u32 row, u32 chunk) {
  const bool in_second = chunk >= layout.split;
  const u32 base = in_second ? layout.second : layout.start;
  const u32 at = in_second ? chunk - layout.split : chunk;
  const u32 rows = (row & ((1u << layout.group_shift) - 1)) * layout.row_stride +
                   (row >> layout.group_shift) * layout.group_stride;
  const u32 chunks = (at & ((1u << layout.span_shift) - 1)) * kMatrixChunk +
                     (at >> layout.span_shift) * layout.span_stride;
  return swizzled(layout.swizzle, base + rows + chunks, layout.first_line);
}

/// The address of the byte that holds the first bit of an element; `column` counts the elements of
/// a row, `bits` is an element's size.
constexpr u32 element_address(const MatrixLayout& layout, u32 row, u32 column, u32 bits) {
  const u32 byte = column * bits / 8;
  return chunk_address(layout, row, byte / kMatrixChunk) + byte % kMatrixChunk;
}

}  // namespace heddle::sem
