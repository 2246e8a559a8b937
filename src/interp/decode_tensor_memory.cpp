// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tensor memory (PTX ISA 9.7.16.7 to 9.7.16.9, 9.7.16.12).
#include "interp/decoder.h"
#include "interp/tensor_memory_ops.h"
#include "interp/tensor_product_ops.h"
#include "isa/groups.h"

namespace heddle::interp {

/// Whether the operation is one of both CTAs of a pair.
bool Decoder::is_of_pair() const {
  return slot("cta_group") == static_cast<u8>(sem::CtaGroup::cta_group_2);
}

/// An instruction of a whole warp (`.sync`), which may be one of both CTAs of a pair.
Op& Decoder::warp_operation(Handler run, std::vector<Place> registers) {
  Op& op = warp_access(run, std::move(registers));
  op.function = code_.id.value;
  op.runtime[0] = is_of_pair();
  return op;
}

void Decoder::tensor_alloc() {
  const Place to = host_address(operand("dst"), 4);
  const Place columns = source(operand("columns"));
  Op& op = warp_operation(&interp::tensor_allocate);
  op.src[0] = to;
  op.src[1] = columns;
}

void Decoder::tensor_dealloc() {
  const Place from = source(operand("t"));
  const Place columns = source(operand("columns"));
  Op& op = warp_operation(&interp::tensor_free);
  op.src[0] = from;
  op.src[1] = columns;
}

void Decoder::tensor_relinquish() { warp_operation(&interp::tensor_relinquish); }

/// An access at the address in tensor memory that `t` names.
Op& Decoder::tensor_access(Handler run) {
  const Operand& t = operand("t");
  const auto base = address_base(t);
  Op& op = emit_guarded(run);
  address(t, op, base);
  op.runtime[0] = is_of_pair();
  return op;
}

Op& Decoder::tensor_fragment(Handler run, std::vector<Place> list) {
  Operand distance = operand("split");
  distance.type = Type::u32;
  const Place split = source(distance);
  const Operand& t = operand("t");
  const auto base = address_base(t);
  Op& op = warp_operation(run, std::move(list));
  address(t, op, base);
  op.src[1] = split;
  op.runtime[0] = slot("tmem_shape");
  op.runtime[1] = has("pack::16b") || has("unpack::16b");
  return op;
}

void Decoder::tensor_load() {
  std::vector<Target> targets = targets_of(operand("d"));
  std::vector<Place> list = places_of(targets);
  const bool reduces = has("tmem_reduction");
  if (reduces) targets.push_back(target(operand("d_reduced")));
  Op& op = tensor_fragment(reduces ? &interp::tensor_load_reduce : &interp::tensor_load,
                           std::move(list));
  if (reduces) {
    op.dst[0] = targets.back().place;
    op.runtime[2] = slot("tmem_reduction");
    op.runtime[3] = has("abs");
    op.runtime[4] = has("NaN");
    op.runtime[5] = slot("T");
  }
  for (const Target& target : targets) finish(target);
}

void Decoder::tensor_store() { tensor_fragment(&interp::tensor_store, sources_of(operand("a"))); }

void Decoder::tensor_copy() {
  const Place source = this->source(operand("source"));
  Op& op = tensor_access(&interp::tensor_copy);
  op.src[1] = source;
  op.runtime[1] = slot("tmem_copy");
  op.runtime[2] = slot("tmem_multicast");
  op.runtime[3] = slot("tmem_source");
}

void Decoder::tensor_shift() { tensor_access(&interp::tensor_shift); }

/// tcgen05.mma: see TensorProductOperands.
Op& Decoder::tensor_product() {
  using Operands = TensorProductOperands;
  std::vector<Place> list(2 * std::size_t{Operands::count}, constant(0, sizeof(u64)));
  std::fill(list.begin() + kTensorOffsets, list.end(), 0);
  const auto number = [&](u32 index, const Operand& operand) {
    if (operand.kind != OperandKind::none) list[index] = source(operand);
  };
  /// An address in tensor memory: a register, and what is added.
  const auto address = [&](u32 index, const Operand& operand) {
    if (operand.kind == OperandKind::none) return;
    Operand base = operand;
    if (operand.kind == OperandKind::reg) {
      base.is_address = false, base.value = 0;
      list[kTensorOffsets + index] = static_cast<Place>(operand.value);
    }
    base.type = Type::b32;
    list[index] = source(base);
  };
  const bool a_in_tensor = operand("a").is_address;
  address(Operands::d, operand("d"));
  a_in_tensor ? address(Operands::a, operand("a")) : number(Operands::a, operand("a"));
  number(Operands::b, operand("b"));
  address(Operands::metadata, operand("meta"));
  number(Operands::descriptor, operand("idesc"));
  number(Operands::accumulate, operand("accumulate"));
  number(Operands::scale_d, operand("scale"));
  address(Operands::scale_a, operand("scale_a"));
  address(Operands::scale_b, operand("scale_b"));
  number(Operands::zero_columns, operand("zero_columns"));
  u32 next = Operands::disabled;
  if (operand("lanes").kind != OperandKind::none) {
    for (const Operand& element : elements(operand("lanes"))) number(next++, element);
  }
  const auto scale = static_cast<sem::Tcgen05ScaleVec>(slot("tcgen05_scale_vec"));
  const bool by_16 =
      scale == sem::Tcgen05ScaleVec::scale_vec_4X || scale == sem::Tcgen05ScaleVec::block16;
  Op& op = emit_guarded(&interp::tensor_multiply);
  op.list = builder_.keep(std::move(list));
  op.runtime[0] = is_of_pair();
  op.runtime[1] = slot("tcgen05_kind");
  op.runtime[2] = by_16 ? 16 : 32;
  op.flags = static_cast<u8>((has("sp") ? kSparseA : 0) | (a_in_tensor ? kAInTensorMemory : 0) |
                             (has("ashift") ? kShiftsA : 0));
  return op;
}

void Decoder::tensor_multiply() { tensor_product(); }
void Decoder::tensor_multiply_ws() { tensor_product().flags |= kWeightStationary; }

void Decoder::tensor_commit() {
  const Operand& mask = operand("mask");
  const bool to_ranks = has("multicast::cluster");
  const Place object = host_address(operand("mbar"), 8);
  const Place bits = to_ranks ? source(mask) : 0;
  Op& op = emit_guarded(&interp::tensor_commit);
  op.src[0] = object;
  op.src[1] = bits;
  op.flags = to_ranks ? kToRanks : 0;
}

}  // namespace heddle::interp
