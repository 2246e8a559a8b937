// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The result of multimem.ld_reduce for the values of all replicas (PTX ISA 9.7.9.14). The manual
// leaves the order open; Heddle combines the first value with the second, the result with the
// third, and so on. Each step is rounded to the accumulator's type: to nearest even, subnormals are
// kept, and large results of 8 bits saturate as in cvt. The accumulator has the type of the values,
// or that of `.acc`.
#pragma once

#include "isa/sem/atom.h"
#include "isa/sem/cvt_narrow.h"

namespace heddle::sem {

/// One number of 8 bits.
template <class F>
struct Small {
  using Format = F;
  u8 bits;
  constexpr bool operator==(const Small&) const = default;
};
using SmallE4m3 = Small<FormatE4m3>;
using SmallE5m2 = Small<FormatE5m2>;

template <class F>
constexpr f32 to_f32(Small<F> x) {
  return to_f32(from_small<F>(Flag::off, x.bits));
}

/// Exact where it widens; rounded where it narrows.
template <class To, class From>
constexpr To to_number(From x) {
  if constexpr (std::is_same_v<To, From>)
    return x;
  else if constexpr (std::is_same_v<To, f32>)
    return to_f32(x);
  else if constexpr (std::is_same_v<To, f16> || std::is_same_v<To, bf16>)
    return narrow<To>(to_number<f32>(x));
  else
    return To{static_cast<u8>(to_small<typename To::Format>(Flag::off, to_number<f32>(x)))};
}

template <Atomop kOp, class T>
constexpr T combine_replicas(T a, T b) {
  return atom_apply<kOp, T>(a, b);
}
/// f32 has more than twice the bits, so rounding twice gives the correctly rounded result.
template <Atomop kOp, class F>
constexpr Small<F> combine_replicas(Small<F> a, Small<F> b) {
  const f32 x = to_f32(a), y = to_f32(b);
  if constexpr (kOp == Atomop::add)
    return to_number<Small<F>>(x + y);
  else
    return to_number<Small<F>>(extreme_f32 < kOp == Atomop::max, false, false, false > (x, y));
}

/// T: the type in memory. A: the accumulator's type.
template <Atomop kOp, class T, class A>
constexpr T reduce_replicas(const T* values, u32 count) {
  A sum = to_number<A>(values[0]);
  for (u32 i = 1; i < count; ++i) sum = combine_replicas<kOp>(sum, to_number<A>(values[i]));
  return to_number<T>(sum);
}

}  // namespace heddle::sem
