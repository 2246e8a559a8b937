// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What atom and red compute from the old value in memory and their operands (PTX ISA 9.7.13.5, 9.7.13.6). Loading the old
// value and storing the new one indivisibly is the engine's work; here are pure functions.
#pragma once

#include "isa/groups.h"
#include "isa/sem/float_arith.h"
#include "isa/types.h"

namespace heddle::sem {

using isa::Atomop;

/// Counts up to `limit`, then from 0 again.
constexpr u32 atom_inc(u32 old, u32 limit) { return old >= limit ? 0 : old + 1; }
/// Counts down to 0, then from `limit` again.
constexpr u32 atom_dec(u32 old, u32 limit) { return old == 0 || old > limit ? limit : old - 1; }

/// Orders the bits of an f16 or bf16 that is no NaN like the number, with -0 below +0.
constexpr s32 half_order(u16 bits) {
  return (bits & 0x8000) != 0 ? -1 - (bits & 0x7fff) : bits;
}
/// The smaller or larger number; a NaN gives way to a number (9.7.4.7, 9.7.4.8).
template <Atomop kOp, class T>
constexpr T atom_pick_half(T a, T b) {
  if (is_nan(to_f32(a))) return is_nan(to_f32(b)) ? T{0x7fff} : b;
  if (is_nan(to_f32(b))) return a;
  const bool a_below_b = half_order(a.bits) < half_order(b.bits);
  return a_below_b == (kOp == Atomop::min) ? a : b;
}

template <class T>
constexpr T atom_add(T old, T b, bool ftz) {
  if constexpr (std::integral<T>) {
    return wrap<T>(to_unsigned(old) + to_unsigned(b));
  } else if constexpr (std::is_same_v<T, f32>) {
    return ftz ? add_f32<true, false>(old, b) : add_f32<false, false>(old, b);
  } else if constexpr (std::is_same_v<T, f64>) {
    return add_f64(old, b);
  } else {
    const auto add = [](auto x, auto y) { return narrow<decltype(x)>(to_f32(x) + to_f32(y)); };
    return each(add, old, b);
  }
}

/// The new value in memory. `c` is the value that cas stores when the old one equals `b`.
///
/// `ftz` is for add of f32, which flushes subnormal operands and results to zero in global memory and not in shared
/// memory (9.7.13.5). All other formats keep subnormals.
template <Atomop kOp, class T>
constexpr T atom_apply(T old, T b, T c = {}, bool ftz = false) {
  if constexpr (kOp == Atomop::exch) return b;
  else if constexpr (kOp == Atomop::cas) return old == b ? c : old;
  else if constexpr (kOp == Atomop::and_) return wrap<T>(old & b);
  else if constexpr (kOp == Atomop::or_) return wrap<T>(old | b);
  else if constexpr (kOp == Atomop::xor_) return wrap<T>(old ^ b);
  else if constexpr (kOp == Atomop::inc) return atom_inc(old, b);
  else if constexpr (kOp == Atomop::dec) return atom_dec(old, b);
  else if constexpr (kOp == Atomop::add) return atom_add(old, b, ftz);
  else if constexpr (std::integral<T>) return (old < b) == (kOp == Atomop::min) ? old : b;
  else return each([](auto x, auto y) { return atom_pick_half<kOp>(x, y); }, old, b);
}

/// Whether some form of atom or red has this operation on this type; `T` is unsigned for the bit types.
template <Atomop kOp, class T>
inline constexpr bool kHasAtomForm =
    kOp == Atomop::inc || kOp == Atomop::dec   ? std::is_same_v<T, u32>
    : kOp == Atomop::add                       ? !std::is_same_v<T, u16>
    : kOp == Atomop::min || kOp == Atomop::max ? !std::is_same_v<T, u16> && !std::is_floating_point_v<T>
                                               : std::unsigned_integral<T>;

template <std::size_t kBytes>
using AtomWord = std::conditional_t<kBytes == 2, u16, std::conditional_t<kBytes == 4, u32, u64>>;

template <Atomop kOp, class T>
constexpr u64 atom_apply_as(u64 old, u64 b, u64 c, bool ftz) {
  using Word = AtomWord<sizeof(T)>;
  const auto as_value = [](u64 bits) { return std::bit_cast<T>(static_cast<Word>(bits)); };
  if constexpr (kHasAtomForm<kOp, T>) {
    return std::bit_cast<Word>(atom_apply<kOp>(as_value(old), as_value(b), as_value(c), ftz));
  } else {
    return old;
  }
}

template <Atomop kOp>
constexpr u64 atom_apply(isa::Type type, u64 old, u64 b, u64 c, bool ftz) {
  using isa::Type;
  switch (type) {
    case Type::b16: return atom_apply_as<kOp, u16>(old, b, c, ftz);
    case Type::b32:
    case Type::u32: return atom_apply_as<kOp, u32>(old, b, c, ftz);
    case Type::b64:
    case Type::u64: return atom_apply_as<kOp, u64>(old, b, c, ftz);
    case Type::s32: return atom_apply_as<kOp, s32>(old, b, c, ftz);
    case Type::s64: return atom_apply_as<kOp, s64>(old, b, c, ftz);
    case Type::f32: return atom_apply_as<kOp, f32>(old, b, c, ftz);
    case Type::f64: return atom_apply_as<kOp, f64>(old, b, c, ftz);
    case Type::f16: return atom_apply_as<kOp, f16>(old, b, c, ftz);
    case Type::f16x2: return atom_apply_as<kOp, f16x2>(old, b, c, ftz);
    case Type::bf16: return atom_apply_as<kOp, bf16>(old, b, c, ftz);
    case Type::bf16x2: return atom_apply_as<kOp, bf16x2>(old, b, c, ftz);
    default: return old;
  }
}

/// The same on the bits of a memory word of up to 64 bits, for an operation and a type known at run time only. Bits of
/// `old`, `b` and `c` above the type are ignored, those of the result are 0. An operation that has no form on the type
/// leaves the old value; the tables let none through.
constexpr u64 atom_apply(Atomop op, isa::Type type, u64 old, u64 b, u64 c, bool ftz) {
  switch (op) {
    case Atomop::and_: return atom_apply<Atomop::and_>(type, old, b, c, ftz);
    case Atomop::or_: return atom_apply<Atomop::or_>(type, old, b, c, ftz);
    case Atomop::xor_: return atom_apply<Atomop::xor_>(type, old, b, c, ftz);
    case Atomop::cas: return atom_apply<Atomop::cas>(type, old, b, c, ftz);
    case Atomop::exch: return atom_apply<Atomop::exch>(type, old, b, c, ftz);
    case Atomop::add: return atom_apply<Atomop::add>(type, old, b, c, ftz);
    case Atomop::inc: return atom_apply<Atomop::inc>(type, old, b, c, ftz);
    case Atomop::dec: return atom_apply<Atomop::dec>(type, old, b, c, ftz);
    case Atomop::min: return atom_apply<Atomop::min>(type, old, b, c, ftz);
    case Atomop::max: return atom_apply<Atomop::max>(type, old, b, c, ftz);
    default: return old;
  }
}

}  // namespace heddle::sem
