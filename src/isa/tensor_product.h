// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The operands of tcgen05.mma (PTX ISA 9.7.16.10), as an engine finds them.
#pragma once

#include <bitset>

#include "isa/groups.h"

namespace heddle::isa {

inline constexpr u32 kTensorLanes = 128, kTensorColumns = 512;
/// Columns of tensor memory are allocated in multiples of this.
inline constexpr u32 kTensorUnit = 32;
inline constexpr u32 kMostProductColumns = 256;

struct TensorProduct {
  Tcgen05Kind kind{};
  bool sparse = false, weight_stationary = false;
  u32 descriptor = 0;  ///< of the instruction
  u32 d = 0;           ///< in tensor memory: lane << 16 | column, as all addresses there
  u64 a = 0;           ///< a matrix descriptor, or in tensor memory
  bool a_in_tensor = false, shifts_a = false;
  u64 b = 0;  ///< a matrix descriptor
  u32 metadata = 0, scale_a = 0, scale_b = 0;
  u32 scale_block = 32;  ///< elements that have one scale factor
  bool accumulates = false;
  u32 scale_d = 0;                                ///< the old D is divided by 2 to this power
  u32 disabled[8] = {};                           ///< lanes of D that stay as they are
  std::bitset<kMostProductColumns> zero_columns;  ///< columns of B that count as zeros
  u32 column_shift = 0;

  // Of the CTAs that take part, the even one first.
  u32 ctas = 1;
  const u8* shared[2] = {};
  u32 shared_bytes = 0;
  u32* tensor[2] = {};    ///< [column][lane]; null: there is none
  u32 allocated[2] = {};  ///< a bit for each kTensorUnit columns
};

/// Why a product is not computed.
struct ProductFault {
  enum class Kind : u8 {
    none,
    m,
    n,       ///< the size is not legal
    shared,  ///< an operand leaves shared memory, at `address`
    tensor   ///< an operand leaves the allocated columns of tensor memory, at `address`
  } kind = Kind::none;
  u32 address = 0;  ///< or the size
};

/// The columns that a zero-column mask descriptor names (9.7.16.4.3). `parts`: 128 / M.
inline std::bitset<kMostProductColumns> zero_columns(u64 descriptor, u32 n, u32 parts) {
  std::bitset<kMostProductColumns> mask;
  if ((descriptor >> 39 & 1) == 0) return mask;
  const u32 zeros = static_cast<u32>(descriptor >> 40 & 0xff) + 1;
  const u32 used = static_cast<u32>(descriptor >> 48 & 0xff) + 1;
  for (u32 part = 0; part < parts; ++part) {
    bool zero = (descriptor >> (32 + part) & 1) != 0;
    u32 left = zero ? zeros : used;
    for (u32 skip = static_cast<u32>(descriptor >> (8 * part) & 0xff); skip > 0; --skip) {
      if (--left == 0) zero = !zero, left = zero ? zeros : used;
    }
    for (u32 column = part * n / parts; column < (part + 1) * n / parts; ++column) {
      mask[column] = zero;
      if (--left == 0) zero = !zero, left = zero ? zeros : used;
    }
  }
  return mask;
}

}  // namespace heddle::isa
