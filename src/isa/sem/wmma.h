// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// wmma.mma (PTX ISA 9.7.14.4.5): a product of fragments that consist of the tiles of mma
// (matrix_fragments.h). Whether A and B were loaded by rows or by columns does not matter any more.
#pragma once

#include "isa/sem/mma.h"

namespace heddle::sem {

inline constexpr u32 kMostAccumulators = 8;

/// Registers for the results of all tiles, because a tile's may be the operands of the next one.
class TileResults {
 public:
  TileResults() {
    for (u32 i = 0; i < kMostAccumulators; ++i) registers_[i] = values_[i];
  }
  Registers<u32> registers() { return registers_; }
  void give(WarpLanes who, u32 count, Registers<u32> d) const {
    for (u32 i = 0; i < count; ++i)
      store_lanes(d[i], load<u32x16>(values_[i]), load<u32x16>(values_[i] + kVectorLanes),
                  who.active);
  }

 private:
  alignas(64) u32 values_[kMostAccumulators][kWarpSize];
  u32* registers_[kMostAccumulators];
};

inline void wmma_float(const SumRule& rule, MatrixShape shape, const MatrixTypes& types,
                       WarpLanes who, Registers<const u32> a, Registers<const u32> b,
                       Registers<const u32> c, Registers<u32> d) {
  TileResults results;
  mma_float({rule}, shape, types, {who.members, ~0u}, {a, b, c, results.registers()});
  results.give(who, types.d == isa::Type::f16 ? kMostAccumulators / 2 : kMostAccumulators, d);
}

constexpr u32 finite_half(u32 bits) {
  const u32 magnitude = bits & 0x7fff;
  return magnitude > 0x7c00 ? 0 : magnitude == 0x7c00 ? bits - 1 : bits;
}
constexpr u32 finite_float(u32 bits) {
  const u32 magnitude = bits & 0x7fffffff;
  return magnitude > 0x7f800000 ? 0 : magnitude == 0x7f800000 ? bits - 1 : bits;
}

/// `satfinite` (until PTX 6.4): infinity becomes the largest number, NaN zero.
inline void wmma_f16(isa::MmaShape shape, isa::Type d_type, isa::Type c_type, Flag satfinite,
                     const isa::TensorCore& core, WarpLanes who, Registers<const u32> a,
                     Registers<const u32> b, Registers<const u32> c, Registers<u32> d) {
  constexpr isa::Type kType = isa::Type::f16;
  wmma_float(core.mma_f16, matrix_shape(shape), {kType, kType, c_type, d_type}, who, a, b, c, d);
  if (satfinite == Flag::off) return;
  for_each_lane(who.active, [&](u32 lane) {
    if (d_type == kType) {
      for (u32 i = 0; i < kMostAccumulators / 2; ++i)
        d[i][lane] = finite_half(d[i][lane] & 0xffff) | finite_half(d[i][lane] >> 16) << 16;
    } else {
      for (u32 i = 0; i < kMostAccumulators; ++i) d[i][lane] = finite_float(d[i][lane]);
    }
  });
}
inline void wmma_bf16(isa::MmaShape shape, const isa::TensorCore& core, WarpLanes who,
                      Registers<const u32> a, Registers<const u32> b, Registers<const u32> c,
                      Registers<u32> d) {
  constexpr isa::Type kType = isa::Type::bf16;
  wmma_float(core.mma_f16, matrix_shape(shape), {kType, kType, isa::Type::f32, isa::Type::f32}, who,
             a, b, c, d);
}
inline void wmma_tf32(const isa::TensorCore& core, WarpLanes who, Registers<const u32> a,
                      Registers<const u32> b, Registers<const u32> c, Registers<u32> d) {
  constexpr isa::Type kType = isa::Type::tf32;
  wmma_float(core.mma_tf32, {16, 16, 8}, {kType, kType, isa::Type::f32, isa::Type::f32}, who, a, b,
             c, d);
}

inline void wmma_integer(isa::MmaShape shape, isa::Type a_type, isa::Type b_type, Flag satfinite,
                         WarpLanes who, Registers<const u32> a, Registers<const u32> b,
                         Registers<const u32> c, Registers<u32> d) {
  TileResults results;
  multiply_integers(matrix_shape(shape), a_type, b_type, satfinite, {who.members, ~0u},
                    {a, b, c, results.registers()});
  results.give(who, kMostAccumulators, d);
}

// Of one tile.

inline void wmma_int4(isa::Type a_type, isa::Type b_type, Flag satfinite, WarpLanes who,
                      Registers<const u32> a, Registers<const u32> b, Registers<const u32> c,
                      Registers<u32> d) {
  multiply_integers({8, 8, 32}, a_type, b_type, satfinite, who, {a, b, c, d});
}
inline void wmma_bits(isa::Boolop op, WarpLanes who, Registers<const u32> a, Registers<const u32> b,
                      Registers<const u32> c, Registers<u32> d) {
  mma_bits(isa::MmaShape::m8n8k128, op, who, a, b, c, d);
}
template <isa::Rnd kRnd>
inline void wmma_f64(WarpLanes who, Registers<const f64> a, Registers<const f64> b,
                     Registers<const f64> c, Registers<f64> d) {
  mma_f64<kRnd>(isa::MmaShape::m8n8k4, who, a, b, c, d);
}

}  // namespace heddle::sem
