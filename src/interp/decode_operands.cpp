// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Operands become places: registers, broadcast constants, special registers, addresses. Where an
// operand is wider than its instruction (PTX ISA 9.4.1), a width change goes before or after.
#include <algorithm>
#include <cstring>

#include "base/check.h"
#include "interp/decoder.h"
#include "interp/specials.h"

namespace heddle::interp {

/// The number that a symbol stands for in its own state space.
u64 Decoder::symbol_value(const Operand& operand) const {
  switch (operand.kind) {
    case OperandKind::variable: {
      const ir::Variable& variable = builder_.loaded.module().variables[operand.id];
      if (variable.space == ir::Space::shared)
        return builder_.first_shared() + builder_.shared.offset.at(operand.id) + operand.value;
      return builder_.loaded.address_of(ir::VarId(operand.id)) + operand.value;
    }
    case OperandKind::function:
      return builder_.loaded.address_of(ir::FunctionId(operand.id));
    case OperandKind::local:
      return local_offsets_[operand.id] + operand.value;
    default:
      return operand.value;  // immediate; parameter: offset in the block
  }
}

Place Decoder::constant(u64 value, u32 bytes) {
  const auto [it, fresh] = constants_.try_emplace({value, bytes}, 0);
  if (fresh) {
    it->second = take_below(bytes);
    u8* const at = code_.below.data();
    if (bytes == 0) {
      const u32 bits = value ? kAllLanes : 0;
      std::memcpy(at, &bits, 4);
    }
    for (u32 lane = 0; bytes && lane < kLanes; ++lane)
      std::memcpy(at + lane * bytes, &value, std::min<u32>(bytes, 8));
  }
  return it->second;
}

Place Decoder::special(const Operand& operand) {
  const auto reg = static_cast<isa::SpecialRegister>(operand.id);
  const auto& info = isa::special_register_info(reg);
  const u32 bytes = place_bytes(info.type);
  const Scope scope = scope_of(reg);
  const auto [it, fresh] = specials_.try_emplace({operand.id, operand.component}, 0);
  if (!fresh) return it->second;
  it->second = take_below(bytes);
  if (scope == Scope::instant) return it->second;
  Prologue& prologue = code_.prologues[static_cast<u32>(scope)];
  if (scope == Scope::cta) {
    Op op;
    op.full = level_.broadcast[bytes == 8];
    op.dst[0] = it->second;
    op.cta_value = builder_.number_of({reg, operand.component});
    prologue.ops.insert(prologue.ops.begin(), op);
  } else {
    SpecialUse use{reg, static_cast<u8>(operand.component), bytes, it->second};
    if (scope == Scope::warp) use.copy = builder_.remember(use);
    prologue.specials.push_back(use);
  }
  return it->second;
}

Place Decoder::source(const Operand& operand) {
  const bool predicate = is_predicate(operand.type);
  const u32 bytes = place_bytes(operand.type);
  Place from = 0;
  u32 from_bytes = bytes;
  switch (operand.kind) {
    case OperandKind::reg: {
      const Type type = f_.registers[operand.id].type;
      from = registers_[operand.id];
      from_bytes = place_bytes(type);
      break;
    }
    case OperandKind::special: {
      const auto& info = isa::special_register_info(static_cast<isa::SpecialRegister>(operand.id));
      from_bytes = place_bytes(info.type);
      from = special(operand);
      if (scope_of(static_cast<isa::SpecialRegister>(operand.id)) == Scope::instant) {
        Op& op = emit(nullptr);
        op.control = Control::refresh_special;
        op.full = &full_control;
        op.special = static_cast<isa::SpecialRegister>(operand.id);
        op.dst[0] = from;
        op.count = operand.component;
      }
      break;
    }
    case OperandKind::local: {
      from = scratch(bytes);
      Op& op = emit(level_.frame_address[bytes == 8]);
      op.dst[0] = from;
      op.offset = symbol_value(operand);
      break;
    }
    case OperandKind::none:
      return constant(0, bytes);
    default:
      return constant(predicate && operand.negated ? !operand.value : symbol_value(operand), bytes);
  }
  if (predicate && operand.negated) {
    const Place negated = scratch(0);
    Op& op = emit(level_.predicate_not);
    op.src[0] = from;
    op.dst[0] = negated;
    op.pure = true;
    return negated;
  }
  if (from_bytes != bytes && bytes && from_bytes) {
    const Place exact = scratch(bytes);
    resize(from, from_bytes, exact, bytes, false, false);
    return exact;
  }
  return from;
}

Decoder::Target Decoder::target(const Operand& operand) {
  Target target;
  target.bytes = place_bytes(operand.type);
  if (operand.kind != OperandKind::reg) {  // a sink
    target.place = scratch(target.bytes);
    target.unwanted = true;
    return target;
  }
  const Type type = f_.registers[operand.id].type;
  const u32 bytes = place_bytes(type);
  if (bytes == target.bytes) {
    target.place = registers_[operand.id];
    return target;
  }
  target.place = scratch(target.bytes);
  target.wide = registers_[operand.id];
  target.wide_bytes = bytes;
  target.sign = is_signed(operand.type);
  return target;
}

/// The base of an address; address() adds the rest.
std::pair<AddressBase, Place> Decoder::address_base(const Operand& operand) {
  switch (operand.kind) {
    case OperandKind::reg: {
      const bool wide = bytes_of(f_.registers[operand.id].type) == 8;
      return {wide ? AddressBase::reg64 : AddressBase::reg32, registers_[operand.id]};
    }
    case OperandKind::special: {
      Operand value = operand;
      value.is_address = false;
      value.type = Type::u64;
      return {AddressBase::reg64, source(value)};
    }
    case OperandKind::local:
      return {AddressBase::frame, 0};
    default:
      return {AddressBase::absolute, 0};
  }
}

void Decoder::address(const Operand& operand, Op& op,
                      const std::pair<AddressBase, Place>& base) const {
  op.base = base.first;
  op.src[0] = base.second;
  op.offset = operand.kind == OperandKind::reg || operand.kind == OperandKind::special
                  ? operand.value
                  : symbol_value(operand);
  const ir::Space space = this->space();
  const bool in_frame = operand.kind == OperandKind::local;
  if (space == ir::Space::shared)
    op.window = Window::shared;
  else if (space == ir::Space::local || in_frame || (space == ir::Space::param && !f_.is_entry))
    op.window = Window::local;
  else if (space == ir::Space::param || operand.kind == OperandKind::parameter)
    op.window = Window::param;
  else
    op.window = Window::generic;
}

}  // namespace heddle::interp
