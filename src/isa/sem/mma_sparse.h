// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// mma.sync with a sparse A (PTX ISA 9.7.14.6): the dense product of A with its zeros.
#pragma once

#include "isa/sem/mma.h"

namespace heddle::sem {

/// SparseA::unit of a type.
inline u32 sparse_unit(isa::Type type) {
  return type == isa::Type::f16 || type == isa::Type::bf16 || type == isa::Type::tf32 ? 16 : 8;
}
inline SparseA sparsity_of(isa::Type type, Registers<const u32> metadata,
                           Registers<const u32> selector) {
  return {metadata[0], selector[0][0], sparse_unit(type)};
}

template <u32 kK>
inline void mma_sp_f16(isa::Type d_type, isa::Type c_type, const isa::TensorCore& core,
                       WarpLanes who, Registers<const u32> a, Registers<const u32> b,
                       Registers<const u32> c, Registers<const u32> e, Registers<const u32> f,
                       Registers<u32> d) {
  constexpr isa::Type kType = isa::Type::f16;
  mma_float({core.mma_f16}, {16, 8, kK}, {kType, kType, c_type, d_type}, who, {a, b, c, d},
            sparsity_of(kType, e, f));
}
/// bf16 and tf32.
template <isa::Type kType, u32 kK>
inline void mma_sp_f32(const isa::TensorCore& core, WarpLanes who, Registers<const u32> a,
                       Registers<const u32> b, Registers<const u32> c, Registers<const u32> e,
                       Registers<const u32> f, Registers<u32> d) {
  mma_float({f32_rule(core, kType)}, {16, 8, kK}, {kType, kType, isa::Type::f32, isa::Type::f32},
            who, {a, b, c, d}, sparsity_of(kType, e, f));
}
inline void mma_sp_narrow(isa::Type d_type, isa::Type a_type, isa::Type b_type, isa::Type c_type,
                          const isa::TensorCore& core, WarpLanes who, Registers<const u32> a,
                          Registers<const u32> b, Registers<const u32> c, Registers<const u32> e,
                          Registers<const u32> f, Registers<u32> d) {
  mma_float({core.mma_narrow, core.mma_narrow_products}, {16, 8, 64},
            {a_type, b_type, c_type, d_type}, who, {a, b, c, d}, sparsity_of(a_type, e, f));
}
template <u32 kK>
inline void mma_sp_integer(isa::Type a_type, isa::Type b_type, Flag satfinite, WarpLanes who,
                           Registers<const u32> a, Registers<const u32> b, Registers<const u32> c,
                           Registers<const u32> e, Registers<const u32> f, Registers<u32> d) {
  multiply_integers({16, 8, kK}, a_type, b_type, satfinite, who, {a, b, c, d},
                    sparsity_of(a_type, e, f));
}
inline void mma_sp_scaled(isa::Type a_type, isa::Type b_type, const isa::TensorCore& core,
                          WarpLanes who, Registers<const u32> a, Registers<const u32> b,
                          Registers<const u32> c, Registers<const u32> e, Registers<const u32> f,
                          Registers<const u32> scale_a, Registers<const u16> select_a,
                          Registers<const u32> scale_b, Registers<const u16> select_b,
                          Registers<u32> d) {
  multiply_scaled(core.scaled_narrow, {16, 8, 64}, a_type, b_type, who, {a, b, c, d},
                  {scale_a[0], select_a[0][0], select_a[1][0]},
                  {scale_b[0], select_b[0][0], select_b[1][0]}, sparsity_of(a_type, e, f));
}
template <u32 kChunks>
inline void mma_sp_fp4(isa::Type scale_type, const isa::TensorCore& core, WarpLanes who,
                       Registers<const u32> a, Registers<const u32> b, Registers<const u32> c,
                       Registers<const u32> e, Registers<const u32> f, Registers<const u32> scale_a,
                       Registers<const u16> select_a, Registers<const u32> scale_b,
                       Registers<const u16> select_b, Registers<u32> d) {
  multiply_fp4(core.scaled_fp4, 128, kChunks, scale_type, who, {a, b, c, d},
               {scale_a[0], select_a[0][0], select_a[1][0]},
               {scale_b[0], select_b[0][0], select_b[1][0]}, sparsity_of(isa::Type::e2m1, e, f));
}
inline void mma_sp_fp4_pairs(const isa::TensorCore& core, WarpLanes who, Registers<const u32> a,
                             Registers<const u32> b, Registers<const u32> c, Registers<const u32> e,
                             Registers<const u32> f, Registers<const u32> scale_a,
                             Registers<const u16> select_a, Registers<const u32> scale_b,
                             Registers<const u16> select_b, Registers<u32> d) {
  mma_sp_fp4<2>(isa::Type::ue8m0, core, who, a, b, c, e, f, scale_a, select_a, scale_b, select_b,
                d);
}

}  // namespace heddle::sem
