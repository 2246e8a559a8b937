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
#include "machine/tensor_memory_leak.h"

namespace heddle::interp {

using machine::CtaStatus;

namespace {

using machine::TrapKind;

constexpr u32 kNoStop = 0xffffffffu;

/// From sm_70 on, threads of a warp may diverge anywhere between instructions that synchronize them
/// (3.2). Code for older targets relies on their convergence (9.7.13.2: `.sync`).
bool has_independent_threads(const ir::Module& module) {
  return module.targets.empty() || module.targets.front().sm >= 70;
}

/// Whether the lanes of a warp have consecutive %tid.x and the same %tid.y and %tid.z (3.1), as the
/// decoder assumes.
bool is_linear(machine::Dim3 block) { return block.x % kLanes == 0 || block.volume() == block.x; }

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
      barriers_(machine::kAllBarriers),
      free_frames_(program.codes.size()),
      tensor_memory_(cluster ? &cluster->tensor_memory : &alone_.tensor_memory),
      cluster_(cluster ? cluster : &alone_),
      most_in_gang_(launch.config->on_fault ? 0 : most_in_gang(*entry_)),
      starts_whole_(!entry_->whole_ops.empty() && !launch.random && !launch.config->on_fault &&
                    is_linear(launch.config->block)),
      parts_(launch.random && has_independent_threads(launch.loaded->module())),
      reports_(static_cast<bool>(launch.config->on_fault)) {
  if (cluster) shared_base_ = cluster->base + cluster->members.size() * machine::kSharedSlot;
  cluster_->members.push_back(this);
  warps_ = static_cast<u32>((launch.config->block.volume() + kLanes - 1) / kLanes);
  gangs_.resize(warps_);
}

InterpretedCta::~InterpretedCta() {
  machine::Memory& memory = launch_.loaded->memory();
  if (alone_.base) memory.give_shared(region_, alone_.base, launch_.shared_bytes);
  if (local_base_) memory.give_local(region_, local_base_);
  if (zeros_) memory.release(zeros_);
}

u64 InterpretedCta::local_bytes_of_thread() const {
  const u64 calls = program_.calls || program_.moves_stack ? launch_.config->stack_bytes : 0;
  return (program_.local_bytes + calls + 15) / 16 * 16;
}

Result<u64> InterpretedCta::begin(u64 index, u64 most) {
  const machine::LaunchConfig& config = *launch_.config;
  machine::Memory& memory = launch_.loaded->memory();
  if (!shared_base_) {
    const auto shared = memory.take_shared(region_, launch_.shared_bytes);
    if (!shared.ok()) return shared.error();
    shared_base_ = alone_.base = *shared;
  }
  if (!local_base_ && program_.local_bytes) {
    local_stride_ = local_bytes_of_thread();
    const auto local = memory.take_local(region_, local_stride_ * warps_ * kLanes);
    if (!local.ok()) return local.error();
    local_base_ = *local;
  }
  if (reports_ && !zeros_) {
    const auto zeros = memory.allocate(machine::kPage, machine::kPage, &region_ == &memory.low());
    if (!zeros.ok()) return zeros.error();
    zeros_ = *zeros;
  }
  // A CTA of such a launch runs to its end before the next one begins.
  const bool in_a_row =
      program_.straight && cluster_ == &alone_ && !launch_.random && !config.cooperative;
  if (!in_a_row) most = 1;
  end_ = index + most;
  begin_cta(index);
  return most;
}

/// This object becomes the CTA with that index.
void InterpretedCta::begin_cta(u64 index) {
  const machine::Dim3& grid = launch_.grid;
  if (index == cta_index_ + 1 && launch_.rows == 1) {
    if (++cta_.x == grid.x) cta_.x = 0, ++cta_.y;
    if (cta_.y == grid.y) cta_.y = 0, ++cta_.z;
  } else {
    cta_ = launch_.place_of(index);
  }
  cta_index_ = index;
  if (states_.empty()) make_warps();
  cta_values_.clear();
  for (const CtaSpecial& one : program_.cta_specials) {
    cta_values_.push_back(uniform_value(identity(*states_[0]), one.reg, one.component));
  }
  if (active_barriers_) {
    for (Barrier& barrier : barriers_) barrier.active = false;
    active_barriers_ = 0;
  }
  cluster_->barrier_active = false;
  tensor_memory_->begin(rank());
  alive_warps_ = warps_;
  if (gangs_stay_) return;  // the warps are as the CTA before left them
  const u64 threads = launch_.config->block.volume();
  for (u32 w = 0; w < warps_; ++w) {
    WarpState& state = *states_[w];
    const u64 left = threads - u64{w} * kLanes;
    state.alive = left >= kLanes ? kAllLanes : (1u << left) - 1;
    state.started = false;
    state.waiting = state.cluster_arrived = state.cluster_owed = 0;
    if (program_.moves_stack) state.stack.fill(local_stride_);
  }
}

/// Called when the CTA has ended: begins the next CTA of the row. A status: there is none, or the
/// CTA has not freed its tensor memory.
std::optional<CtaStatus> InterpretedCta::end_cta() {
  if (auto leak = machine::find_leak(launch_, cta_, tensor_memory_->find(rank()))) {
    trap_ = std::move(*leak);
    return CtaStatus::trapped;
  }
  if (cta_index_ + 1 >= end_ || launch_.stop.load(std::memory_order_relaxed))
    return CtaStatus::finished;
  begin_cta(cta_index_ + 1);
  return std::nullopt;
}

/// Makes the parts of the warps that do not change from one CTA to the next.
void InterpretedCta::make_warps() {
  const machine::Memory& memory = launch_.loaded->memory();
  for (u32 w = 0; w < warps_; ++w) {
    states_.push_back(std::make_unique<WarpState>());
    WarpState& state = *states_[w];
    state.index = w;
    state.specials.reset(program_.warp_special_bytes);
    for (const SpecialUse& use : program_.warp_specials)
      fill_special(identity(state), use.reg, use.component, use.bytes,
                   state.specials.data() + use.copy);
    Warp& warp = state.warp;
    warp.low_base = memory.low().all.base, warp.low_size = memory.low().all.size;
    warp.high_base = memory.high().all.base, warp.high_size = memory.high().all.size;
    if (!warp.low_size) warp.low_base = warp.high_base, warp.low_size = warp.high_size;
    warp.shared_base = shared_base_, warp.shared_size = launch_.shared_bytes;
    warp.shared_window = machine::kSharedSlot;
    warp.cluster_base = cluster_->base;
    warp.cluster_size = launch_.cluster.volume() * machine::kSharedSlot;
    warp.detail = &handler_detail_;
    warp.local_base = local_base_ + local_stride_ * w * kLanes, warp.local_stride = local_stride_;
    warp.params = launch_.params, warp.params_size = launch_.config->params.size();
    warp.const_base = launch_.loaded->constants().base,
    warp.const_size = launch_.loaded->constants().size;
    warp.recover = &recover_;
    warp.memory = &memory;
    warp.tensor_core = &launch_.profile->tensor_core;
    warp.first_thread = w * kLanes;
    warp.tensor_memory = tensor_memory_;
    warp.stack = state.stack.data();
  }
}

/// Fills the special registers of a new frame and runs its prologue for the launch. Nothing in a
/// prologue can trap.
void InterpretedCta::prepare_for_launch(WarpState& state, Frame& frame) {
  const Prologue& prologue = frame.code->prologues[static_cast<u32>(Scope::launch)];
  for (const SpecialUse& use : prologue.specials) {
    fill_special(identity(state), use.reg, use.component, use.bytes, frame.registers + use.place);
  }
  show_frame(state.warp, frame);
  Gang gang(state.warp);
  run_full(gang, prologue.ops.data());
}

/// The same for the CTA, in the frames of the gang, which are of one function.
void InterpretedCta::prepare_for_cta(Gang& gang, const Code& code) const {
  gang.cta_values = cta_values_.data();
  run_full(gang, code.prologues[static_cast<u32>(Scope::cta)].ops.data());
}
void InterpretedCta::prepare_for_cta(WarpState& state, Frame& frame) const {
  if (frame.cta == cta_index_) return;
  frame.cta = cta_index_;
  show_frame(state.warp, frame);
  Gang gang(state.warp);
  prepare_for_cta(gang, *frame.code);
}

/// The same for a warp.
void InterpretedCta::prepare_for_warp(const WarpState& state, Frame& frame) {
  if (frame.warp == state.index) return;
  frame.warp = state.index;
  for (const SpecialUse& use : frame.code->prologues[static_cast<u32>(Scope::warp)].specials) {
    std::memcpy(frame.registers + use.place, state.specials.data() + use.copy, use.bytes * kLanes);
  }
}

/// Puts the warp's threads before the first instruction. This happens when the warp first runs:
/// then a warp that ends before the next warp starts passes its frame on while that is in the
/// cache.
void InterpretedCta::start(WarpState& state, Frame& frame) const {
  state.fragments.clear();
  state.fragments.emplace_back(&frame, 0u, state.alive);
  state.started = true;
}

// --- frames ---

/// A frame that is prepared for the warp, but not for the CTA.
Frame* InterpretedCta::take_frame(WarpState& state, const Code& code, u32 lanes) {
  Frame*& free = free_frames_[code.index];
  Frame* frame = free;
  if (!frame) {
    frames_.push_back(std::make_unique<Frame>());
    frame = frames_.back().get();
    frame->code = &code;
    frame->memory.reset(code.below.size() + code.register_bytes);
    std::copy(code.below.begin(), code.below.end(), frame->memory.data());
    frame->registers = frame->memory.data() + code.below.size();
    prepare_for_launch(state, *frame);
  } else {
    free = frame->caller;
  }
  prepare_for_warp(state, *frame);
  frame->local = 0;
  frame->caller = nullptr;
  frame->site = nullptr;
  frame->return_pc = 0;
  frame->depth = 0;
  frame->lanes = lanes;
  frame->whole = starts_whole_ && &code == entry_ && lanes == kAllLanes;
  return frame;
}

/// Fills the other lanes of the frame's affine registers. From now on, its warp executes Code::ops.
void InterpretedCta::spread(Frame& frame) {
  if (!frame.whole) return;
  frame.whole = false;
  const auto fill = [](auto* lanes, auto stride) {
    for (u32 lane = 1; lane < kLanes; ++lane) lanes[lane] = lanes[0] + stride * lane;
  };
  for (const AffineRegister& one : frame.code->affine) {
    u8* const at = frame.registers + one.place;
    const u64 stride = static_cast<u64>(one.stride);
    if (one.bytes == 8)
      fill(reinterpret_cast<u64*>(at), stride);
    else
      fill(reinterpret_cast<u32*>(at), static_cast<u32>(stride));
  }
}

/// The first Op of the instruction to which `op` belongs. `op` needs more than lane 0, but the Ops
/// before it have computed lane 0 alone, and their results are for this instruction only.
u32 InterpretedCta::first_of_inst(const Frame& frame, const Op& op) {
  const Op* const ops = frame.ops().data();
  const Op* first = &op;
  while (first > ops && first[-1].inst == op.inst) --first;
  return static_cast<u32>(first - ops);
}

void InterpretedCta::give_frame(Frame* frame) {
  Frame*& free = free_frames_[frame->code->index];
  frame->caller = free;
  free = frame;
}

/// `lanes` have left the function. When no lane is left in it, the frame becomes free.
void InterpretedCta::leave_frame(Frame* frame, u32 lanes) {
  frame->lanes &= ~lanes;
  if (!frame->lanes) give_frame(frame);
}

// --- running ---

/// Gives the handlers the frame's registers and local memory.
void InterpretedCta::show_frame(Warp& warp, const Frame& frame) {
  warp.frame = frame.registers;
  warp.frame_local = frame.local;
}

void InterpretedCta::run_fragment(WarpState& state, std::size_t index) {
  Fragment& fragment = state.fragments[index];
  Frame* const frame = fragment.frame;
  Warp& warp = state.warp;
  const bool mixed = launch_.random.has_value();
  const u32 mask = fragment.mask;
  if (mask != kAllLanes) spread(*frame);
  show_frame(warp, *frame);
  const Op* const ops = frame->ops().data();
  u32 stop = kNoStop;  // the next place where another fragment can merge with this one
  for (const Fragment& other : state.fragments) {
    if (other.frame == frame && other.pc > fragment.pc && other.wait < Wait::barrier)
      stop = std::min(stop, other.pc);
  }
  const Op* op = ops + fragment.pc;
  const Op* const end = ops + std::min<std::size_t>(stop, frame->code->ops.size());
  while (op < end) {
    if (mixed) {
      // No turn ends within an instruction: its scratch places are for one fragment at a time.
      const bool begins = op == ops || op[-1].inst != op->inst;
      if (begins && steps_-- == 0) {
        turn_ = 0;
        break;
      }
    } else if (mask == kAllLanes && !reports_) {  // then the warp has no other fragment
      WarpGang& alone = gangs_[0];
      alone = {Gang(warp), state.index, {frame}, op};
      run_whole(alone);
      op = alone.op;
      if (op->control == Control::none) {  // the Op needs more than lane 0
        fragment.pc = first_of_inst(*frame, *op);
        spread(*frame);
        return;
      }
    }
    const u32 active = active_lanes(warp, *op, mask);
    if (!active) {
      ++op;
      continue;
    }
    warp.mask = active;
    warp.op = op;
    if (op->control == Control::none && reports_ && !op->pure) {
      fragment.pc = static_cast<u32>(op - ops);
      run_watched(state, index, *op);
      ++op;
      continue;
    }
    if (op->control == Control::none) {
      op->run(warp, *op);
      ++op;
      continue;
    }
    const u32 pc = static_cast<u32>(op - ops);
    if (op->control == Control::bra && active == mask) {
      const u32 target = op->target;
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

/// Executes a control instruction. True: the fragment is unchanged, and continues at the next Op.
/// False: its state says where it continues.
bool InterpretedCta::control(WarpState& state, std::size_t index, const Op& op, u32 active) {
  Warp& warp = state.warp;
  switch (op.control) {
    case Control::bra: {
      Fragment& fragment = state.fragments[index];
      Fragment taken = fragment;
      taken.pc = op.target;
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
    case Control::pause:
      ++state.fragments[index].pc;
      turn_ = 0;
      return false;
    case Control::warp_op:
      return member_op(state, index, op, active);
    case Control::refresh_special: {
      const auto& info = isa::special_register_info(op.special);
      fill_special(identity(state), op.special, op.count, isa::type_info(info.type).bits / 8,
                   warp.at<u8>(op.dst[0]));
      return true;
    }
    case Control::nanosleep: {
      // The turn ends. The host sleeps as long as the slowest lane asks, but no longer than the
      // manual allows (1 ms).
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
