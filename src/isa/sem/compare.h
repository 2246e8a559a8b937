// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// setp, selp, slct for all types, and the comparisons of `set` (PTX ISA 9.3.1, 9.7.6, 9.7.7). Two
// values are in exactly one of four relations, and a comparison operator is the set of relations
// for which it is true.
#pragma once

#include "isa/sem/half.h"

namespace heddle::sem {

inline constexpr u8 kLess = 1, kEqual = 2, kGreater = 4, kUnordered = 8;

/// Indexed by Cmp. A table, not a switch, so that a run-time operator is looked up outside the loop
/// over lanes.
inline constexpr u8 kRelations[] = {
    0,                               // none
    kEqual,                          // eq
    kLess | kGreater,                // ne
    kLess,                           // lt
    kLess | kEqual,                  // le
    kGreater,                        // gt
    kGreater | kEqual,               // ge
    kLess,                           // lo
    kLess | kEqual,                  // ls
    kGreater,                        // hi
    kGreater | kEqual,               // hs
    kEqual | kUnordered,             // equ
    kLess | kGreater | kUnordered,   // neu
    kLess | kUnordered,              // ltu
    kLess | kEqual | kUnordered,     // leu
    kGreater | kUnordered,           // gtu
    kGreater | kEqual | kUnordered,  // geu
    kLess | kEqual | kGreater,       // num
    kUnordered,                      // nan
};
static_assert(static_cast<int>(Cmp::geu) == 16 && static_cast<int>(Cmp::nan) == 18);

/// A value that C++ can compare.
template <class T>
constexpr T comparable(T x) {
  return x;
}
constexpr f32 comparable(f16 x) { return to_f32(x); }
constexpr f32 comparable(bf16 x) { return to_f32(x); }

/// `.ftz`, which only f32 and f16 have.
template <class T>
constexpr T flush_operand(Flag ftz, T x) {
  if constexpr (std::is_same_v<T, f32> || std::is_same_v<T, f16>) {
    return ftz == Flag::on ? flush(x) : x;
  } else {
    return x;
  }
}

/// Whether the relation of a and b is one of `relations`. Computed with arithmetic on truth values,
/// without branches.
template <class T>
constexpr bool holds(u8 relations, T a, T b) {
  const auto x = comparable(a);
  const auto y = comparable(b);
  const u32 ordered = (x < y) * u32{kLess} + (x == y) * u32{kEqual} + (x > y) * u32{kGreater};
  const u32 relation = ordered + (ordered == 0) * u32{kUnordered};
  return (relation & relations) != 0;
}

/// The same for an operator known at compile time: one host comparison.
template <u8 kSet, class T>
constexpr bool holds_one(T a, T b) {
  const auto x = comparable(a);
  const auto y = comparable(b);
  if constexpr ((kSet & kUnordered) != 0)
    return !holds_one<(kSet ^ 15)>(x, y);
  else if constexpr (kSet == kLess)
    return x < y;
  else if constexpr (kSet == (kLess | kEqual))
    return x <= y;
  else if constexpr (kSet == kGreater)
    return x > y;
  else if constexpr (kSet == (kGreater | kEqual))
    return x >= y;
  else if constexpr (kSet == kEqual)
    return x == y;
  else if constexpr (kSet == (kLess | kEqual | kGreater))
    return (x == x) & (y == y);
  else if constexpr (std::is_floating_point_v<T>)
    return (x < y) | (x > y);
  else
    return x != y;
}

template <class T>
constexpr bool compares(Cmp cmp, Flag ftz, T a, T b) {
  return holds(kRelations[static_cast<int>(cmp)], flush_operand(ftz, a), flush_operand(ftz, b));
}

/// and, or, xor as sums of "both" and "exactly one"; without an operator, the result is the
/// comparison.
constexpr bool combine(Boolop op, bool compared, bool c) {
  const bool both = compared & c & ((op == Boolop::and_) | (op == Boolop::or_));
  const bool one = (compared ^ c) & ((op == Boolop::or_) | (op == Boolop::xor_));
  return both | one | (compared & (op == Boolop::none));
}

// ---- setp: p is the comparison, q its complement ----

template <class T, Cmp kCmp, bool kFtz = false>
constexpr Two<bool, bool> setp(T a, T b) {
  constexpr Flag ftz = kFtz ? Flag::on : Flag::off;
  constexpr u8 relations = kRelations[static_cast<int>(kCmp)];
  const bool compared = holds_one<relations>(flush_operand(ftz, a), flush_operand(ftz, b));
  return {compared, !compared};
}
template <class T>
constexpr Two<bool, bool> setp_bool(Cmp cmp, Boolop op, Flag ftz, T a, T b, bool c) {
  const bool compared = compares(cmp, ftz, a, b);
  return {combine(op, compared, c), combine(op, !compared, c)};
}

/// One destination only: f16 and bf16 have no `|q`.
template <class T>
constexpr bool setp_half(Cmp cmp, Flag ftz, T a, T b) {
  return compares(cmp, ftz, a, b);
}
template <class T>
constexpr bool setp_half_bool(Cmp cmp, Boolop op, Flag ftz, T a, T b, bool c) {
  return combine(op, compares(cmp, ftz, a, b), c);
}

/// p compares the low halves, q the high ones.
template <class P>
constexpr Two<bool, bool> setp_pair_bool(Cmp cmp, Boolop op, Flag ftz, P a, P b, bool c) {
  return {combine(op, compares(cmp, ftz, low(a), low(b)), c),
          combine(op, compares(cmp, ftz, high(a), high(b)), c)};
}
template <class P>
constexpr Two<bool, bool> setp_pair(Cmp cmp, Flag ftz, P a, P b) {
  return setp_pair_bool(cmp, Boolop::none, ftz, a, b, false);
}

// ---- selp, slct ----

/// Uses masks instead of `?:`, which GCC compiles to a branch when a and b come from memory.
template <class T>
constexpr T selp(T a, T b, bool c) {
  using Word =
      std::conditional_t<sizeof(T) == 8, u64, std::conditional_t<sizeof(T) == 4, u32, u16>>;
  const Word mask = static_cast<Word>(Word{0} - Word{c});
  const Word x = std::bit_cast<Word>(a);
  const Word y = std::bit_cast<Word>(b);
  return std::bit_cast<T>(static_cast<Word>((x & mask) | (y & ~mask)));
}
/// -0 counts as zero; NaN selects b.
template <class T>
constexpr T slct_f32(Flag ftz, T a, T b, f32 c) {
  return selp(a, b, flush(ftz, c) >= 0);
}
template <class T>
constexpr T slct_s32(T a, T b, s32 c) {
  return selp(a, b, c >= 0);
}

}  // namespace heddle::sem
