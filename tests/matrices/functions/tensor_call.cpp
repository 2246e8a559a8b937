// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// tcgen05.mma by one CTA, with A and B in shared memory (PTX
// ISA 9.7.16.4.1, 9.7.16.4.2, 9.7.16.10.5).
#include <algorithm>

#include "call.h"
#include "isa/tensor_product.h"
#include "shared_matrix.h"

namespace heddle::matrices {
namespace {

constexpr u32 kScaleA = 256, kScaleB = 272;  // columns of tensor memory

isa::Tcgen05Kind kind_of(const Instruction& i) {
  using enum isa::Tcgen05Kind;
  if (i.kind == "f16") return kind_f16;
  if (i.kind == "tf32") return kind_tf32;
  if (i.kind == "i8") return kind_i8;
  if (i.kind == "f8f6f4") return kind_f8f6f4;
  if (i.kind == "mxf8f6f4") return kind_mxf8f6f4;
  return i.kind == "mxf4" ? kind_mxf4 : kind_mxf4nvf4;
}

/// The code of a type of A or B in the instruction descriptor.
u32 code_of(isa::Type type) {
  switch (type) {
    case isa::Type::bf16:
    case isa::Type::s8:
    case isa::Type::e5m2:
    case isa::Type::e2m1:  // of kinds with this type only
      return 1;
    case isa::Type::tf32:
      return 2;
    default:
      return 0;
  }
}

u32 descriptor_of(const Instruction& i) {
  const u32 types = code_of(i.a) << 7 | code_of(i.b) << 10 | i.n / 8 << 17;
  if (i.scales != 0) return types | (i.scale == isa::Type::ue8m0 ? 1u : 0u) << 23 | i.m / 128 << 27;
  const u32 of_d = i.d == isa::Type::f16 ? 0 : i.d == isa::Type::f32 ? 1 : 2;
  return types | of_d << 4 | (i.saturates ? 1u : 0u) << 3 | i.m / 16 << 24;
}

/// Layouts D and F.
u32 lane_of(const Instruction& i, u32 row) { return i.m == 64 ? row / 16 * 32 + row % 16 : row; }

}  // namespace

std::optional<std::vector<Caller::Result>> call_tensor(const Instruction& i,
                                                       const isa::TensorCore& core,
                                                       const Operands& of, Random& random) {
  std::vector<u8> shared;
  append_matrix(of.a, i.k, i.bits_of_a(), shared);
  const std::size_t b = shared.size();
  append_matrix(of.b, i.k, i.bits_of_b(), shared);
  std::vector<u32> tensor(isa::kTensorColumns * isa::kTensorLanes);
  const auto word = [&](u32 lane, u32 column) -> u32& {
    return tensor[column * isa::kTensorLanes + lane];
  };
  for (u32& one : tensor) one = static_cast<u32>(random());
  for (u32 m = 0; m < i.m; ++m)
    for (u32 n = 0; n < i.n; ++n) word(lane_of(i, m), n) = static_cast<u32>(of.c[m * i.n + n]);
  const auto put_factors = [&](const std::vector<u64>& factors, u32 column) {
    for (u32 at = 0; at < factors.size(); ++at) {
      const u32 line = at / i.scales, bit = at % i.scales * 8;
      u32& to = word(line % 32, column + line / 32);
      to = (to & ~(255u << bit)) | static_cast<u32>(factors[at]) << bit;
    }
  };
  put_factors(of.scale_a, kScaleA);
  put_factors(of.scale_b, kScaleB);

  constexpr u64 kFixedBits = u64{1} << 46;
  isa::TensorProduct product;
  product.kind = kind_of(i);
  product.descriptor = descriptor_of(i);
  product.a = matrix_descriptor(0) | kFixedBits;
  product.b = matrix_descriptor(b) | kFixedBits;
  product.scale_a = kScaleA, product.scale_b = kScaleB;
  product.scale_block = i.scales == 0 ? 32 : i.k / i.scales;
  product.accumulates = true;
  product.shared[0] = shared.data();
  product.shared_bytes = static_cast<u32>(shared.size());
  product.tensor[0] = tensor.data();
  product.allocated[0] = 0xffff;
  if (random() % 4 == 0)
    for (u32& lanes : product.disabled) lanes = static_cast<u32>(random());
  const std::vector<u32> before = tensor;
  if (machine::multiply(product, core).kind != isa::ProductFault::Kind::none) return std::nullopt;

  std::vector<Caller::Result> results;
  const u64 mask = ~u64{0} >> (64 - isa::type_info(i.d).bits);
  for (u32 m = 0; m < i.m; ++m) {
    const u32 lane = lane_of(i, m);
    const bool disabled = (product.disabled[lane / 32] >> (lane % 32) & 1) != 0;
    for (u32 n = 0; n < i.n; ++n) {
      const u32 at = n * isa::kTensorLanes + lane;
      if (!disabled)
        results.push_back({0, m, n, tensor[at] & mask});
      else if (tensor[at] != before[at])
        return std::nullopt;
    }
  }
  return results;
}

}  // namespace heddle::matrices
