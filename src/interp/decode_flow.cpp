// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Calls, barriers and instructions over the lanes of a warp (PTX ISA 9.7.12, 9.7.13).
#include <algorithm>

#include <fmt/format.h>

#include "base/check.h"
#include "interp/decoder.h"
#include "interp/warp_ops.h"

namespace heddle::interp {

std::string refuse_system_call(const machine::SystemFunctionInfo& info, const CallSite& site,
                               u32 address_bytes) {
  const auto bytes_of = [](const std::vector<Slot>& slots) {
    std::vector<u32> bytes;
    for (const Slot& slot : slots) bytes.push_back(slot.bytes);
    return bytes;
  };
  return machine::refuse_system_call(info, bytes_of(site.arguments), bytes_of(site.returns),
                                     address_bytes);
}

/// Why a direct call cannot be, or an empty string.
std::string Decoder::refuse_call(const CallSite& site) const {
  const Code& callee = *site.direct;
  if (callee.function->has_body) return {};
  HEDDLE_CHECK(callee.system);  // check_complete() looked
  return refuse_system_call(*callee.system, site,
                            builder_.program.loaded->module().address_size / 8);
}

std::string Decoder::call() {
  const isa::Form& form = inst_->get_form();
  CallSite site;
  const Operand* callee = nullptr;
  for (u32 i = 0; i < inst_->operands.count && i < form.operands.size(); ++i) {
    const Operand& one = operand(i);
    const isa::OperandSpec& spec = form.operands[i];
    if (spec.name == "f") callee = &one;
    if ((spec.name != "d" && spec.name != "a") || one.kind == OperandKind::none) continue;
    std::vector<Slot>& slots = spec.name == "d" ? site.returns : site.arguments;
    for (const Operand& element : elements(one)) {
      Slot slot;
      if (element.kind == OperandKind::local && promoted_[element.id] == kNoPlace) {
        slot.in_register = false;
        slot.offset = local_offsets_[element.id];
        slot.bytes = static_cast<u32>(f_.locals[element.id].size);
      } else if (element.kind == OperandKind::local) {
        slot.place = promoted_[element.id];
        slot.bytes = static_cast<u32>(f_.locals[element.id].size);
      } else if (element.kind == OperandKind::reg) {
        const Type type = f_.registers[element.id].type;
        slot.place = registers_[element.id];
        slot.bytes = place_bytes(type);
      } else if (element.kind == OperandKind::none) {
        slot.bytes = place_bytes(element.type);
        slot.place = scratch(slot.bytes);
      } else {
        slot.place = source(element);
        slot.bytes = place_bytes(element.type);
      }
      slots.push_back(slot);
    }
  }
  HEDDLE_CHECK(callee);
  if (callee->kind == OperandKind::function) {
    site.direct = builder_.program.code_of(ir::FunctionId(callee->id));
    HEDDLE_CHECK(site.direct);
    if (std::string why = refuse_call(site); !why.empty()) return why;
  } else {
    site.wide_pointer = bytes_of(f_.registers[callee->id].type) == 8;
    site.pointer = registers_[callee->id];
  }
  Op& op = emit_control(Control::call);
  op.offset = builder_.program.call_sites.size();
  builder_.program.call_sites.push_back(std::move(site));
  return {};
}

/// src[0] = barrier, src[1] = thread count (kThreadCount when given), src[2] = predicate of
/// bar.red; dst[0] = its result.
void Decoder::barrier(Control control) {
  const Operand& b = operand("b");
  const bool reduces = control == Control::bar_red;
  Operand barrier_number = operand("a");
  if (barrier_number.type == Type::none) barrier_number.type = Type::u32;
  const Place number = source(barrier_number);
  const Place count = b.kind == OperandKind::none ? 0 : source(b);
  const Place predicate = reduces ? source(operand("c")) : 0;
  Target to;
  if (reduces) to = target(operand("d").kind == OperandKind::none ? operand("p") : operand("d"));
  Op& op = emit_control(control);
  op.src[0] = number;
  op.src[1] = count;
  op.src[2] = predicate;
  op.dst[0] = to.place;
  op.flags = b.kind == OperandKind::none ? 0 : kThreadCount;
  if (barrier_number.kind == OperandKind::immediate) op.flags |= kKnownBarrier;
  op.runtime[0] = slot("boolop");  // none: .popc
  if (reduces) finish(to);
}

void Decoder::warp_instruction(const isa::Form& form) {
  std::vector<Place> sources;
  std::vector<Target> targets;
  std::vector<Type> types;  // of the sources
  Place members = 0;
  bool has_members = false;
  for (u32 i = 0; i < form.operands.size() && i < inst_->operands.count; ++i) {
    const Operand& one = operand(i);
    if (form.operands[i].written) {
      targets.push_back(target(one));
    } else {
      sources.push_back(source(one));
      types.push_back(one.type);
      if (form.operands[i].name == "m") members = sources.back(), has_members = true;
    }
  }
  // Where lanes name different members, results of the first ones come before others are computed.
  for (std::size_t i = 0; has_members && i < sources.size(); ++i) {
    const bool written = std::ranges::any_of(
        targets, [&](const Target& target) { return target.place == sources[i]; });
    if (!written) continue;
    const Place copy = scratch(place_bytes(types[i]));
    move(sources[i], copy, types[i]);
    if (sources[i] == members) members = copy;
    sources[i] = copy;
  }
  Op& op = emit_control(Control::warp_op);
  op.run = warp_handler(form, inst_->slots, op.runtime);
  std::copy(sources.begin(), sources.end(), op.src);
  for (std::size_t i = 0; i < targets.size(); ++i) op.dst[i] = targets[i].place;
  op.src[5] = members;
  op.flags = has_members ? kMembers : 0;
  for (const Target& target : targets) finish(target);
}

}  // namespace heddle::interp
