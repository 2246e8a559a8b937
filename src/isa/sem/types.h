// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Scalar types that instruction semantics compute with. The integer types and f32/f64 are C++'s
// own; formats that C++ lacks are structs around their bits, so that confusing two formats is a
// compile error. Freestanding: both engines include this.
#pragma once

#include <bit>
#include <concepts>
#include <type_traits>

#include "base/types.h"

namespace heddle::sem {

using f32 = float;
using f64 = double;

// The names of PTX.
// NOLINTBEGIN(readability-identifier-naming)
struct f16 {
  u16 bits;
  constexpr bool operator==(const f16&) const = default;
};
struct bf16 {
  u16 bits;
  constexpr bool operator==(const bf16&) const = default;
};
struct tf32 {
  u32 bits;
  constexpr bool operator==(const tf32&) const = default;
};
struct b128 {
  u64 lo, hi;
  constexpr bool operator==(const b128&) const = default;
};

// Packed types: element 0 in the low bits.
struct f16x2 {
  u32 bits;
  constexpr bool operator==(const f16x2&) const = default;
};
struct bf16x2 {
  u32 bits;
  constexpr bool operator==(const bf16x2&) const = default;
};
struct f32x2 {
  u64 bits;
  constexpr bool operator==(const f32x2&) const = default;
};
struct u16x2 {
  u32 bits;
  constexpr bool operator==(const u16x2&) const = default;
};
struct s16x2 {
  u32 bits;
  constexpr bool operator==(const s16x2&) const = default;
};
// NOLINTEND(readability-identifier-naming)

/// Two destinations: `d|p`, or a result and the carry-out.
template <class A, class B>
struct Two {
  A first;
  B second;
};

/// A flag passed at run time (`{.ftz}` in the `( )` of a `sem`).
enum class Flag : u8 { off, on };

template <class T>
using unsigned_of = std::make_unsigned_t<T>;
template <class T>
using signed_of = std::make_signed_t<T>;

/// The value modulo 2^width: for unsigned arithmetic without integer promotion or signed overflow.
template <std::integral T>
constexpr auto to_unsigned(T value) {
  return static_cast<std::conditional_t<(sizeof(T) < 4), u32, unsigned_of<T>>>(value);
}
template <std::integral T, std::integral V>
constexpr T wrap(V value) {
  return static_cast<T>(static_cast<unsigned_of<T>>(value));
}

constexpr u32 bits_of(f32 value) { return std::bit_cast<u32>(value); }
constexpr u64 bits_of(f64 value) { return std::bit_cast<u64>(value); }
constexpr f32 as_f32(u32 bits) { return std::bit_cast<f32>(bits); }
constexpr f64 as_f64(u64 bits) { return std::bit_cast<f64>(bits); }

}  // namespace heddle::sem
