// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "interp/cta.h"

#include <algorithm>
#include <bit>
#include <cstdlib>
#include <cstring>
#include <thread>

#include "base/check.h"
#include "interp/cluster.h"
#include "isa/groups.h"

namespace heddle::interp {
namespace {

using machine::TrapKind;

constexpr u32 kNoStop = 0xffffffffu;

}  // namespace

std::unique_ptr<machine::Cta> Interpreted::make_cta(machine::Launch& launch) const {
  if (launch.cluster.volume() > 1) return std::make_unique<InterpretedCluster>(*this, launch);
  return std::make_unique<InterpretedCta>(*this, launch);
}

InterpretedCta::InterpretedCta(const Interpreted& program, machine::Launch& launch,
                               Cluster* cluster)
    : program_(program),
      launch_(launch),
      entry_(program.code_of(program.entry)),
      region_(launch.loaded->region()),
      barriers_(kBarriers),
      free_frames_(program.codes.size()),
      cluster_(cluster ? cluster : &alone_) {
  if (cluster) shared_base_ = cluster->base + cluster->members.size() * machine::kSharedSlot;
  cluster_->members.push_back(this);
  warps_ = static_cast<u32>((launch.config->block.volume() + kLanes - 1) / kLanes);
}

InterpretedCta::~InterpretedCta() {
  machine::Memory& memory = launch_.loaded->memory();
  if (alone_.base) memory.give_shared(region_, alone_.base);
  if (local_base_) memory.give_local(region_, local_base_);
}

Result<bool> InterpretedCta::begin(u64 index) {
  const machine::LaunchConfig& config = *launch_.config;
  machine::Memory& memory = launch_.loaded->memory();
  if (!shared_base_) {
    const auto shared = memory.take_shared(region_, launch_.shared_bytes);
    if (!shared.ok()) return shared.error();
    shared_base_ = alone_.base = *shared;
  }
  if (!local_base_ && program_.local_bytes) {
    local_stride_ = (program_.local_bytes +
                     (program_.calls || program_.moves_stack ? config.stack_bytes : 0) + 15) /
                    16 * 16;
    const auto local = memory.take_local(region_, local_stride_ * warps_ * kLanes);
    if (!local.ok()) return local.error();
    local_base_ = *local;
  }
  const machine::Dim3& grid = launch_.grid;
  cta_ = {static_cast<u32>(index % grid.x), static_cast<u32>(index / grid.x % grid.y),
          static_cast<u32>(index / grid.x / grid.y)};
  cta_index_ = index;
  if (states_.empty()) make_warps();
  prepare(Scope::cta, *states_[0]);
  if (active_barriers_) {
    for (Barrier& barrier : barriers_) barrier.active = false;
    active_barriers_ = 0;
  }
  cluster_->barrier_active = false;
  const u64 threads = config.block.volume();
  alive_warps_ = warps_;
  for (u32 w = 0; w < warps_; ++w) {
    WarpState& state = *states_[w];
    const u64 left = threads - u64{w} * kLanes;
    state.alive = left >= kLanes ? kAllLanes : (1u << left) - 1;
    state.started = false;
    state.waiting = state.cluster_arrived = state.cluster_owed = 0;
  }
  return true;
}

/// The warps' parts that stay as they are for all CTAs that this object becomes.
void InterpretedCta::make_warps() {
  const machine::Memory& memory = launch_.loaded->memory();
  for (Barrier& barrier : barriers_) barrier.arrived.resize(warps_);
  uniform_.reset(program_.uniform_bytes);
  for (u32 w = 0; w < warps_; ++w) {
    states_.push_back(std::make_unique<WarpState>());
    WarpState& state = *states_[w];
    state.index = w;
    state.specials.reset(program_.special_bytes);
    Warp& warp = state.warp;
    warp.set_block(Block::constants, program_.constants.data());
    warp.set_block(Block::uniform, uniform_.data());
    warp.set_block(Block::specials, state.specials.data());
    warp.low_base = memory.low().all.base, warp.low_size = memory.low().all.size;
    warp.high_base = memory.high().all.base, warp.high_size = memory.high().all.size;
    if (!warp.low_size) warp.low_base = warp.high_base, warp.low_size = warp.high_size;
    warp.shared_base = shared_base_, warp.shared_size = launch_.shared_bytes;
    warp.shared_window = machine::kSharedSlot;
    warp.cluster_base = cluster_->base;
    warp.cluster_size = cluster_->members.size() * machine::kSharedSlot;
    warp.detail = &handler_detail_;
    warp.local_base = local_base_ + local_stride_ * w * kLanes, warp.local_stride = local_stride_;
    warp.params = launch_.params, warp.params_size = launch_.config->params.size();
    warp.const_base = launch_.loaded->constants().base,
    warp.const_size = launch_.loaded->constants().size;
    warp.recover = &recover_;
    warp.stack = state.stack.data();
    prepare(Scope::warp, state);
  }
  prepare(Scope::launch, *states_[0]);
}

/// Fills the special registers of a scope and runs its prologue. Nothing in a prologue can trap.
void InterpretedCta::prepare(Scope scope, WarpState& state) {
  const Prologue& prologue = program_.prologues[static_cast<u32>(scope)];
  u8* const block = scope == Scope::warp ? state.specials.data() : uniform_.data();
  for (const SpecialUse& use : prologue.specials) {
    fill_special(identity(state), use.reg, use.component, use.bytes, block + use.offset);
  }
  run_full(state.warp, prologue.ops.data());
}

/// The warp's threads stand before the first instruction. Done when the warp first runs: a warp
/// that ends before the next one starts hands its registers on while they are in the cache.
void InterpretedCta::start(WarpState& state) {
  Frame* const frame = take_frame(*entry_, state.alive);
  state.fragments.clear();
  state.fragments.emplace_back(frame, 0u, state.alive);
  if (program_.moves_stack) state.stack.fill(local_stride_);
  state.started = true;
}

// --- frames ---

Frame* InterpretedCta::take_frame(const Code& code, u32 lanes) {
  Frame*& free = free_frames_[code.index];
  Frame* frame = free;
  if (!frame) {
    frames_.push_back(std::make_unique<Frame>());
    frame = frames_.back().get();
    frame->code = &code;
    frame->registers.reset(code.register_bytes);
  } else {
    free = frame->caller;
  }
  frame->local = 0;
  frame->caller = nullptr;
  frame->site = nullptr;
  frame->return_pc = 0;
  frame->depth = 0;
  frame->lanes = lanes;
  return frame;
}

void InterpretedCta::give_frame(Frame* frame) {
  Frame*& free = free_frames_[frame->code->index];
  frame->caller = free;
  free = frame;
}

/// `lanes` are gone from the frame for good; the last ones give it back.
void InterpretedCta::leave_frame(Frame* frame, u32 lanes) {
  frame->lanes &= ~lanes;
  if (!frame->lanes) give_frame(frame);
}

// --- running ---

/// Runs a whole warp up to an instruction that run_fragment() does: a control instruction, or the
/// branch at which its turn or the CTA's budget may end.
const Op* InterpretedCta::run_whole(Warp& warp, const Op* op) {
  const s64 most = std::min(turn_, budget_) - 1;
  warp.turns = most;
  op = run_full(warp, op);
  turn_ -= most - warp.turns;
  budget_ -= most - warp.turns;
  return op;
}

/// Handlers find the frame's registers and local memory.
void InterpretedCta::show_frame(Warp& warp, const Frame& frame) {
  warp.set_block(Block::frame, frame.registers.data());
  warp.frame_local = frame.local;
}

void InterpretedCta::run_fragment(WarpState& state, std::size_t index) {
  Fragment& fragment = state.fragments[index];
  Frame* const frame = fragment.frame;
  Warp& warp = state.warp;
  show_frame(warp, *frame);
  const Op* const ops = frame->code->ops.data();
  u32 stop = kNoStop;  // where another fragment waits to be joined
  for (const Fragment& other : state.fragments) {
    if (other.frame == frame && other.pc > fragment.pc && other.wait < Wait::barrier)
      stop = std::min(stop, other.pc);
  }
  const u32 mask = fragment.mask;
  const u8* const registers = frame->registers.data();
  const Op* op = ops + fragment.pc;
  const Op* const end = stop == kNoStop ? ops + frame->code->ops.size() : ops + stop;
  const bool mixed = launch_.random.has_value();
  while (op < end) {
    if (mixed) {
      // Not within an instruction: what it computes on its way is kept for it alone.
      const bool begins = op == ops || op[-1].inst != op->inst;
      if (begins && steps_-- == 0) {
        turn_ = 0;
        break;
      }
    } else if (mask == kAllLanes) {  // then no other fragment waits to be joined
      op = run_whole(warp, op);
    }
    u32 active = mask;
    if (op->guard != kUnguarded) {
      active &= guarded_lanes(registers, *op);
      if (!active) {
        ++op;
        continue;
      }
    }
    warp.mask = active;
    warp.op = op;
    if (op->control == Control::none) {
      op->run(warp, *op);
      ++op;
      continue;
    }
    const u32 pc = static_cast<u32>(op - ops);
    if (op->control == Control::bra && active == mask) {
      const u32 target = static_cast<u32>(op->offset);
      if (target <= pc && (--budget_, --turn_ <= 0)) {
        fragment.pc = target;
        return;
      }
      op = ops + target;
      continue;
    }
    fragment.pc = pc;
    if (!control(state, index, *op, active)) return;
    ++op;
  }
  fragment.pc = static_cast<u32>(op - ops);
}

/// Runs a control instruction. True: the fragment, unchanged, goes on at the next one. False: its
/// state says what is next.
bool InterpretedCta::control(WarpState& state, std::size_t index, const Op& op, u32 active) {
  Warp& warp = state.warp;
  switch (op.control) {
    case Control::bra: {
      Fragment& fragment = state.fragments[index];
      Fragment taken = fragment;
      taken.pc = static_cast<u32>(op.offset);
      taken.mask = active;
      if (taken.pc <= fragment.pc) --budget_, --turn_;
      fragment.mask &= ~active;
      ++fragment.pc;
      state.fragments.push_back(taken);
      return false;
    }
    case Control::brx_idx:
      branch_indexed(state, index, op, active);
      return false;
    case Control::call:
      call(state, index, op, active);
      return false;
    case Control::finish:
    case Control::ret:
      if (state.fragments[index].frame->caller)
        ret(state, index, active);
      else
        exit(state, index, active);
      return false;
    case Control::exit:
      exit(state, index, active);
      return false;
    case Control::bar_sync:
    case Control::bar_arrive:
    case Control::bar_red:
      barrier(state, index, op, active);
      return false;
    case Control::warp_barrier:
      warp_barrier(state, index, op, active);
      return false;
    case Control::warp_op:
      return member_op(state, index, op, active);
    case Control::refresh_special: {
      const auto& info = isa::special_register_info(static_cast<isa::SpecialRegister>(op.offset));
      fill_special(identity(state), static_cast<isa::SpecialRegister>(op.offset), op.count,
                   isa::type_info(info.type).bits / 8, warp.at<u8>(op.dst[0]));
      return true;
    }
    case Control::nanosleep: {
      // Others go first; the time itself passes for the slowest lane, at most as long as the manual
      // allows (1 ms).
      u32 most = 0;
      for (u32 rest = active; rest; rest &= rest - 1) {
        most = std::max(most, warp.at<const u32>(op.src[0])[std::countr_zero(rest)]);
      }
      std::this_thread::sleep_for(std::chrono::nanoseconds(std::min(most, 1'000'000u)));
      ++state.fragments[index].pc;
      turn_ = 0;
      return false;
    }
    case Control::mbarrier_wait:
      return mbarrier_wait(state, index, op, active);
    case Control::cluster_arrive:
      cluster_arrive(state, op, active);
      return true;
    case Control::cluster_wait:
      return cluster_wait(state, index, active);
    case Control::try_cancel:
      try_cancel(op, active);
      return true;
    case Control::trap:
      raise_trap(warp, TrapKind::trap_instruction, static_cast<u32>(std::countr_zero(active)),
                 nullptr);
    case Control::brkpt:
      raise_trap(warp, TrapKind::breakpoint, static_cast<u32>(std::countr_zero(active)), nullptr);
    case Control::none:
      break;
  }
  HEDDLE_UNREACHABLE();
}

}  // namespace heddle::interp
