// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Launches that continue after an access where there is no memory (LaunchConfig::on_fault). Warps
// run one by one and instruction by instruction. A load or store whose addresses all lie in
// allocations is executed as usual. Any other access is executed lane by lane, so that no lane is
// half done when another faults. The access that faults is repeated with the address of zeros. An
// instruction that makes no access per lane (matrices that a warp loads together, bulk copies) is
// skipped, and its results are zeros.
#include <bit>
#include <cstring>

#include "interp/cta.h"
#include "isa/groups.h"

namespace heddle::interp {

using machine::AddressRange;
using machine::CtaStatus;
using machine::TrapKind;

namespace {

/// The most bytes that one lane accesses, and the largest distance of a fault from the lane's
/// address.
constexpr u64 kMostBytes = 64, kReach = 128;

}  // namespace

/// Whether the bytes at a generic address are memory that the kernel may access.
bool InterpretedCta::is_known(u64 address, u64 bytes) {
  for (const AddressRange& range : known_) {
    if (range.contains(address, bytes)) return true;
  }
  const machine::Memory& memory = launch_.loaded->memory();
  const auto found = memory.find(address);
  if (!found || !found->contains(address, bytes)) return false;
  known_[next_known_++ % known_.size()] = *found;
  return true;
}

/// The same for accesses by system functions, which may also be to windows, mappings and memory of
/// the host.
bool InterpretedCta::is_memory(u64 address, u64 bytes) {
  if (is_known(address, bytes)) return true;
  const machine::Memory& memory = launch_.loaded->memory();
  const bool in_heap = memory.low().heap.contains(address) || memory.high().heap.contains(address);
  return (!in_heap || memory.reservation(address)) && memory.is_accessible(address, bytes);
}

/// Whether all lanes access allocations, or the CTA's own windows.
bool InterpretedCta::is_harmless(const Warp& warp, const Op& op) {
  for (u32 rest = warp.mask; rest; rest &= rest - 1) {
    const u64 address = lane_address(warp, op, static_cast<u32>(std::countr_zero(rest)));
    const u64 size = op.window == Window::shared  ? warp.shared_size
                     : op.window == Window::local ? warp.local_stride
                                                  : warp.params_size;
    const bool inside = op.window == Window::generic
                            ? is_known(address, kMostBytes)
                            : AddressRange{0, size}.contains(address, kMostBytes);
    if (!inside) return false;
  }
  return true;
}

/// Executes an Op that may access memory, for the fragment that is at the Op.
void InterpretedCta::run_watched(WarpState& state, std::size_t index, const Op& op) {
  const Frame& frame = *state.fragments[index].frame;
  const isa::Access access = frame.code->function->insts[op.inst].get_form().effects().access;
  // A load or store can be executed twice.
  const bool again = access == isa::Access::load || access == isa::Access::store;
  watched_ = {&state, index, &op, state.warp.mask, state.warp.mask, true};
  if (again && is_harmless(state.warp, op)) {
    op.run(state.warp, op);
    watched_ = {};
    return;
  }
  watched_.together = false;
  run_lanes();
}

void InterpretedCta::run_lanes() {
  Warp& warp = watched_.state->warp;
  const Op& op = *watched_.op;
  while (watched_.left) {
    warp.mask = watched_.left & -watched_.left;
    op.run(warp, op);
    watched_.left &= ~warp.mask;
  }
  warp.mask = watched_.all;
  watched_ = {};
}

/// Called after a jump out of an access: executes it for the lanes that are left, and then the
/// fragment continues.
void InterpretedCta::end_watched() {
  if (!watched_.op) return;
  Fragment& fragment = watched_.state->fragments[watched_.index];
  run_lanes();
  ++fragment.pc;
}

void InterpretedCta::report(TrapKind kind, u32 lane, std::optional<u64> address) {
  const Op* const op = current_->warp.op;
  if (reported_.insert(op).second) {
    trapped(*current_, kind, lane, address);
    launch_.config->on_fault(trap_);
  }
  detail_.clear();
  handler_detail_.text.clear();
}

/// Sets the registers that the instruction writes to 0 in the lanes.
void InterpretedCta::clear_results(const Code& code, u32 inst, u32 lanes) const {
  const ir::Function& function = *code.function;
  for (const ir::RegId id : ir::registers_of(function, function.insts[inst]).written) {
    const isa::Type type = function.registers[id.value].type;
    u8* const at = current_->warp.at<u8>(code.registers[id.value]);
    if (type == isa::Type::pred) {
      *reinterpret_cast<u32*>(at) &= ~lanes;
      continue;
    }
    const u32 bytes = u32{isa::type_info(type).bits} / 8;
    for (u32 rest = lanes; rest; rest &= rest - 1)
      std::memset(at + std::size_t{bytes} * static_cast<u32>(std::countr_zero(rest)), 0, bytes);
  }
}

/// Called after a jump out of an instruction. True: the fault has been reported, and the CTA
/// continues.
bool InterpretedCta::goes_on(bool page_fault) {
  if (!reports_) return false;
  Warp& warp = current_->warp;
  const Op& op = *warp.op;
  if (!page_fault && warp.trap_kind != TrapKind::illegal_address) return false;
  if (watched_.op != &op) return skip(page_fault);
  if (std::exchange(watched_.together, false)) return true;  // now lane by lane
  const u32 bit = watched_.left & -watched_.left;
  const u32 lane = static_cast<u32>(std::countr_zero(bit));
  const u64 own = lane_address(warp, op, lane);
  const u64 host = own + window_start(warp, op, lane);
  const u64 address = page_fault ? fault_.address : warp.trap_has_address ? warp.trap_address : own;
  const bool is_own = address == own || address - host < kReach;
  report(TrapKind::illegal_address, lane, is_own && page_fault ? own : address);
  watched_.left &= ~bit;
  if (!is_own) {
    clear_results(*watched_.state->fragments[watched_.index].frame->code, op.inst, bit);
    return true;
  }
  Op elsewhere = op;
  elsewhere.base = AddressBase::absolute;
  elsewhere.window = Window::generic;
  elsewhere.offset = zeros_;
  std::memset(reinterpret_cast<void*>(zeros_), 0, kReach);
  warp.mask = bit;
  elsewhere.run(warp, elsewhere);
  return true;
}

/// Skips an instruction over the lanes of the warp.
bool InterpretedCta::skip(bool page_fault) {
  Warp& warp = current_->warp;
  const Op& op = *warp.op;
  if (op.control != Control::warp_op) return false;
  for (Fragment& one : current_->fragments) {
    if (!(one.mask & warp.mask) || one.frame->ops().data() + one.pc != &op) continue;
    const u32 lane = page_fault ? static_cast<u32>(std::countr_zero(warp.mask)) : warp.trap_lane;
    report(TrapKind::illegal_address, lane,
           page_fault              ? std::optional(fault_.address)
           : warp.trap_has_address ? std::optional(warp.trap_address)
                                   : std::nullopt);
    clear_results(*one.frame->code, op.inst, one.mask);
    ++one.pc;
    return true;
  }
  return false;
}

}  // namespace heddle::interp
