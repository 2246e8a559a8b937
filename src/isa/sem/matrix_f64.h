// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Products of matrices of f64 (PTX ISA 9.7.14.5.14). They are computed where the fragments lie
// (matrix_fragments.h): lane 4 * g + j of a register has k j of row g of A or column g of B, and
// columns 2 * j and 2 * j + 1 of row g of the accumulator are two registers.
#pragma once

#include "isa/groups.h"
#include "isa/sem/float_arith.h"
#include "isa/sem/lanes.h"
#include "isa/sem/vectors.h"

namespace heddle::sem {

/// A register of f64, eight lanes in a vector.
struct WideRegister {
  f64x8 lanes[kWarpSize / 8];

  static WideRegister load(const f64* from) {
    WideRegister all;
    for (u32 i = 0; i < std::size(all.lanes); ++i) all.lanes[i] = sem::load<f64x8>(from + 8 * i);
    return all;
  }
};

/// For each k of a register of B, and each register of the accumulator: the elements of columns
/// 2 * j + i in lanes 4 * g + j.
struct ColumnsOfWide {
  f64x8 values[4][2];

  explicit ColumnsOfWide(const WideRegister& b) {
    const auto even = [](f64x8 x, f64x8 y) {
      return __builtin_shufflevector(x, y, 0, 8, 2, 10, 4, 12, 6, 14);
    };
    const auto odd = [](f64x8 x, f64x8 y) {
      return __builtin_shufflevector(x, y, 1, 9, 3, 11, 5, 13, 7, 15);
    };
    const auto pair = [&]<int kPair>(u32 k, f64x8 low, f64x8 high) {
      constexpr int kAt = 2 * kPair;
      values[k][kPair / 2] = __builtin_shufflevector(low, high, kAt, kAt + 1, kAt + 8, kAt + 9, kAt,
                                                     kAt + 1, kAt + 8, kAt + 9);
    };
    /// k and k + 2 of all columns.
    const auto spread = [&](u32 k, f64x8 low, f64x8 high) {
      pair.template operator()<0>(k, low, high);
      pair.template operator()<1>(k + 2, low, high);
      pair.template operator()<2>(k, low, high);
      pair.template operator()<3>(k + 2, low, high);
    };
    spread(0, even(b.lanes[0], b.lanes[1]), even(b.lanes[2], b.lanes[3]));
    spread(1, odd(b.lanes[0], b.lanes[1]), odd(b.lanes[2], b.lanes[3]));
  }
};

template <isa::Rnd kRnd>
inline f64x8 fused(f64x8 a, f64x8 b, f64x8 c) {
  f64x8 sum = c;
  for (u32 i = 0; i < 8; ++i) {
    if constexpr (kRnd == isa::Rnd::none || kRnd == isa::Rnd::rn)
      sum[i] = fused(a[i], b[i], c[i]);
    else
      sum[i] = fma_f64_directed(kRnd, a[i], b[i], c[i]);
  }
  return sum;
}

/// Adds the products of eight rows and columns and four k, in ascending k.
template <isa::Rnd kRnd>
inline void add_products(const WideRegister& a, const ColumnsOfWide& b, WideRegister (&sums)[2]) {
  for (u32 i = 0; i < std::size(a.lanes); ++i) {
    const f64x8 v = a.lanes[i];
    const f64x8 rows[] = {__builtin_shufflevector(v, v, 0, 0, 0, 0, 4, 4, 4, 4),
                          __builtin_shufflevector(v, v, 1, 1, 1, 1, 5, 5, 5, 5),
                          __builtin_shufflevector(v, v, 2, 2, 2, 2, 6, 6, 6, 6),
                          __builtin_shufflevector(v, v, 3, 3, 3, 3, 7, 7, 7, 7)};
    for (u32 k = 0; k < 4; ++k) {
      for (u32 part = 0; part < 2; ++part) {
        f64x8& sum = sums[part].lanes[i];
        sum = fused<kRnd>(rows[k], b.values[k][part], sum);
      }
    }
  }
}

/// Multiplies and adds in ascending k, rounding each time. A has `kBlocks` blocks of eight rows and
/// `groups` groups of four k.
template <isa::Rnd kRnd, u32 kBlocks>
inline void multiply_wide(u32 groups, WarpLanes who, Registers<const f64> a, Registers<const f64> b,
                          Registers<const f64> c, Registers<f64> d) {
  WideRegister sums[kBlocks][2];
  for (u32 i = 0; i < 2 * kBlocks; ++i) sums[i / 2][i % 2] = WideRegister::load(c[i]);
  for (u32 group = 0; group < groups; ++group) {
    const ColumnsOfWide columns(WideRegister::load(b[group]));
    for (u32 block = 0; block < kBlocks; ++block) {
      add_products<kRnd>(WideRegister::load(a[group * kBlocks + block]), columns, sums[block]);
    }
  }
  const f64x8 nan = f64x8{} + as_f64(0x7fffffffffffffff);
  for (u32 i = 0; i < 2 * kBlocks; ++i) {
    for (u32 part = 0; part < kWarpSize / 8; ++part) {
      const f64x8 sum = sums[i / 2][i % 2].lanes[part];
      const f64x8 result = sum == sum ? sum : nan;
      f64* const to = d[i] + 8 * part;
      if (who.active == ~u32{0})
        store(to, result);
      else
        for_each_lane(who.active >> (8 * part) & 0xff, [&](u32 lane) { to[lane] = result[lane]; });
    }
  }
}

}  // namespace heddle::sem
