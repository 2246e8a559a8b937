// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How the tensor cores of a device add products (docs/matrices.md). The numbers of a device come
// from its profile (machine/profile.h).
#pragma once

#include "base/types.h"

namespace heddle::isa {

/// One step of a matrix product: an accumulator and some products are added at once. Each addend
/// is truncated to a multiple of 2^(E - fraction_bits), where E is the largest exponent of an
/// addend that is not zero, and at least the floor of the result's type. The sum is exact. An f32
/// result is truncated, an f16 result rounded to nearest even.
struct SumRule {
  u8 products = 16;
  u8 fraction_bits = 25;
  s16 floor_f32 = -133, floor_f16 = -21;
  bool short_f32 = false;  ///< f32 results keep 13 fraction bits
  /// Nothing of this: each product is added by an FMA of f32, in ascending k (HEDDLE_MMA=ieee).
  bool ieee = false;
};

/// How mma.sync multiplies elements of 8 bits.
enum class NarrowProducts : u8 {
  native,   ///< by a rule of their own
  as_half,  ///< as f16: the k of which k % 4 is 0 or 1 first, then the others; C is added last
};

struct TensorCore {
  SumRule mma_f16;     ///< mma.sync and wmma of f16 and bf16
  SumRule mma_tf32;    ///< the same of tf32
  SumRule mma_narrow;  ///< mma.sync of 8 bits and less, not scaled
  NarrowProducts mma_narrow_products;
  SumRule mma_f16_quads;  ///< mma.m8n8k4 of f16
  SumRule wgmma_f16, wgmma_tf32, wgmma_narrow;
  SumRule tcgen05_f16, tcgen05_tf32, tcgen05_narrow;
  SumRule scaled_narrow;  ///< .kind::mxf8f6f4
  SumRule scaled_fp4;     ///< .kind::mxf4 and .kind::mxf4nvf4; a product is a sum over 16 elements
};

}  // namespace heddle::isa
