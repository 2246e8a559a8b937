// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Superinstructions: one handler executes consecutive instructions, because only the second reads
// the result of the first (analysis/joins.cpp).
#pragma once

#include <array>
#include <vector>

#include "interp/op.h"
#include "isa/groups.h"

namespace heddle::interp {

/// Of f32, to nearest, without `.ftz` and `.sat`.
enum class Arithmetic : u8 { add, sub, mul, fma };
inline constexpr u32 kArithmetics = 4;
inline constexpr u32 kComparisons = static_cast<u32>(sem::Cmp::nan) + 1;

/// Null: there is none.
struct JoinedHandlers {
  /// [the first][the second][the source of the second that the first computes]. Op::src has the
  /// other sources of both, in this order; the result is that of the second.
  FullHandler arithmetic[kArithmetics][kArithmetics][kNoSource] = {};
  /// [the first][the comparison of its result with another number, by setp]; as above.
  FullHandler comparison[kArithmetics][kComparisons] = {};
  /// [the first load's base register is wide][the second's][the first load, not the second, loads
  /// one number for all lanes]: Products.
  FullHandler products[2][2][2] = {};
};

/// A sum of products. Each product is three instructions: a load of consecutive elements and a load
/// of one number for all lanes, in the same order each time and from two base registers, and the
/// fma that adds their product. Op::products of the first fma is this.
struct Products {
  struct Factor {
    Place base = 0;  ///< of the register, or of a zero
    Window window = Window::generic;
    u64 offset = 0;  ///< of the lowest address
    u64 bytes = 0;   ///< that all loads together access, from there on
  };
  std::array<Factor, 2> factors;
  Place from = 0, to = 0;                   ///< the first addend, and the sum
  std::vector<std::array<u32, 2>> offsets;  ///< by product: of its factors, from Factor::offset
};

}  // namespace heddle::interp
