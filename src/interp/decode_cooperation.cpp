// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Barrier objects, asynchronous copies, and addresses in a cluster (PTX ISA 9.7.9.23 to 9.7.9.27,
// 9.7.13.3, 9.7.13.15, 9.7.13.17).
#include <algorithm>

#include "interp/async_ops.h"
#include "interp/decoder.h"
#include "interp/mbarrier_ops.h"
#include "interp/windows.h"
#include "machine/read_modify_write.h"

namespace heddle::interp {

/// A place of 64-bit lanes with the host addresses of an address operand. `bytes`: the size of the
/// access; 0: it is not known.
Place Decoder::host_address(const Operand& operand, u32 bytes) {
  const auto base = address_base(operand);
  Window window = Window::generic;
  if (space_of(operand).starts_with("shared"))
    window = Window::shared;
  else if (operand.kind == OperandKind::variable &&
           builder_.loaded.module().variables[operand.id].space == ir::Space::shared)
    window = Window::shared;
  else if (operand.kind == OperandKind::local)
    window = Window::local;
  else if (operand.kind == OperandKind::parameter)
    window = Window::param;
  if (window == Window::generic && base.first == AddressBase::reg64 && !operand.value)
    return base.second;
  const Place to = scratch(8);
  Op& op = emit_guarded(&interp::host_address);
  address(operand, op, base);
  op.window = window;
  op.dst[0] = to;
  op.count = static_cast<u8>(bytes);
  op.pure = true;
  return to;
}

/// Whether ld, st, atom or red accesses .shared::cluster. It then does a generic access at a host
/// address.
bool Decoder::is_cluster_access(const Operand& a) const { return space_of(a) == "shared::cluster"; }
std::pair<AddressBase, Place> Decoder::access_base(const Operand& a, u32 bytes) {
  if (is_cluster_access(a)) return {AddressBase::reg64, host_address(a, bytes)};
  return address_base(a);
}
void Decoder::access_address(const Operand& a, Op& op,
                             const std::pair<AddressBase, Place>& base) const {
  if (!is_cluster_access(a)) {
    address(a, op, base);
    // The handlers count from the CTA's first address.
    if (op.window == Window::shared) op.offset -= builder_.first_shared();
    return;
  }
  op.base = base.first;
  op.src[0] = base.second;
  op.offset = 0;
  op.window = Window::generic;
}

/// An operation on a barrier object with a count or a number of bytes.
void Decoder::object_operation(Handler run, u8 flags) {
  const Place object = host_address(operand("a"), 8);
  Operand number = operand("count");
  if (number.kind == OperandKind::none) number = operand("tx");
  if (number.kind == OperandKind::none) {  // one arrival
    number.kind = OperandKind::immediate;
    number.value = 1;
  }
  number.type = Type::u32;
  const Place count = source(number);
  Operand state = operand("d");
  state.type = Type::u64;
  const Target to = target(state);
  Op& op = emit_guarded(run);
  op.src[0] = object;
  op.src[1] = count;
  op.dst[0] = to.place;
  op.flags = flags;
  finish(to);
}
void Decoder::mbarrier_init() { object_operation(&interp::mbarrier_init); }
void Decoder::mbarrier_inval() { object_operation(&interp::mbarrier_inval); }
void Decoder::mbarrier_expect_tx() { object_operation(&interp::mbarrier_expect_tx); }
void Decoder::mbarrier_complete_tx() { object_operation(&interp::mbarrier_complete_tx); }
void Decoder::mbarrier_arrive() {
  object_operation(
      &interp::mbarrier_arrive,
      static_cast<u8>((has("arrive_drop") ? kDrop : 0) | (has("expect_tx") ? kExpectTx : 0) |
                      (has("noComplete") ? kNoComplete : 0)));
}
void Decoder::cp_async_mbarrier_arrive() {
  object_operation(&interp::cp_async_mbarrier_arrive, has("noinc") ? kNoIncrement : 0);
}

/// A waiting thread executes the Ops before the last one again. They are few, and only compute its
/// operands.
void Decoder::mbarrier_wait() {
  const auto first = static_cast<u32>(ops_->size());
  const bool by_parity = has("parity");
  const Place object = host_address(operand("a"), 8);
  const Place phase = source(operand(by_parity ? "parity" : "state"));
  const Target to = target(operand("p"));
  Op& op = emit_control(Control::mbarrier_wait);
  op.src[0] = object;
  op.src[1] = phase;
  op.dst[0] = to.place;
  op.flags = static_cast<u8>((by_parity ? kByParity : 0) | (has("try_wait") ? kMayWait : 0));
  op.again = static_cast<u32>(ops_->size()) - 1 - first;
  finish(to);
}

void Decoder::cp_async() {
  const u32 bytes = static_cast<u32>(operand("size").value);
  const Place to = host_address(operand("dst"), bytes);
  const Place from = host_address(operand("src"));
  const Operand& size = operand("src_size");
  const Operand& ignore = operand("ignore");
  Place third = 0;
  u8 flags = 0;
  if (size.kind != OperandKind::none) third = source(size), flags = kSourceSize;
  if (ignore.kind != OperandKind::none) third = source(ignore), flags = kIgnoreSource;
  Op& op = emit_guarded(&interp::cp_async);
  op.src[0] = to;
  op.src[1] = from;
  op.src[2] = third;
  op.count = static_cast<u8>(bytes);
  op.flags = flags;
}

Op& Decoder::bulk_operation(Handler run) {
  const Operand& d = operand("dst");
  const Operand& s = operand("src");
  const Operand& m = operand("mbar");
  const Operand& mask = operand("mask");
  const bool signals = m.kind != OperandKind::none || m.is_address;
  u8 flags = 0;
  if (space_of(d) == "global") flags |= kToGlobal;
  if (space_of(s) == "global") flags |= kFromGlobal;
  if (space_of(d) == "shared::cta") flags |= kOwnWindow;
  if (signals) flags |= kSignals;
  if (inst_->get_form().opcode == "multimem") flags |= kMultimem;
  if (has("multicast::cluster")) flags |= kMulticast;
  if (has("cp_mask")) flags |= kByteMask;
  const Place to = host_address(d), from = host_address(s);
  const Place size = source(operand("size"));
  const Place barrier = signals ? host_address(m, 8) : 0;
  const Place bits = mask.kind == OperandKind::none ? 0 : source(mask);
  Op& op = emit_guarded(run);
  op.src[0] = to;
  op.src[1] = from;
  op.src[2] = size;
  op.src[3] = barrier;
  op.src[4] = bits;
  op.flags = flags;
  return op;
}
void Decoder::bulk_copy() { bulk_operation(&interp::bulk_copy); }
void Decoder::bulk_reduce() { bulk_operation(&interp::bulk_reduce).atomic = applied(); }

/// The function that the instruction applies to each value in memory.
const machine::AtomicFunction* Decoder::applied() const {
  return &machine::atomic_function(isa::dispatch_index(inst_->get_form(), inst_->slots));
}

void Decoder::st_async() {
  std::vector<Place> list;
  const auto b = elements(operand("b"));
  for (const Operand& element : b) list.push_back(source(element));
  const u32 each = bytes_of(b[0].type);
  const Place to = host_address(operand("a"), each * static_cast<u32>(list.size()));
  const Place barrier = host_address(operand("mbar"), 8);
  Op& op = emit_guarded(&interp::st_async);
  op.src[0] = to;
  op.src[1] = barrier;
  op.count = static_cast<u8>(list.size());
  op.runtime[0] = static_cast<u8>(each);
  op.list = builder_.keep(std::move(list));
}

void Decoder::red_async() {
  const Operand& b = operand("b");
  const Place value = source(b);
  const Place to = host_address(operand("a"), bytes_of(b.type));
  const Place barrier = host_address(operand("mbar"), 8);
  Op& op = emit_guarded(&interp::red_async);
  op.src[0] = to;
  op.src[1] = barrier;
  op.src[2] = value;
  op.atomic = applied();
}

void Decoder::st_bulk() {
  const Operand& size = operand("size");
  const Place to = host_address(operand("a"));
  const Place bytes = source(size);
  Op& op = emit_guarded(&interp::st_bulk);
  op.src[0] = to;
  op.src[1] = bytes;
  op.flags = bytes_of(size.type) == 8 ? kWide : 0;
}

void Decoder::tensormap_copy() {
  const Place to = host_address(operand("a"));
  const Place from = host_address(operand("b"), 128);
  Op& op = emit_guarded(&interp::tensormap_copy);
  op.src[0] = to;
  op.src[1] = from;
}

/// mapa, getctarank, and cvta of shared memory in a cluster.
void Decoder::cluster_address(Handler run) {
  const Operand& a = operand("a");
  const Operand& rank = operand("b");
  const Place from = source(a);
  const Place to_rank = rank.kind == OperandKind::none ? 0 : source(rank);
  const Target to = target(operand("d"));
  Op& op = emit_guarded(run);
  op.src[0] = from;
  op.src[1] = to_rank;
  op.dst[0] = to.place;
  op.flags = static_cast<u8>((bytes_of(a.type) == 8 ? kWide : 0) | (has("ss") ? 0 : kGeneric));
  op.pure = true;
  finish(to);
}
void Decoder::mapa() { cluster_address(&map_address); }
void Decoder::getctarank() { cluster_address(&cta_rank); }

void Decoder::cluster_try_cancel() {
  const Place to = host_address(operand("a"), 16);
  const Place barrier = host_address(operand("mbar"), 8);
  Op& op = emit_control(Control::try_cancel);
  op.src[0] = to;
  op.src[1] = barrier;
  op.flags = has("multicast::cluster::all") ? kMulticast : 0;
}

}  // namespace heddle::interp
