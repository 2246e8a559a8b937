// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Loads, stores, atomics, packing, and conversions of addresses (PTX ISA 9.7.9, 9.7.13.5).
#include <algorithm>

#include "base/check.h"
#include "interp/decoder.h"
#include "interp/windows.h"
#include "ir/strength.h"
#include "isa/groups.h"
#include "isa/sem/cache_control.h"

namespace heddle::interp {

/// Chooses the handler of whole warps for the base and the window of the access, if there is one.
void Decoder::choose_usual(Op& op, const FullHandler (&usual)[2]) const {
  op.flags = ir::is_strong_beyond_cluster(*inst_) ? kOrdered : 0;
  const bool by_register = op.base == AddressBase::reg32 || op.base == AddressBase::reg64;
  const bool usual_window = op.window == Window::shared || op.window == Window::generic;
  if (op.guard != kNoPlace || op.flags || !usual_window || !by_register) return;
  const FullHandler handler = usual[op.base == AddressBase::reg64];
  if (handler) op.full = handler;
}

/// Whether the base of an affine access has 64 bits. An absolute address gets a zero of 64 bits as
/// its base.
bool Decoder::affine_base(Op& op) {
  if (op.base == AddressBase::absolute) op.src[0] = constant(0, 8);
  return op.base != AddressBase::reg32;
}

void Decoder::ld() {
  const Operand& d = operand("d");
  const Operand& a = operand("a");
  if (promoted(a)) {
    const Target to = target(d);
    move(promoted_[a.id], to.place, d.type);
    finish(to);
    return;
  }
  const auto to_load = elements(d);
  const auto base = access_base(a, bytes_of(to_load[0].type) * static_cast<u32>(to_load.size()));
  std::vector<Place> list;
  std::vector<Target> targets;
  for (const Operand& element : to_load) {
    targets.push_back(target(element));
    list.push_back(targets.back().place);
  }
  const u32 bytes = targets[0].bytes;
  Op& op = emit_guarded(level_.load[width_index(bytes)][width_index(list.size())]);
  access_address(a, op, base);
  const u32 width = width_index(bytes), count = width_index(list.size());
  choose_usual(op, level_.usual_load[width][count]);
  if (ops_ == &code_.ops && lead().affine_address) {
    const AffineLoad form = shapes_.of_source(a).stride ? AffineLoad::consecutive
                            : lead().leads              ? AffineLoad::lead
                                                        : AffineLoad::same;
    whole_.back() = level_.affine_load[width][count][affine_base(op)][static_cast<u32>(form)];
  }
  op.list = builder_.keep(std::move(list));
  for (const Target& target : targets) finish(target);
}

void Decoder::st() {
  const Operand& a = operand("a");
  const Operand& b = operand("b");
  if (promoted(a)) {
    move(source(b), promoted_[a.id], b.type);
    return;
  }
  std::vector<Place> list;
  for (const Operand& element : elements(b)) list.push_back(source(element));
  const u32 bytes = bytes_of(elements(b)[0].type);
  const auto base = access_base(a, bytes * static_cast<u32>(list.size()));
  Op& op = emit_guarded(level_.store[width_index(bytes)][width_index(list.size())]);
  access_address(a, op, base);
  const u32 width = width_index(bytes), count = width_index(list.size());
  choose_usual(op, level_.usual_store[width][count]);
  if (lead().affine_address) whole_.back() = level_.affine_store[width][count][affine_base(op)];
  op.list = builder_.keep(std::move(list));
}

/// Op::list has the destinations, then b, then c (b again when there is no c).
void Decoder::read_modify_write() {
  const Operand& a = operand("a");
  const auto b = elements(operand("b"));
  const Operand& c = operand("c");
  const auto d = elements(operand("d"));
  std::vector<Place> list;
  std::vector<Target> targets;
  for (std::size_t i = 0; i < b.size(); ++i) {
    Operand sink;
    sink.type = b[0].type;
    targets.push_back(target(i < d.size() && d[i].type != Type::none ? d[i] : sink));
    list.push_back(targets.back().place);
  }
  for (const Operand& element : b) list.push_back(source(element));
  for (std::size_t i = 0; i < b.size(); ++i)
    list.push_back(c.kind == OperandKind::none ? list[b.size() + i] : source(c));
  const auto base = access_base(a, bytes_of(b[0].type) * static_cast<u32>(b.size()));
  Op& op = emit_guarded(level_.atomics[isa::dispatch_index(inst_->get_form(), inst_->slots)]);
  access_address(a, op, base);
  op.count = static_cast<u8>(b.size());
  op.list = builder_.keep(std::move(list));
  for (const Target& target : targets) finish(target);
}
void Decoder::atom() { read_modify_write(); }
void Decoder::red() { read_modify_write(); }

/// A cache policy has no effect: there is no cache.
void Decoder::policy() {
  const Target to = target(operand("d"));
  move(constant(sem::kCachePolicy, 8), to.place, Type::b64);
  finish(to);
}

void Decoder::mov_pack() {
  std::vector<Place> list;
  const auto from = elements(operand("a"));
  for (const Operand& element : from) list.push_back(source(element));
  const Target to = target(operand("d"));
  Op& op = emit_guarded(level_.pack[width_index(bytes_of(from[0].type))][from.size() == 4]);
  op.dst[0] = to.place;
  op.count = static_cast<u8>(list.size());
  op.list = builder_.keep(std::move(list));
  finish(to);
}

void Decoder::mov_unpack() {
  const Place from = source(operand("a"));
  std::vector<Place> list;
  std::vector<Target> targets;
  const auto d = elements(operand("d"));
  for (const Operand& element : d) {
    targets.push_back(target(element));
    list.push_back(targets.back().place);
  }
  Op& op = emit_guarded(level_.unpack[width_index(targets[0].bytes)][d.size() == 4]);
  op.src[0] = from;
  op.count = static_cast<u8>(list.size());
  op.list = builder_.keep(std::move(list));
  for (const Target& target : targets) finish(target);
}

/// Element by element, through copies, because a register may be on both sides.
void Decoder::mov_vector() {
  const auto d = elements(operand("d"));
  const auto a = elements(operand("a"));
  std::vector<Place> values;
  for (const Operand& element : a) {
    const Place from = source(element);
    const Place copy = scratch(bytes_of(element.type));
    move(from, copy, element.type);
    values.push_back(copy);
  }
  for (std::size_t i = 0; i < d.size() && i < values.size(); ++i) {
    const Target to = target(d[i]);
    move(values[i], to.place, d[i].type);
    finish(to);
  }
}

void Decoder::cvta() {
  // Also of .shared::cta: the manual has its window inside that of .shared::cluster.
  const bool of_cluster = slot("ss") == static_cast<u8>(sem::Ss::shared_cluster);
  if (space() == ir::Space::shared && (builder_.rank || of_cluster))
    return cluster_address(slot("to") ? &to_shared_address : &from_shared_address);
  const Place from = source(operand("a"));
  const Target to = target(operand("d"));
  const bool wide = to.bytes == 8;
  if (copies_address(*inst_)) {
    move(from, to.place, wide ? Type::b64 : Type::b32);
    finish(to);
    return;
  }
  Op& op = emit_guarded(slot("to") ? level_.from_generic[wide] : level_.to_generic[wide]);
  op.src[0] = from;
  op.dst[0] = to.place;
  switch (space()) {
    case ir::Space::shared:
      op.window = Window::shared;
      break;
    case ir::Space::local:
      op.window = Window::local;
      break;
    case ir::Space::param:
      op.window = Window::param;
      break;
    default:
      op.window = Window::generic;
  }
  finish(to);
}

void Decoder::isspacep() {
  const Operand& a = operand("a");
  const Place from = source(a);
  const Target to = target(operand("p"));
  Op& op = emit_guarded(level_.is_space[bytes_of(a.type) == 8]);
  op.src[0] = from;
  op.dst[0] = to.place;
  SpaceTest test = SpaceTest::global;
  switch (space()) {
    case ir::Space::shared:
      test = slot("ss") == static_cast<u8>(sem::Ss::shared_cluster) ? SpaceTest::shared_cluster
                                                                    : SpaceTest::shared;
      break;
    case ir::Space::local:
      test = SpaceTest::local;
      break;
    case ir::Space::constant:
      test = SpaceTest::constant;
      break;
    case ir::Space::param:
      test = SpaceTest::param;
      break;
    default:
      break;
  }
  op.flags = static_cast<u8>(test);
}

}  // namespace heddle::interp
