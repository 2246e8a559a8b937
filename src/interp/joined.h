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
  /// [the first][the second][the source of the second that the first makes]. The sources of both,
  /// but for that one, are Op::src, in this order; the result is that of the second.
  FullHandler arithmetic[kArithmetics][kArithmetics][kNoSource] = {};
  /// [the first][by which setp compares its result with another number]; as above.
  FullHandler comparison[kArithmetics][kComparisons] = {};
  /// [the first load's base register is wide][the second's][the first loads one number for all
  /// lanes, and not the second]: Products.
  FullHandler products[2][2][2] = {};
};

/// A run of instructions, three for each product: a load of consecutive elements, one of a number
/// for all lanes, in the same order each time and from two base registers, and the fma that adds
/// their product. Op::products of the first fma is this.
struct Products {
  struct Factor {
    Place base = 0;  ///< of the register, or of a zero
    Window window = Window::generic;
    u64 offset = 0;  ///< of the lowest address
    u64 bytes = 0;   ///< from there on, that all of the loads access
  };
  std::array<Factor, 2> factors;
  Place from = 0, to = 0;                   ///< what the products are added to, and the sum
  std::vector<std::array<u32, 2>> offsets;  ///< by product: of its factors, from Factor::offset
};

}  // namespace heddle::interp
