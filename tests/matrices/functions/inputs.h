// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Pseudo-random operands of matrix instructions.
#pragma once

#include <random>

#include "model.h"

namespace heddle::matrices {

using Random = std::mt19937_64;

/// Kinds of inputs; integers have any bits, limits or zeros.
enum class Inputs : u8 {
  any_bits,
  near_one,
  spread,       ///< exponents vary by about 4
  wide_spread,  ///< by about 16
  full_spread,  ///< by about 50
  cancelling,   ///< half of the products is the other half's negative, but for a few
  minus_sum,    ///< C is about the negative sum of the products
  subnormal,    ///< and the least normal numbers
  tiny,         ///< products are about as large as the least results
  powers,       ///< the same, and most are zero, the others powers of two: they make ties
  zeros,        ///< most are zero
  huge,         ///< sums overflow
  specials,     ///< a few infinities and NaNs
};
inline constexpr u32 kInputs = 13;

struct Case {
  Operands operands;
  /// Of a sparse A: the elements that are stored, and four bits of each chunk of each row.
  std::vector<u64> stored_a, metadata;
};
Case make_case(const Instruction& instruction, Inputs inputs, Random& random);

}  // namespace heddle::matrices
