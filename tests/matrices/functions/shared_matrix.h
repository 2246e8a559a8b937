// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A matrix of wgmma or tcgen05 in shared memory: rows of A or columns of B, K-major and without
// swizzling, in blocks of eight lines and sixteen bytes (PTX ISA 9.7.15.5.1.2.1).
#pragma once

#include <algorithm>
#include <cstring>
#include <vector>

#include "base/types.h"

namespace heddle::matrices {

inline constexpr u32 kLineBytes = 32;  ///< K of all these instructions

/// Appends `codes`, lines of `k` elements of `bits` bits, to `shared`.
inline void append_matrix(const std::vector<u64>& codes, u32 k, u32 bits, std::vector<u8>& shared) {
  const std::size_t start = shared.size(), lines = codes.size() / k;
  shared.resize(start + lines * kLineBytes);
  for (u32 line = 0; line < lines; ++line) {
    for (u32 i = 0; i < k; ++i) {
      const u32 byte = i * bits / 8;
      u8* const at = &shared[start + line / 8 * 256 + byte / 16 * 128 + line % 8 * 16 + byte % 16];
      const u32 size = std::max(bits / 8, 1u);
      u64 word = 0;
      std::memcpy(&word, at, size);
      word |= codes[line * k + i] << (i * bits % 8);
      std::memcpy(at, &word, size);
    }
  }
}
/// The strides and the address, as in the descriptors of both.
inline u64 matrix_descriptor(u64 start) {
  return start >> 4 | u64{128 >> 4} << 16 | u64{256 >> 4} << 32;
}

}  // namespace heddle::matrices
