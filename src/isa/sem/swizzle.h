// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Swizzling of shared memory (PTX ISA 5.5.7, 9.7.15.5.1.2): a permutation of addresses within lines
// of 128 bytes. It exchanges atoms of 16, 32 or 64 bytes, differently from line to line, so that a
// column of a matrix is spread over all banks. Tensor copies write with it and matrix instructions
// read with it.
#pragma once

#include "isa/sem/types.h"

namespace heddle::sem {

enum class Swizzle : u8 {
  none,
  b32,                    ///< 32 bytes
  b64,                    ///< 64 bytes
  b96,                    ///< 96 bytes; its pattern is that of 32 bytes
  b128,                   ///< 128 bytes, atoms of 16 bytes
  b128_atom_32b,          ///< 128 bytes, atoms of 32 bytes
  b128_atom_32b_flip_8b,  ///< the same, and the 8-byte halves of 16 bytes are exchanged in every
                          ///< other line
  b128_atom_64b,          ///< 128 bytes, atoms of 64 bytes
};

inline constexpr u32 kSwizzleLine = 128;  ///< bytes

/// What a mode does to an address: the low bits of the number of its line, those of `lines`, are
/// xored to the number of its atom.
struct SwizzlePattern {
  u32 lines;       ///< the number of lines after which the pattern repeats, minus 1
  u32 atom_shift;  ///< log2 of the atom's size in bytes
  bool flips_8b = false;
};

constexpr SwizzlePattern swizzle_pattern(Swizzle mode) {
  constexpr SwizzlePattern kPatterns[] = {{0, 4}, {1, 4}, {3, 4},       {1, 4},
                                          {7, 4}, {3, 5}, {3, 5, true}, {1, 6}};
  return kPatterns[static_cast<u8>(mode)];
}

/// The address at which the byte for `address` lies. `address` is that in the CTA's shared memory;
/// `first_line` is the number of the line where the pattern begins, 0 unless a matrix descriptor
/// has a base offset. The function is its own inverse. Chunks of 16 bytes, or of 8 in the mode that
/// flips, stay contiguous.
constexpr u32 swizzled(SwizzlePattern pattern, u32 address, u32 first_line = 0) {
  const u32 line = address / kSwizzleLine - first_line;
  const u32 flip = pattern.flips_8b ? (line & 1) << 3 : 0;
  return address ^ (line & pattern.lines) << pattern.atom_shift ^ flip;
}

}  // namespace heddle::sem
