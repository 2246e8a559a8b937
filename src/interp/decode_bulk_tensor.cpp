// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Copies and reductions of boxes of tensors, and tensormap.replace (PTX ISA 9.7.9.27.1, 9.7.9.28).
#include <algorithm>

#include "interp/bulk_tensor_ops.h"
#include "interp/decoder.h"
#include "isa/sem/tensor_box.h"

namespace heddle::interp {

/// `shared`: the box in shared memory; none: the instruction has none.
Op& Decoder::bulk_tensor(Handler run, const Operand* shared) {
  const Place map = host_address(operand("map"));
  std::vector<Place> list;
  for (const Operand& one : elements(operand("coords"))) list.push_back(source(one));
  const std::size_t coordinates = list.size();
  const Operand& info = operand("info");
  if (info.kind != OperandKind::none) {
    for (const Operand& one : elements(info)) list.push_back(source(one));
  }
  const Place box = shared ? host_address(*shared) : 0;
  Op& op = emit_guarded(run);
  op.src[0] = map;
  op.src[1] = box;
  op.count = static_cast<u8>(coordinates);
  op.list = builder_.keep(std::move(list));
  op.runtime[0] = slot("load_mode");
  op.runtime[1] = slot("tensor_dim");  // .1d is 1
  op.runtime[2] = slot("atomop");
  return op;
}

void Decoder::bulk_tensor_load() {
  const Operand& to = operand("dst");
  const Operand& mask = operand("mask");
  const Place object = host_address(operand("mbar"), 8);
  const Place ranks = mask.kind == OperandKind::none ? 0 : source(mask);
  Op& op = bulk_tensor(&interp::bulk_tensor_load, &to);
  op.src[2] = object;
  op.src[3] = ranks;
  op.flags = static_cast<u8>((has("multicast::cluster") ? kToRanksOfMask : 0) |
                             (space_of(to) == "shared::cta" ? kToOwnWindow : 0) |
                             (is_of_pair() ? kSignalsPair : 0));
}
void Decoder::bulk_tensor_store() {
  constexpr isa::Target kShortRows{103, 'a'};
  Op& op = bulk_tensor(&interp::bulk_tensor_store, &operand("src"));
  if (std::ranges::count(builder_.loaded.module().targets, kShortRows))
    op.runtime[kLimits] = static_cast<u8>(sem::TensorLimits::stores_of_sm_103a);
}
void Decoder::bulk_tensor_reduce() { bulk_tensor(&interp::bulk_tensor_reduce, &operand("src")); }
void Decoder::bulk_tensor_prefetch() { bulk_tensor(&interp::bulk_tensor_prefetch, nullptr); }

/// Compilers have written strides in bytes since CUDA 12.5, and in units of 16 bytes before. That
/// toolkit's PTX has version 8.5; so has PTX of Triton that still writes units.
void Decoder::tensormap_replace() {
  constexpr isa::PtxVersion kBytesOrUnits{8, 5};
  const auto field = static_cast<isa::MapField>(slot("map_field"));
  const Operand& ordinal = operand("ordinal");
  const Operand& value = operand("b");
  const Place map = host_address(operand("a"));
  const Place to = source(value);
  Op& op = emit_guarded(&interp::tensormap_replace);
  op.src[0] = map;
  op.src[1] = to;
  op.runtime[0] = static_cast<u8>(field);
  op.runtime[1] = ordinal.kind == OperandKind::none ? 0 : static_cast<u8>(ordinal.value);
  if (place_bytes(value.type) == 8) op.flags |= kWideValue;
  if (field != isa::MapField::global_stride) return;
  const isa::PtxVersion version = builder_.loaded.module().version;
  if (version < kBytesOrUnits) op.flags |= kStrideInUnits;
  if (version == kBytesOrUnits) op.flags |= kStrideMayBeInUnits;
}

}  // namespace heddle::interp
