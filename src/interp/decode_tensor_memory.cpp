// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tensor memory (PTX ISA 9.7.16.7 to 9.7.16.9, 9.7.16.12).
#include "interp/decoder.h"
#include "interp/tensor_memory_ops.h"
#include "isa/groups.h"

namespace heddle::interp {

/// Whether the operation is one of both CTAs of a pair.
bool Decoder::is_of_pair() const {
  return slot("cta_group") == static_cast<u8>(sem::CtaGroup::cta_group_2);
}

/// An operation that a warp executes once. Threads of it that have not come yet are waited for.
Op& Decoder::warp_operation(Handler run) {
  const Place all = constant(kAllLanes, 4);
  Op& op = emit_control(Control::warp_op);
  op.run = run;
  op.members = all;
  op.function = code_.id.value;
  op.runtime[0] = is_of_pair();
  op.flags = kMembers;
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
  Op& op = tensor_access(run);
  op.src[1] = split;
  op.runtime[0] = slot("tmem_shape");
  op.runtime[1] = has("pack::16b") || has("unpack::16b");
  op.count = static_cast<u8>(list.size());
  op.list = builder_.keep(std::move(list));
  return op;
}

void Decoder::tensor_load() {
  std::vector<Place> list;
  std::vector<Target> targets;
  for (const Operand& element : elements(operand("d"))) {
    targets.push_back(target(element));
    list.push_back(targets.back().place);
  }
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

void Decoder::tensor_store() {
  std::vector<Place> list;
  for (const Operand& element : elements(operand("a"))) list.push_back(source(element));
  tensor_fragment(&interp::tensor_store, std::move(list));
}

void Decoder::tensor_copy() {
  const Place source = this->source(operand("source"));
  Op& op = tensor_access(&interp::tensor_copy);
  op.src[1] = source;
  op.runtime[1] = slot("tmem_copy");
  op.runtime[2] = slot("tmem_multicast");
  op.runtime[3] = slot("tmem_source");
}

void Decoder::tensor_shift() { tensor_access(&interp::tensor_shift); }

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
