// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Integer min and max (PTX ISA 9.7.1.12, 9.7.1.13).
#pragma once

#include "isa/sem/halves.h"
#include "isa/sem/types.h"

namespace heddle::sem {

template <class T>
constexpr T minimum(T a, T b) {
  return a < b ? a : b;
}
template <class T>
constexpr T maximum(T a, T b) {
  return a > b ? a : b;
}

constexpr s32 minimum_relu(s32 a, s32 b) { return maximum(minimum(a, b), 0); }
constexpr s32 maximum_relu(s32 a, s32 b) { return maximum(maximum(a, b), 0); }

constexpr u16x2 minimum_packed(u16x2 a, u16x2 b) { return map_halves(a, b, minimum<u16>); }
constexpr u16x2 maximum_packed(u16x2 a, u16x2 b) { return map_halves(a, b, maximum<u16>); }

template <bool relu>
constexpr s16x2 minimum_packed_relu(s16x2 a, s16x2 b) {
  const s16x2 result = map_halves(a, b, minimum<s16>);
  return relu ? map_halves(result, s16x2{0}, maximum<s16>) : result;
}
template <bool relu>
constexpr s16x2 maximum_packed_relu(s16x2 a, s16x2 b) {
  const s16x2 result = map_halves(a, b, maximum<s16>);
  return relu ? map_halves(result, s16x2{0}, maximum<s16>) : result;
}

}  // namespace heddle::sem
