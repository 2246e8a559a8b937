// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "interp/tensor_product_ops.h"

#include <fmt/format.h>

#include "interp/tensor_memory_ops.h"
#include "interp/windows.h"
#include "isa/sem/tensor_product_shape.h"
#include "machine/tensor_memory.h"
#include "machine/warp_functions.h"

namespace heddle::interp {

using isa::ProductFault;
using isa::TensorProduct;
using Operands = TensorProductOperands;

namespace {

template <class T>
T operand(const Warp& warp, const Op& op, u32 index, u32 lane) {
  return warp.at<const T>(op.list[index])[lane];
}
u32 address(const Warp& warp, const Op& op, u32 index, u32 lane) {
  return operand<u32>(warp, op, index, lane) + static_cast<u32>(op.list[kTensorOffsets + index]);
}

TensorProduct product_of(const Warp& warp, const Op& op, u32 lane) {
  TensorProduct product;
  product.kind = static_cast<isa::Tcgen05Kind>(op.runtime[1]);
  product.sparse = (op.flags & kSparseA) != 0;
  product.weight_stationary = (op.flags & kWeightStationary) != 0;
  product.descriptor = operand<u32>(warp, op, Operands::descriptor, lane);
  product.d = address(warp, op, Operands::d, lane);
  product.a_in_tensor = (op.flags & kAInTensorMemory) != 0;
  product.a = product.a_in_tensor ? address(warp, op, Operands::a, lane)
                                  : operand<u64>(warp, op, Operands::a, lane);
  product.shifts_a = (op.flags & kShiftsA) != 0;
  product.b = operand<u64>(warp, op, Operands::b, lane);
  product.metadata = address(warp, op, Operands::metadata, lane);
  product.scale_a = address(warp, op, Operands::scale_a, lane);
  product.scale_b = address(warp, op, Operands::scale_b, lane);
  product.scale_block = op.runtime[2];
  product.accumulates = (operand<u32>(warp, op, Operands::accumulate, 0) >> lane & 1) != 0;
  product.scale_d = operand<u32>(warp, op, Operands::scale_d, lane);
  for (u32 i = 0; i < std::size(product.disabled); ++i)
    product.disabled[i] = operand<u32>(warp, op, Operands::disabled + i, lane);
  if (product.weight_stationary) {
    const u64 mask = operand<u64>(warp, op, Operands::zero_columns, lane);
    const u32 m = (product.descriptor >> 24 & 31) * 16, n = (product.descriptor >> 17 & 63) * 8;
    if (m != 0 && n <= isa::kMostProductColumns)
      product.zero_columns = isa::zero_columns(mask, n, std::max(128 / m, 1u));
    product.column_shift = static_cast<u32>(mask >> 56 & 63);
  }
  return product;
}

std::string describe(const ProductFault& fault, const TensorProduct& product, const Warp& warp) {
  switch (fault.kind) {
    case ProductFault::Kind::m:
      return fmt::format("M is {} in the instruction descriptor, must be {} here", fault.address,
                         sem::legal_m(product).words);
    case ProductFault::Kind::n:
      return fmt::format("N is {} in the instruction descriptor, must be {} here", fault.address,
                         sem::legal_n(product).words);
    case ProductFault::Kind::shared:
      return fmt::format("an operand lies at offset {} of shared memory, which has {} bytes",
                         fault.address, warp.shared_size);
    default:
      return describe_missing(machine::TensorAddress::of(fault.address));
  }
}

void check_matrices(Warp& warp, u32 lane, const TensorProduct& product) {
  const auto major = [&](u32 bit) {
    return product.descriptor >> bit & 1 ? sem::Major::mn : sem::Major::k;
  };
  if (!product.a_in_tensor) check_descriptor(warp, lane, product.a, major(15));
  check_descriptor(warp, lane, product.b, major(16));
}

/// Traps unless D, and A if it is in tensor memory, begin at a legal lane (9.7.16.10.5): 0, or 16
/// where a layout has half of the lanes. `.ashift` needs all of them (9.7.16.10.9.1).
void check_lanes(Warp& warp, u32 lane, const TensorProduct& product) {
  const u32 m = (product.descriptor >> 24 & 31) * 16;
  const bool halves =
      m == 64 * product.ctas && !product.weight_stationary && (product.ctas == 1 || product.sparse);
  const u32 of_d = machine::TensorAddress::of(product.d).lane;
  if (of_d != 0 && !(halves && of_d == 16))
    refuse_tensor(warp, lane,
                  fmt::format("D begins at lane {} of tensor memory, must be {}", of_d,
                              halves ? "0 or 16" : "0"));
  if (!product.a_in_tensor) return;
  const u32 of_a = machine::TensorAddress::of(static_cast<u32>(product.a)).lane;
  if (of_a != of_d)
    refuse_tensor(warp, lane,
                  fmt::format("A begins at lane {} of tensor memory, D at lane {}", of_a, of_d));
  if (product.shifts_a && m < 128)
    refuse_tensor(warp, lane, fmt::format("`.ashift` needs an M of 128 or 256, and M is {}", m));
}

void multiply(Warp& warp, const Op& op, u32 lane) {
  TensorProduct product = product_of(warp, op, lane);
  const u32 own = rank_of(warp);
  product.ctas = op.runtime[0] ? 2 : 1;
  if (product.ctas == 2) peer_of(warp, lane);  // there must be one
  check_matrices(warp, lane, product);
  check_lanes(warp, lane, product);
  product.shared_bytes = static_cast<u32>(warp.shared_size);
  for (u32 i = 0; i < product.ctas; ++i) {
    const u32 rank = product.ctas == 2 ? (own & ~1u) + i : own;
    machine::TensorMemory& memory = warp.tensor_memory->of(rank);
    product.allocated[i] = memory.allocated_units();
    product.tensor[i] = product.allocated[i] ? memory.column(0) : nullptr;
    product.shared[i] =
        reinterpret_cast<const u8*>(warp.cluster_base + u64{rank} * machine::kSharedSlot);
  }
  const ProductFault fault = machine::multiply(product, *warp.tensor_core);
  if (fault.kind != ProductFault::Kind::none)
    refuse_tensor(warp, lane, describe(fault, product, warp));
}

}  // namespace

void tensor_multiply(Warp& warp, const Op& op) {
  for_lane_by_lane(warp, [&](u32 lane) { multiply(warp, op, lane); });
}

}  // namespace heddle::interp
