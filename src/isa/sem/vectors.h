// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Vectors of sixteen 32-bit lanes, for semantics that work on many values at once. Each CPU level
// makes its own instructions of them. Comparisons give lanes of all ones or zeros.
#pragma once

#include <cmath>
#include <cstring>

#include "isa/sem/float.h"

namespace heddle::sem {

/// Of functions that take and return vectors: their values stay in registers.
#define HEDDLE_INLINE [[gnu::always_inline]] inline

inline constexpr u32 kVectorLanes = 16;

// NOLINTBEGIN(readability-identifier-naming)
using u32x16 = u32 __attribute__((vector_size(64)));
using s32x16 = s32 __attribute__((vector_size(64)));
using u16x32 = u16 __attribute__((vector_size(64)));
using s16x32 = s16 __attribute__((vector_size(64)));
using u64x8 = u64 __attribute__((vector_size(64)));
using u64x4 = u64 __attribute__((vector_size(32)));
using f32x16 = float __attribute__((vector_size(64)));
using f64x8 = double __attribute__((vector_size(64)));
using s64x16 = s64 __attribute__((vector_size(128)));
using f64x16 = double __attribute__((vector_size(128)));
// The lanes of a warp.
using u32x32 = u32 __attribute__((vector_size(128)));
using s32x32 = s32 __attribute__((vector_size(128)));
using f32x32 = float __attribute__((vector_size(128)));
using f64x32 = double __attribute__((vector_size(256)));
// NOLINTEND(readability-identifier-naming)

/// The same bits.
template <class To, class From>
inline To as(From from) {
  static_assert(sizeof(To) == sizeof(From));
  return reinterpret_cast<To>(from);
}
/// Each lane converted; from floating point towards zero.
template <class To, class From>
inline To convert(From from) {
  return __builtin_convertvector(from, To);
}
template <class V>
inline V load(const void* from) {
  V value;
  std::memcpy(&value, from, sizeof value);
  return value;
}
template <class V>
inline void store(void* to, V value) {
  std::memcpy(to, &value, sizeof value);
}
/// a * b + c in each lane, rounded once.
inline f32x16 fused(f32x16 a, f32x16 b, f32x16 c) {
#if defined(__FMA__) && defined(__clang__)
  return __builtin_elementwise_fma(a, b, c);
#else
  for (u32 i = 0; i < kVectorLanes; ++i) c[i] = fused(a[i], b[i], c[i]);
  return c;
#endif
}
/// The greatest whole number at most x, in each lane.
template <class V>
inline V floor_of(V x) {
#if defined(__clang__)
  return __builtin_elementwise_floor(x);
#else
  for (u32 i = 0; i < sizeof(V) / sizeof(x[0]); ++i) x[i] = std::floor(x[i]);
  return x;
#endif
}
/// Where `mask`, lanes of all ones or zeros, is set, a.
template <class V, class Mask>
inline V select(Mask mask, V a, V b) {
  return as<V>((as<u32x16>(a) & as<u32x16>(mask)) | (as<u32x16>(b) & ~as<u32x16>(mask)));
}
template <class V>
inline V max(V a, V b) {
  return a > b ? a : b;
}
template <class V>
inline V min(V a, V b) {
  return a < b ? a : b;
}
template <class V>
inline bool any(V mask) {
  if constexpr (sizeof(V) > sizeof(u64x8)) {
    static_assert(sizeof(V) == 2 * sizeof(u64x8));
    u64x8 halves[2];
    std::memcpy(halves, &mask, sizeof mask);
    return any(halves[0] | halves[1]);
  } else {
    return any(as<u64x8>(mask));
  }
}
template <>
inline bool any(u64x8 all) {
  const u64x4 half =
      __builtin_shufflevector(all, all, 0, 1, 2, 3) | __builtin_shufflevector(all, all, 4, 5, 6, 7);
  return (half[0] | half[1] | half[2] | half[3]) != 0;
}

}  // namespace heddle::sem
