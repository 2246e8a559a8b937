// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Calls, barriers and instructions over the lanes of a warp (PTX ISA 9.7.12, 9.7.13).
#include <algorithm>

#include <fmt/format.h>

#include "base/check.h"
#include "interp/decoder.h"
#include "interp/stack_ops.h"
#include "isa/groups.h"

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

/// Why the direct call cannot be made, or an empty string.
std::string Decoder::refuse_call(const CallSite& site) const {
  const Code& callee = *site.direct;
  if (callee.function->has_body) return {};
  HEDDLE_CHECK(callee.system);  // check_complete() has made sure
  return refuse_system_call(*callee.system, site,
                            builder_.program.loaded->module().address_size / 8);
}

void Decoder::call() {
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
    if (std::string why = refuse_call(site); !why.empty()) return refuse(std::move(why));
  } else {
    site.wide_pointer = bytes_of(f_.registers[callee->id].type) == 8;
    site.pointer = registers_[callee->id];
  }
  Op& op = emit_control(Control::call);
  op.call_site = static_cast<u32>(builder_.program.call_sites.size());
  builder_.program.call_sites.push_back(std::move(site));
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

void Decoder::warp_function(const isa::Form& form) {
  WarpCall call;
  call.function = &machine::warp_function(isa::dispatch_index(form, inst_->slots));
  std::vector<Type> types;  // of the sources
  std::vector<Target> targets;
  Place members = 0;
  const bool aligned = form.effects().aligned;
  if (aligned) members = constant(kAllLanes, sizeof(u32));
  const bool has_members = form.members >= 0 || aligned;
  u32 operands = 0;
  const auto for_each_operand = [&](bool written, auto f) {
    for (u32 i = 0; i < form.operands.size() && i < inst_->operands.count; ++i) {
      if (form.operands[i].written == written) f(i, operand(i));
    }
  };
  for_each_operand(false, [&](u32 i, const Operand& one) {
    if (static_cast<int>(i) == form.members) {
      members = source(one);
      return;
    }
    call.first[operands++] = static_cast<u8>(call.registers.size());
    for (const Operand& element : elements(one)) {
      call.registers.push_back(source(element));
      types.push_back(element.type);
    }
  });
  for_each_operand(true, [&](u32, const Operand& one) {
    if (one.type == Type::none && one.kind != OperandKind::vector) return;  // left out
    call.first[operands++] = static_cast<u8>(call.registers.size() + targets.size());
    for (const Operand& element : elements(one)) targets.push_back(target(element));
  });
  // Groups of lanes with different membermasks execute one after the other, so a result of the
  // first group must not change a source of the next.
  const auto is_written = [&](Place place) {
    return std::ranges::any_of(targets,
                               [&](const Target& target) { return target.place == place; });
  };
  if (form.members >= 0) {
    for (std::size_t i = 0; i < types.size(); ++i) {
      if (!is_written(call.registers[i])) continue;
      const Place copy = scratch(place_bytes(types[i]));
      move(call.registers[i], copy, types[i]);
      call.registers[i] = copy;
    }
    if (is_written(members)) {
      const Place copy = scratch(sizeof(u32));
      move(members, copy, Type::u32);
      members = copy;
    }
  }
  for (const Target& target : targets) call.registers.push_back(target.place);
  // A second result may be left out.
  call.operands = std::max(operands, call.function->sources + call.function->results);
  for (; operands < call.operands; ++operands) {
    call.first[operands] = static_cast<u8>(call.registers.size());
    call.registers.push_back(scratch(sizeof(u64)));
  }
  HEDDLE_CHECK(call.registers.size() <= machine::kMostWarpRegisters);
  Op& op = emit_control(Control::warp_op);
  op.run = &call_warp_function;
  op.warp_call = &builder_.program.warp_calls.emplace_back(std::move(call));
  for (std::size_t i = 0; i < form.runtime_slots.size(); ++i)
    op.runtime[i] = inst_->slots[form.runtime_slots[i]];
  op.members = members;
  op.flags = has_members ? kMembers : 0;
  for (const Target& target : targets) finish(target);
}

