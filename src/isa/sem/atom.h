// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The results of atom and red for the old value in memory and their operands (PTX ISA 9.7.13.5,
// 9.7.13.6), as pure functions. The engines make the load of the old value and the store of the new
// one indivisible.
#pragma once

#include "isa/groups.h"
#include "isa/sem/float_arith.h"
#include "isa/sem/half_arith.h"

namespace heddle::sem {

using isa::Atomop;

/// Counts up to `limit`, then from 0 again.
constexpr u32 atom_inc(u32 old, u32 limit) { return old >= limit ? 0 : old + 1; }
/// Counts down to 0, then from `limit` again.
constexpr u32 atom_dec(u32 old, u32 limit) { return old == 0 || old > limit ? limit : old - 1; }

template <class T>
constexpr T atom_add(T old, T b, bool ftz) {
  if constexpr (std::integral<T>) {
    return wrap<T>(to_unsigned(old) + to_unsigned(b));
  } else if constexpr (std::is_same_v<T, f32>) {
    return ftz ? add_f32<true, false>(old, b) : add_f32<false, false>(old, b);
  } else if constexpr (std::is_same_v<T, f64>) {
    return add_f64(old, b);
  } else {
    return add_half<T, false>(Flag::off, old, b);
  }
}

/// The new value in memory. `c` is the value that cas stores when the old one equals `b`.
///
/// `ftz` is for add of f32, which flushes subnormal operands and results to zero in global memory
/// and not in shared memory (9.7.13.5). All other formats keep subnormals.
template <Atomop kOp, class T>
constexpr T atom_apply(T old, T b, T c = {}, bool ftz = false) {
  if constexpr (kOp == Atomop::exch)
    return b;
  else if constexpr (kOp == Atomop::cas)
    return old == b ? c : old;
  else if constexpr (kOp == Atomop::and_)
    return wrap<T>(old & b);
  else if constexpr (kOp == Atomop::or_)
    return wrap<T>(old | b);
  else if constexpr (kOp == Atomop::xor_)
    return wrap<T>(old ^ b);
  else if constexpr (kOp == Atomop::inc)
    return atom_inc(old, b);
  else if constexpr (kOp == Atomop::dec)
    return atom_dec(old, b);
  else if constexpr (kOp == Atomop::add)
    return atom_add(old, b, ftz);
  else if constexpr (std::integral<T>)
    return (old < b) == (kOp == Atomop::min) ? old : b;
  else
    return extreme_half < T, kOp == Atomop::max, false, false, false > (old, b);
}

/// Whether some form of atom or red has this operation on this type; `T` is unsigned for the bit
/// types.
template <Atomop kOp, class T>
inline constexpr bool kHasAtomForm =
    kOp == Atomop::inc || kOp == Atomop::dec ? std::is_same_v<T, u32>
    : kOp == Atomop::add                     ? !std::is_same_v<T, u16>
    : kOp == Atomop::min || kOp == Atomop::max
        ? !std::is_same_v<T, u16> && !std::is_floating_point_v<T>
        : std::unsigned_integral<T>;

/// The unsigned integer of that size, the type of the indivisible access.
template <std::size_t kBytes>
using AtomWord = std::conditional_t<kBytes == 2, u16, std::conditional_t<kBytes == 4, u32, u64>>;

}  // namespace heddle::sem
