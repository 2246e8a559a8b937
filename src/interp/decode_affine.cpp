// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Where a whole warp computes one number, the interpreter does so for lane 0 alone. A register is
// *affine* when lane i holds what lane 0 holds plus i times a stride that the decoder knows; with
// stride 0 it is uniform. %tid.x is affine when the block's shape makes it so (starts_whole_,
// cta.h), and so is what instructions make of it, as long as all lanes of the warp run together:
// under that condition every branch goes one way, and an instruction's result depends on its
// sources only. When the warp parts, the affine registers get their other lanes, and it goes on by
// Code::ops (InterpretedCta::spread).
//
// An instruction *leads* when it runs for lane 0 alone. Its results are then read only by
// instructions that lead as well, and by accesses to memory that take all addresses from lane 0.
#include <array>
#include <cstdlib>

#include "interp/decoder.h"
#include "isa/groups.h"

namespace heddle::interp {
namespace {

constexpr s64 kMostStride = 1 << 20;

}  // namespace

Decoder::Shape Decoder::shape_of(const Operand& operand) const {
  switch (operand.kind) {
    case OperandKind::reg: {
      const Shape shape = shapes_[operand.id];
      const bool narrow = bytes_of(f_.registers[operand.id].type) < bytes_of(operand.type);
      return narrow && shape.stride ? Shape::varying() : shape;
    }
    case OperandKind::special:
      switch (const auto reg = static_cast<isa::SpecialRegister>(operand.id)) {
        case isa::SpecialRegister::tid:
          return Shape::affine(operand.component == 0 ? 1 : 0);
        case isa::SpecialRegister::laneid:
          return Shape::affine(1);
        case isa::SpecialRegister::warpid:
          return Shape::affine(0);
        default:
          return scope_of(reg) < Scope::warp ? Shape::affine(0) : Shape::varying();
      }
    case OperandKind::local:
      return Shape::varying();
    default:
      return Shape::affine(0);
  }
}

/// Of a lane instruction, from sources that are affine and not all uniform.
Decoder::Outcome Decoder::outcome_of_sum(std::span<const Operand> sources) const {
  const isa::Form& form = inst_->get_form();
  const auto stride = [&](std::size_t i) { return shape_of(sources[i]).stride; };
  const u32 from = bytes_of(sources[0].type), to = bytes_of(operand(0).type);
  const auto is = [&](std::string_view sem) { return form.sem == sem; };
  // The constant of a product whose other factor is sources[0]; the result of one with a factor
  // that is not known has no known stride.
  const bool scales = sources.size() > 1 && sources[1].kind == OperandKind::immediate;
  const s64 factor = scales ? static_cast<s64>(sources[1].value) : 0;
  s64 sum = 0;
  if (from < 4) return {Shape::varying()};
  if (is("mov")) {
    sum = stride(0);
  } else if (is("add_wrap")) {
    sum = stride(0) + stride(1);
  } else if (is("sub_wrap")) {
    sum = stride(0) - stride(1);
  } else if (is("shift_left") && scales && factor >= 0 && factor < 32) {
    sum = stride(0) << factor;
  } else if ((is("mul_lo") || is("mul_wide")) && scales && std::abs(factor) <= kMostStride) {
    sum = stride(0) * factor;
  } else if ((is("mad_lo") || is("mad_wide")) && scales && std::abs(factor) <= kMostStride) {
    sum = stride(0) * factor + stride(2);
  } else if (is("mad_lo") && !stride(0) && !stride(1)) {
    sum = stride(2);
  } else if (is("cvt_int") && !slot("sat") && to >= 4) {
    sum = stride(0);
  } else {
    return {Shape::varying()};
  }
  if (std::abs(sum) > kMostStride) return {Shape::varying()};
  return {Shape::affine(sum), from < to ? stride(0) * (kLanes - 1) : 0};
}

/// Of what the instruction at hand writes.
Decoder::Outcome Decoder::outcome() const {
  if (scopes_.of_inst(static_cast<u32>(inst_ - f_.insts.data())) < Scope::warp)
    return {Shape::affine(0)};  // it has run before, for all warps
  const isa::Form& form = inst_->get_form();
  const auto operands = operands_of(*inst_);
  const bool load = is_load(*inst_) && is_usual(operand("a"));
  const bool copy = form.sem_id == SemId::cvta && space() != ir::Space::local;
  if (form.sem_kind != SemKind::lane && !load && !copy) return {Shape::varying()};
  if (form.carry != isa::CarryUse::none) return {Shape::varying()};
  bool uniform = true;
  std::array<Operand, std::size(Op{}.src)> sources;
  std::size_t count = 0;
  if (inst_->guard.predicate) {
    const Shape guard = shapes_[inst_->guard.predicate.value];
    if (guard.kind == Shape::Kind::unset) return {guard};
    if (!guard.is_uniform()) return {Shape::varying()};
  }
  for (u32 i = 0; i < operands.size(); ++i) {
    const isa::OperandSpec& spec = form.operands[i];
    if (spec.written && spec.also_read) return {Shape::varying()};
    if (spec.written) continue;
    for (const Operand& one : elements(operands[i])) {
      const Shape shape = shape_of(one);
      if (shape.kind != Shape::Kind::affine) return {shape};
      uniform &= shape.stride == 0;
      if (count < sources.size()) sources[count++] = one;
    }
  }
  if (uniform) return {Shape::affine(0)};
  if (copy) return {shape_of(sources[0])};
  if (load || elements(operands[0]).size() != 1 ||
      (form.operands.size() > 1 && form.operands[1].written))
    return {Shape::varying()};
  return outcome_of_sum({sources.data(), count});
}

/// Fills outcomes_ and shapes_: the least that holds for all that is written to each register.
void Decoder::find_shapes() {
  shapes_.assign(f_.registers.size(), {});
  for (bool changed = true; changed;) {
    changed = false;
    for (u32 i = 0; i < f_.insts.size(); ++i) {
      inst_ = &f_.insts[i];
      outcomes_[i] = outcome();
      const Shape result = outcomes_[i].shape;
      if (result.kind == Shape::Kind::unset) continue;
      for_each_register(*inst_, [&](const Operand& one, bool written) {
        Shape& shape = shapes_[one.id];
        const bool wide = bytes_of(f_.registers[one.id].type) > bytes_of(one.type);
        const Shape value = wide && result.stride ? Shape::varying() : result;
        if (!written || shape == value || shape.kind == Shape::Kind::varying) return;
        shape = shape.kind == Shape::Kind::unset ? value : Shape::varying();
        changed = true;
      });
    }
  }
}

/// Whether there is a way to run the instruction at hand for lane 0 alone.
bool Decoder::can_lead(u32 index) const {
  const isa::Form& form = inst_->get_form();
  if (inst_->guard.predicate || scopes_.of_inst(index) != Scope::warp) return false;
  if (outcomes_[index].shape.kind != Shape::Kind::affine) return false;
  if (is_load(*inst_)) return has_affine_address(operand("a"));
  if (form.sem_id == SemId::cvta) {
    return copies_address(*inst_) && level_.move[width_index(bytes_of(operand(0).type))].lead;
  }
  const Handlers& handlers = level_.lanes[isa::dispatch_index(form, inst_->slots)];
  return outcomes_[index].reach ? handlers.lead_widening : handlers.lead;
}

/// Whether the instruction at hand compares numbers that are affine by less or greater, for which
/// the first and the last lane are enough.
bool Decoder::orders_affine(u32 index) const {
  const isa::Form& form = inst_->get_form();
  if (form.sem != "setp" || inst_->guard.predicate || scopes_.of_inst(index) != Scope::warp)
    return false;
  if (!level_.lanes[isa::dispatch_index(form, inst_->slots)].ordering) return false;
  const auto affine = [&](const Operand& one) { return shape_of(one).kind == Shape::Kind::affine; };
  if (!affine(operand("a")) || !affine(operand("b"))) return false;
  switch (static_cast<sem::Cmp>(slot("cmp"))) {
    case sem::Cmp::lt:
    case sem::Cmp::le:
    case sem::Cmp::gt:
    case sem::Cmp::ge:
    case sem::Cmp::lo:
    case sem::Cmp::ls:
    case sem::Cmp::hi:
    case sem::Cmp::hs:
      return true;
    default:
      return false;
  }
}

/// How far the last lane of an affine operand of 32 bits is from lane 0.
s32 Decoder::reach_of(const Operand& operand) const {
  return static_cast<s32>(shape_of(operand).stride * (kLanes - 1));
}

/// The instruction at hand accesses memory where lane 0 tells: the step from lane to lane is 0 or
/// the size of the access. A load that changes its own address does not, because it could not begin
/// anew.
bool Decoder::has_affine_address(const Operand& a) const {
  if (shapes_.empty()) return false;
  const isa::Form& form = inst_->get_form();
  const bool load = is_load(*inst_);
  if ((!load && form.effects().access != isa::Access::store) || inst_->guard.predicate ||
      !is_usual(a))
    return false;
  const Shape shape = shape_of(a);
  const auto accessed = elements(operand(load ? "d" : "b"));
  const u32 element = bytes_of(accessed[0].type);
  if (!level_.affine_store[width_index(element)][width_index(accessed.size())][0]) return false;
  const auto bytes = static_cast<s64>(element * accessed.size());
  for (const Operand& one : accessed) {
    if (load && one.kind == OperandKind::reg && a.kind == OperandKind::reg && one.id == a.id)
      return false;
  }
  return shape.kind == Shape::Kind::affine && (shape.stride == bytes || (load && !shape.stride));
}

/// The further ways to run the instruction at hand; null: there are none.
const UsualArithmetic* Decoder::usual_arithmetic() const {
  const isa::Form& form = inst_->get_form();
  if (form.sem_kind != SemKind::lane || inst_->guard.predicate) return nullptr;
  return level_.lanes[isa::dispatch_index(form, inst_->slots)].usual;
}

/// The one that is the same for all lanes, and of which lane 0 can stand for them.
u32 Decoder::spread_source() const {
  return find_source([&](u32 id) { return suffices_[id] && shapes_[id].is_uniform(); });
}

/// Fills leads_ and suffices_.
void Decoder::find_affine() {
  leads_.assign(f_.insts.size(), false);
  outcomes_.assign(f_.insts.size(), {});
  if (!f_.is_entry) return;  // its parameters differ from call to call
  find_shapes();
  suffices_.assign(f_.registers.size(), false);
  for (u32 r = 0; r < f_.registers.size(); ++r) {
    const u32 bytes = bytes_of(f_.registers[r].type);
    suffices_[r] = shapes_[r].kind == Shape::Kind::affine && (bytes == 4 || bytes == 8) &&
                   !is_predicate(f_.registers[r].type);
  }
  for (u32 i = 0; i < f_.insts.size(); ++i) {
    inst_ = &f_.insts[i];
    leads_[i] = can_lead(i);
  }
  for (bool changed = true; changed;) {
    changed = false;
    for (u32 i = static_cast<u32>(f_.insts.size()); i-- > 0;) {
      inst_ = &f_.insts[i];
      bool leads = leads_[i];
      for_each_register(*inst_, [&](const Operand& one, bool written) {
        leads &= !written || is_predicate(one.type) || suffices_[one.id];
      });
      leads_[i] = leads;
      const u32 spread = leads || !usual_arithmetic() ? kNoSource : spread_source();
      const bool few = leads || orders_affine(i);
      for_each_register(*inst_, [&](const Operand& one, bool) {
        if (few || !suffices_[one.id]) return;
        if (spread != kNoSource && &one == &operand(1 + spread)) return;
        if (one.is_address && has_affine_address(one)) return;
        suffices_[one.id] = false;
        changed = true;
      });
    }
  }
}

/// Has whole warps run the usual arithmetic at hand, just emitted, with lane 0 of a source if they
/// can.
void Decoder::choose_arithmetic() {
  const UsualArithmetic* const usual = usual_arithmetic();
  if (!usual || suffices_.empty()) return;
  const u32 spread = spread_source();
  if (spread != kNoSource) whole_.back() = usual->spreading[spread];
}

/// Fills Code::affine, once registers have their places.
void Decoder::list_affine() {
  for (u32 r = 0; r < suffices_.size(); ++r) {
    if (suffices_[r])
      code_.affine.push_back({registers_[r], bytes_of(f_.registers[r].type), shapes_[r].stride});
  }
}

}  // namespace heddle::interp
