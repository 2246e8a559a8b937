// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A register is *affine* when the value of lane i is the value of lane 0 plus i times a stride that
// is known at decode time; with stride 0 it is uniform. %tid.x is affine when the block's shape
// makes it so (starts_whole_, cta.h). While a warp has not diverged, every branch is uniform, so
// the shape of an instruction's result depends on the shapes of its sources only.
#include "interp/analysis/shapes.h"

#include <array>
#include <cstdlib>
#include <optional>

#include "interp/analysis/instruction.h"

namespace heddle::interp {
namespace {

constexpr s64 kMostStride = 1 << 20;

/// The stride of a lane instruction's result, for affine sources; none: it is not known.
std::optional<s64> stride_of_result(const ir::Inst& inst, std::span<const Operand> sources,
                                    auto stride) {
  const std::string_view sem = inst.get_form().sem;
  if (sem == "mov") return stride(0);
  if (sem == "add_wrap") return stride(0) + stride(1);
  if (sem == "sub_wrap") return stride(0) - stride(1);
  if (sem == "cvt_int" && !ir::slot_of(inst, "sat")) return stride(0);
  if (sem == "mad_lo" && !stride(0) && !stride(1)) return stride(2);
  // The other products have a known stride when the second factor is a constant.
  if (sources.size() < 2 || sources[1].kind != OperandKind::immediate) return {};
  const auto factor = static_cast<s64>(sources[1].value);
  if (sem == "shift_left" && factor >= 0 && factor < 32) return stride(0) << factor;
  if (std::abs(factor) > kMostStride) return {};
  if (sem == "mul_lo" || sem == "mul_wide") return stride(0) * factor;
  if (sem == "mad_lo" || sem == "mad_wide") return stride(0) * factor + stride(2);
  return {};
}

}  // namespace

s64 reach_of(Shape shape) { return shape.stride * (kLanes - 1); }

Shape Shapes::of_source(const Operand& operand) const {
  switch (operand.kind) {
    case OperandKind::reg: {
      const Shape shape = registers_[operand.id];
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
          return Shape::uniform();
        default:
          return scope_of(reg) < Scope::warp ? Shape::uniform() : Shape::varying();
      }
    case OperandKind::local:
      return Shape::varying();
    default:
      return Shape::uniform();
  }
}

/// The sources are affine, and not all of them are uniform.
Shapes::Result Shapes::lane_result(const ir::Inst& inst, std::span<const Operand> sources) const {
  const auto stride = [&](std::size_t i) { return of_source(sources[i]).stride; };
  const u32 from = bytes_of(sources[0].type), to = bytes_of(operands_of(f_, inst)[0].type);
  if (from < 4 || to < 4) return {Shape::varying()};
  const auto result = stride_of_result(inst, sources, stride);
  if (!result || std::abs(*result) > kMostStride) return {Shape::varying()};
  return {Shape::affine(*result), from < to ? reach_of(of_source(sources[0])) : 0};
}

Shapes::Result Shapes::find_result(u32 index, const Scopes& scopes) const {
  // The prologue computes the result for all warps.
  if (scopes.of_inst(index) < Scope::warp) return {Shape::uniform()};
  const ir::Inst& inst = f_.insts[index];
  const isa::Form& form = inst.get_form();
  const auto operands = operands_of(f_, inst);
  const bool load = is_load(inst) && is_usual_access(f_, inst);
  const bool copy =
      form.sem_id == SemId::cvta && static_cast<ir::Space>(inst.space) != ir::Space::local;
  if (form.sem_kind != SemKind::lane && !load && !copy) return {Shape::varying()};
  if (form.carry != isa::CarryUse::none) return {Shape::varying()};
  if (inst.guard.predicate) {
    const Shape guard = registers_[inst.guard.predicate.value];
    if (guard.kind == Shape::Kind::unset) return {guard};
    if (!guard.is_uniform()) return {Shape::varying()};
  }
  bool uniform = true;
  std::array<Operand, std::size(Op{}.src)> sources;
  std::size_t count = 0;
  for (u32 i = 0; i < operands.size(); ++i) {
    const isa::OperandSpec& spec = form.operands[i];
    if (spec.written && spec.also_read) return {Shape::varying()};
    if (spec.written) continue;
    for (const Operand& one : ir::elements_of(f_, operands[i])) {
      const Shape shape = of_source(one);
      if (!shape.is_affine()) return {shape};
      uniform &= shape.stride == 0;
      if (count < sources.size()) sources[count++] = one;
    }
  }
  if (uniform) return {Shape::uniform()};
  if (copy) return {of_source(sources[0])};
  const bool one_result = ir::elements_of(f_, operands[0]).size() == 1 &&
                          (form.operands.size() < 2 || !form.operands[1].written);
  if (load || !one_result) return {Shape::varying()};
  return lane_result(inst, {sources.data(), count});
}

/// A register that gets values of two different shapes is varying. Returns whether a shape has
/// changed.
bool Shapes::merge_written(const ir::Inst& inst, Shape result) {
  bool changed = false;
  for_each_register(f_, inst, [&](const Operand& one, bool written) {
    Shape& shape = registers_[one.id];
    const bool wide = bytes_of(f_.registers[one.id].type) > bytes_of(one.type);
    const Shape value = wide && result.stride ? Shape::varying() : result;
    if (!written || shape == value || shape.kind == Shape::Kind::varying) return;
    shape = shape.kind == Shape::Kind::unset ? value : Shape::varying();
    changed = true;
  });
  return changed;
}

Shapes::Shapes(const ir::Function& function, const Scopes& scopes)
    : f_(function),
      registers_(function.registers.size(), function.is_entry ? Shape{} : Shape::varying()),
      results_(function.insts.size(), {Shape::varying()}) {
  if (!f_.is_entry) return;
  for (bool changed = true; changed;) {
    changed = false;
    for (u32 i = 0; i < f_.insts.size(); ++i) {
      results_[i] = find_result(i, scopes);
      const Shape result = results_[i].shape;
      if (result.kind != Shape::Kind::unset) changed |= merge_written(f_.insts[i], result);
    }
  }
}

}  // namespace heddle::interp