void Decoder::bra() { emit_control(Control::bra).target = operand("t").id; }
void Decoder::brx_idx() {
  const Place index = source(operand("i"));
  Op& op = emit_control(Control::brx_idx);
  op.src[0] = index;
  op.table = static_cast<u32>(builder_.program.branch_tables.size());
  builder_.program.branch_tables.push_back(f_.target_lists[operand("l").id].labels);
}
void Decoder::ret() { emit_control(Control::ret); }
void Decoder::exit() { emit_control(Control::exit); }
void Decoder::trap() { emit_control(Control::trap); }
void Decoder::brkpt() { emit_control(Control::brkpt); }
void Decoder::nanosleep() {
  const Place time = source(operand("t"));
  emit_control(Control::nanosleep).src[0] = time;
}
void Decoder::nop() {}

void Decoder::bar_sync() { barrier(Control::bar_sync); }
/// A product is done when all warps of the group have issued it.
void Decoder::warp_group_wait() { emit_control(Control::bar_sync).flags = kOfWarpGroup; }
void Decoder::bar_arrive() { barrier(Control::bar_arrive); }
void Decoder::bar_red() { barrier(Control::bar_red); }
void Decoder::warp_barrier() {
  const Place members = source(operand("m"));
  Op& op = emit_control(Control::warp_barrier);
  op.members = members;
  op.flags = kMembers;
}
void Decoder::cluster_arrive() { emit_control(Control::cluster_arrive); }
void Decoder::cluster_wait() { emit_control(Control::cluster_wait); }

namespace {

void fence_sc(Warp&, const Op&) { __atomic_thread_fence(__ATOMIC_SEQ_CST); }
void fence_acq_rel(Warp&, const Op&) { __atomic_thread_fence(__ATOMIC_ACQ_REL); }
void fence_nothing(Warp&, const Op&) { __atomic_signal_fence(__ATOMIC_SEQ_CST); }

/// The handler of a fence (9.7.13.4). The threads of a CTA or cluster run on one host thread, and
/// so see each other's accesses in order: a fence of that scope does nothing. Other CTAs see these
/// accesses only after a wider fence or access, which orders all accesses of the host thread.
Handler fence_of(std::string_view opcode, sem::Fencesem order, sem::Fencescope scope) {
  if (scope == sem::Fencescope::cta || scope == sem::Fencescope::cluster) return &fence_nothing;
  const bool sc = opcode == "membar" || order == sem::Fencesem::sc;
  return sc ? &fence_sc : &fence_acq_rel;
}

}  // namespace

void Decoder::fence() {
  emit_guarded(fence_of(inst_->get_form().opcode, static_cast<sem::Fencesem>(slot("fencesem")),
                        static_cast<sem::Fencescope>(slot("fencescope"))));
}

// --- the stack (9.7.17) ---

void Decoder::stack_restore() {
  const Operand& a = operand("a");
  const Place from = source(a);
  Op& op = emit_guarded(interp::stack_restore(bytes_of(a.type)));
  op.src[0] = from;
  op.offset = code_.local_bytes;
}
void Decoder::stack_save() {
  const Target to = target(operand("d"));
  emit_guarded(interp::stack_save(to.bytes)).dst[0] = to.place;
  finish(to);
}
void Decoder::stack_allocate() {
  const Place size = source(operand("size"));
  const Target to = target(operand("d"));
  Op& op = emit_guarded(interp::stack_allocate(to.bytes));
  op.dst[0] = to.place;
  op.src[0] = size;
  op.offset = code_.local_bytes;
  const Operand& align = operand("align");
  const u64 alignment = align.kind == OperandKind::immediate ? align.value : 0;
  op.count = static_cast<u8>(std::countr_zero(std::max<u64>(alignment, 8)));
  finish(to);
}

}  // namespace heddle::interp
