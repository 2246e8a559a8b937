// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Barrier objects, asynchronous copies, and addresses in a cluster (PTX ISA 9.7.9.23 to 9.7.9.27,
// 9.7.13.3, 9.7.13.15, 9.7.13.17).
#include <algorithm>

#include "interp/async_ops.h"
#include "interp/decoder.h"
#include "interp/mbarrier_ops.h"
#include "interp/windows.h"
#include "isa/groups.h"

namespace heddle::interp {

std::string Decoder::cooperation(const isa::Form& form) {
  switch (form.sem_id) {
    case SemId::cluster_arrive:
      emit_control(Control::cluster_arrive);
      return {};
    case SemId::cluster_wait:
      emit_control(Control::cluster_wait);
      return {};
    case SemId::mbarrier_init:
      mbarrier(&mbarrier_init);
      return {};
    case SemId::mbarrier_inval:
      mbarrier(&mbarrier_inval);
      return {};
    case SemId::mbarrier_expect_tx:
      mbarrier(&mbarrier_expect_tx);
      return {};
    case SemId::mbarrier_complete_tx:
      mbarrier(&mbarrier_complete_tx);
      return {};
    case SemId::mbarrier_arrive:
      mbarrier(&mbarrier_arrive);
      return {};
    case SemId::mbarrier_arrive_expect_tx:
      mbarrier(&mbarrier_arrive, kExpectTx);
      return {};
    case SemId::mbarrier_arrive_no_complete:
      mbarrier(&mbarrier_arrive, kNoComplete);
      return {};
    case SemId::mbarrier_drop:
      mbarrier(&mbarrier_arrive, kDrop);
      return {};
    case SemId::mbarrier_drop_expect_tx:
      mbarrier(&mbarrier_arrive, kDrop | kExpectTx);
      return {};
    case SemId::mbarrier_drop_no_complete:
      mbarrier(&mbarrier_arrive, kDrop | kNoComplete);
      return {};
    case SemId::mbarrier_test_wait:
      mbarrier_wait(0);
      return {};
    case SemId::mbarrier_test_wait_parity:
      mbarrier_wait(kByParity);
      return {};
    case SemId::mbarrier_try_wait:
      mbarrier_wait(kMayWait);
      return {};
    case SemId::mbarrier_try_wait_parity:
      mbarrier_wait(kMayWait | kByParity);
      return {};
    case SemId::cp_async:
      async_copy();
      return {};
    case SemId::cp_async_mbarrier_arrive:
      mbarrier(&cp_async_mbarrier_arrive, has("noinc") ? kNoIncrement : 0);
      return {};
    case SemId::bulk_copy:
      return bulk(false);
    case SemId::bulk_reduce:
      return bulk(true);
    case SemId::multimem_copy:
      return bulk(false, true);
    case SemId::multimem_bulk_reduce:
      return bulk(true, true);
    case SemId::multimem_load:
      return multimem_load();
    case SemId::multimem_store:
      return multimem_write(false);
    case SemId::multimem_reduce:
      return multimem_write(true);
    case SemId::st_async:
      store_async();
      return {};
    case SemId::red_async:
      return reduce_async();
    case SemId::st_bulk:
      store_bulk();
      return {};
    case SemId::tensormap_copy:
      copy_tensormap();
      return {};
    case SemId::mapa:
      cluster_address(&map_address);
      return {};
    case SemId::getctarank:
      cluster_address(&cta_rank);
      return {};
    case SemId::cluster_try_cancel:
      try_cancel();
      return {};
    default:
      return "no engine runs this instruction yet";
  }
}

bool Decoder::has(std::string_view name) const { return slot(name) != 0; }

const isa::OperandSpec* Decoder::spec_of(const Operand& operand) const {
  if (!operand.is_address) return nullptr;
  const Operand* const first = &f_.operands[inst_->operands.first];
  const auto index = static_cast<std::size_t>(&operand - first);
  const auto specs = inst_->get_form().operands;
  return index < specs.size() ? &specs[index] : nullptr;
}

/// The state space of an address operand as it is written: "shared::cluster", "" when generic.
std::string_view Decoder::space_of(const Operand& operand) const {
  const isa::OperandSpec* spec = spec_of(operand);
  if (!spec) return {};
  if (spec->space_slot >= 0) {
    const auto index = static_cast<u8>(spec->space_slot);
    for (const isa::Choice& choice : inst_->get_form().slots[index].choices) {
      if (choice.value == inst_->slots[index] && choice.word != isa::kNoWord)
        return isa::word_text(choice.word);
    }
    return {};
  }
  return spec->space;
}

/// 64-bit lanes with the host address of an address operand. `bytes`: how many are accessed there,
/// when it is known.
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

/// ld, st, atom and red of .shared::cluster: the access itself is a generic one.
bool Decoder::is_cluster_access(const Operand& a) const { return space_of(a) == "shared::cluster"; }
std::pair<AddressBase, Place> Decoder::access_base(const Operand& a, u32 bytes) {
  if (is_cluster_access(a)) return {AddressBase::reg64, host_address(a, bytes)};
  return address_base(a);
}
void Decoder::access_address(const Operand& a, Op& op,
                             const std::pair<AddressBase, Place>& base) const {
  if (!is_cluster_access(a)) return address(a, op, base);
  op.base = base.first;
  op.src[0] = base.second;
  op.offset = 0;
  op.window = Window::generic;
}

void Decoder::mbarrier(Handler run, u8 flags) {
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

/// The Ops before the last one are few and change nothing else: a thread that waits runs them anew.
void Decoder::mbarrier_wait(u8 flags) {
  const std::size_t first = ops_->size();
  const Place object = host_address(operand("a"), 8);
  const Place phase = source(operand(flags & kByParity ? "parity" : "state"));
  const Target to = target(operand("p"));
  Op& op = emit_control(Control::mbarrier_wait);
  op.src[0] = object;
  op.src[1] = phase;
  op.dst[0] = to.place;
  op.flags = flags;
  op.offset = ops_->size() - 1 - first;
  finish(to);
}

void Decoder::async_copy() {
  const u32 bytes = static_cast<u32>(operand("size").value);
  const Place to = host_address(operand("dst"), bytes);
  const Place from = host_address(operand("src"));
  const Operand& size = operand("src_size");
  const Operand& ignore = operand("ignore");
  Place third = 0;
  u8 flags = 0;
  if (size.kind != OperandKind::none) third = source(size), flags = kSourceSize;
  if (ignore.kind != OperandKind::none) third = source(ignore), flags = kIgnoreSource;
  Op& op = emit_guarded(&cp_async);
  op.src[0] = to;
  op.src[1] = from;
  op.src[2] = third;
  op.count = static_cast<u8>(bytes);
  op.flags = flags;
}

std::string Decoder::bulk(bool reduces, bool multimem) {
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
  if (multimem) flags |= kMultimem;
  if (has("multicast::cluster")) flags |= kMulticast;
  if (has("cp_mask")) flags |= kByteMask;
  const Place to = host_address(d), from = host_address(s);
  const Place size = source(operand("size"));
  const Place barrier = signals ? host_address(m, 8) : 0;
  const Place bits = mask.kind == OperandKind::none ? 0 : source(mask);
  const Handler run = reduces ? bulk_reduce(atomop(), static_cast<Type>(slot("T"))) : &bulk_copy;
  if (!run) return "no engine runs this reduction yet";
  Op& op = emit_guarded(run);
  op.src[0] = to;
  op.src[1] = from;
  op.src[2] = size;
  op.src[3] = barrier;
  op.src[4] = bits;
  op.flags = flags;
  return {};
}

void Decoder::store_async() {
  std::vector<Place> list;
  const auto b = elements(operand("b"));
  for (const Operand& element : b) list.push_back(source(element));
  const u32 each = bytes_of(b[0].type);
  const Place to = host_address(operand("a"), each * static_cast<u32>(list.size()));
  const Place barrier = host_address(operand("mbar"), 8);
  Op& op = emit_guarded(&st_async);
  op.src[0] = to;
  op.src[1] = barrier;
  op.count = static_cast<u8>(list.size());
  op.runtime[0] = static_cast<u8>(each);
  op.list = builder_.keep(std::move(list));
}

std::string Decoder::reduce_async() {
  const Operand& b = operand("b");
  const Place value = source(b);
  const Place to = host_address(operand("a"), bytes_of(b.type));
  const Place barrier = host_address(operand("mbar"), 8);
  const Handler run = red_async(atomop(), b.type);
  if (!run) return "no engine runs this reduction yet";
  Op& op = emit_guarded(run);
  op.src[0] = to;
  op.src[1] = barrier;
  op.src[2] = value;
  return {};
}

void Decoder::store_bulk() {
  const Operand& size = operand("size");
  const Place to = host_address(operand("a"));
  const Place bytes = source(size);
  Op& op = emit_guarded(&st_bulk);
  op.src[0] = to;
  op.src[1] = bytes;
  op.flags = bytes_of(size.type) == 8 ? kWide : 0;
}

void Decoder::copy_tensormap() {
  const Place to = host_address(operand("a"));
  const Place from = host_address(operand("b"), 128);
  Op& op = emit_guarded(&tensormap_copy);
  op.src[0] = to;
  op.src[1] = from;
}

/// mapa, getctarank, and cvta of .shared::cluster.
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

void Decoder::try_cancel() {
  const Place to = host_address(operand("a"), 16);
  const Place barrier = host_address(operand("mbar"), 8);
  Op& op = emit_control(Control::try_cancel);
  op.src[0] = to;
  op.src[1] = barrier;
  op.flags = has("multicast::cluster::all") ? kMulticast : 0;
}

/// The operation of a reduction; a form without a choice adds.
u8 Decoder::atomop() const {
  const u8 chosen = slot("atomop");
  return chosen ? chosen : static_cast<u8>(sem::Atomop::add);
}

}  // namespace heddle::interp
