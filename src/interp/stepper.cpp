// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Executes single instructions for an engine that has no code for them (machine::Stepper). They run
// on a frame of their own: its registers get the values of the sources, and then hold the results.
#include <algorithm>
#include <bit>
#include <cstring>
#include <limits>
#include <optional>
#include <utility>

#include "interp/cta.h"
#include "ir/registers.h"
#include "machine/launch.h"

namespace heddle::interp {

using machine::CtaStatus;

namespace {

/// Which rows the registers are.
std::vector<StepPlan::Row> rows_of(const Code& code, const std::vector<ir::RegId>& registers) {
  std::vector<StepPlan::Row> rows;
  u32 row = 0;
  for (const ir::RegId id : registers) {
    const isa::Type type = code.function->registers[id.value].type;
    const u32 bytes = type == isa::Type::pred ? 4 : u32{isa::type_info(type).bits} / 8 * kLanes;
    rows.push_back({code.registers[id.value], row, bytes});
    row += bytes > sizeof(u64) * kLanes ? 2 : 1;
  }
  return rows;
}

StepPlan plan_of(const Code& code, u32 inst) {
  StepPlan plan;
  plan.first = std::partition_point(code.ops.data(), code.ops.data() + code.ops.size(),
                                    [&](const Op& op) { return op.inst < inst; });
  for (const Op* op = plan.first; op < code.ops.data() + code.ops.size() && op->inst == inst; ++op)
    plan.calls |= op->control == Control::call;
  if (plan.calls) return plan;  // a call has its own registers
  const ir::InstRegisters registers = ir::registers_of(*code.function, code.function->insts[inst]);
  plan.read = rows_of(code, registers.read);
  plan.written = rows_of(code, registers.written);
  return plan;
}

class InterpreterSteps final : public machine::Stepper {
 public:
  InterpreterSteps(const Interpreted& program, machine::Launch& launch)
      : program_(program), launch_(launch), cta_(program, launch) {}
  void begin(const machine::StepPlace& place) override {
    cta_.begin_steps(place);
    place_ = place;
    calls_begun_ = false;
  }
  bool run(ir::FunctionId function, u32 inst, u32 warp, u32 lanes, u64 (*rows)[32]) override {
    last_ = &cta_;
    return cta_.run_step({program_.code_of(function), inst, warp, lanes, rows});
  }
  bool call(ir::FunctionId function, u32 inst, u32 warp, u32 lanes, u64 (*rows)[32]) override {
    if (!calls_) calls_.emplace(program_, launch_);
    if (!std::exchange(calls_begun_, true)) calls_->begin_calls(place_);
    last_ = &*calls_;
    return calls_->run_call({program_.code_of(function), inst, warp, lanes, rows});
  }
  const machine::Trap& trap() const override { return last_->trap(); }

 private:
  const Interpreted& program_;
  machine::Launch& launch_;
  InterpretedCta cta_;
  std::optional<InterpretedCta> calls_;  ///< runs whole calls
  machine::StepPlace place_;
  bool calls_begun_ = false;
  const InterpretedCta* last_ = &cta_;
};

}  // namespace

std::unique_ptr<machine::Stepper> Interpreted::make_stepper(machine::Launch& launch,
                                                            u32 rank) const {
  const bool clustered = launch.cluster.volume() > 1;
  return std::make_unique<InterpreterSteps>(clustered ? in_cluster(rank) : *this, launch);
}

/// The CTA's memory is the other engine's.
void InterpretedCta::begin_steps(const machine::StepPlace& place) {
  local_base_ = place.local_base;
  local_stride_ = place.local_stride;
  begin_place(place);
  // The destructor must not free the other engine's memory.
  alone_.base = local_base_ = 0;
}

/// Calls have local memory of their own, because the other engine has another layout.
void InterpretedCta::begin_calls(const machine::StepPlace& place) {
  if (!local_base_ && program_.local_bytes) {
    local_stride_ = local_bytes_of_thread();
    const auto local =
        launch_.loaded->memory().take_local(region_, local_stride_ * warps_ * kLanes);
    // If there is none, calls trap because of too little local memory.
    local_base_ = local.ok() ? *local : 0;
    if (!local.ok()) local_stride_ = 0;
  }
  begin_place(place);
  alone_.base = 0;
}

void InterpretedCta::begin_place(const machine::StepPlace& place) {
  cta_ = place.cta;
  cta_index_ = place.cta_index;
  shared_base_ = place.shared_base;
  cluster_->base = place.cluster_base;
  tensor_memory_ = place.tensor_memory;
  if (states_.empty()) {
    make_warps();
    step_frames_.resize(program_.codes.size());
    step_plans_.resize(program_.codes.size());
  }
  cta_values_.clear();
  for (const CtaSpecial& one : program_.cta_specials)
    cta_values_.push_back(uniform_value(identity(*states_[0]), one.reg, one.component));
}

Frame& InterpretedCta::frame_of_step(WarpState& state) {
  Frame*& frame = step_frames_[step_.code->index];
  if (!frame) {
    frame = take_frame(state, *step_.code, kAllLanes);
    frame->whole = false;
  }
  prepare_for_warp(state, *frame);
  prepare_for_cta(state, *frame);
  return *frame;
}

bool InterpretedCta::run_step(const Step& step) {
  step_ = step;
  std::vector<StepPlan>& plans = step_plans_[step.code->index];
  if (plans.empty()) plans.resize(step.code->function->insts.size());
  StepPlan& plan = plans[step.inst];
  if (!plan.first) plan = plan_of(*step.code, step.inst);
  step_plan_ = &plan;
  return guarded(&InterpretedCta::step_once) != CtaStatus::trapped;
}

CtaStatus InterpretedCta::step_once() {
  WarpState& state = *states_[step_.warp];
  const StepPlan& plan = *step_plan_;
  current_ = &state;
  Frame& frame = frame_of_step(state);
  Warp& warp = state.warp;
  show_frame(warp, frame);
  for (const StepPlan::Row& one : plan.read)
    std::memcpy(warp.at<u8>(one.place), step_.rows[one.row], one.bytes);
  for (const Op* op = plan.first; op->inst == step_.inst && op->control != Control::finish; ++op) {
    warp.mask = step_.lanes;
    warp.op = op;
    step_op(state, *op);
  }
  for (const StepPlan::Row& one : plan.written)
    std::memcpy(step_.rows[one.row], warp.at<u8>(one.place), one.bytes);
  return CtaStatus::running;
}

void InterpretedCta::step_op(WarpState& state, const Op& op) {
  Warp& warp = state.warp;
  const u32 lanes = step_.lanes;
  switch (op.control) {
    case Control::none:
    case Control::warp_op:
      warp.members = lanes;
      return op.run(warp, op);
    case Control::mbarrier_wait:
      return set_predicate(warp, op.dst[0], lanes, past_phase(warp, op));
    case Control::call: {
      const CallSite& site = program_.call_sites[op.call_site];
      for (u32 rest = lanes; rest; rest &= rest - 1) {
        const u32 lane = static_cast<u32>(std::countr_zero(rest));
        warp.mask = 1u << lane;  // a fault is this lane's
        u64 arguments[kMostWords] = {};
        u32 words = 0;
        for (const Slot& slot : site.arguments) words += machine::words_in(slot.bytes);
        for (u32 i = 0; i < words; ++i) arguments[i] = step_.rows[i][lane];
        step_.rows[words][lane] =
            system_calls_.call(site.direct->system->function, thread_of(state, lane), arguments);
      }
      return;
    }
    default:  // refresh_special, nanosleep and try_cancel do not move the fragment
      if (state.fragments.empty()) state.fragments.emplace_back();
      control(state, 0, op, lanes);
  }
}

bool InterpretedCta::run_call(const Step& step) {
  step_ = step;
  return guarded(&InterpretedCta::call_once) != CtaStatus::trapped;
}

/// Copies the slots of the step's frame to rows, or back, for each lane.
void InterpretedCta::copy_words(const Frame& frame, const std::vector<Slot>& slots, bool to_rows) {
  const Warp& warp = states_[step_.warp]->warp;
  u32 row = 0;
  for (const Slot& slot : slots) {
    for (u32 at = 0; at < slot.bytes; at += sizeof(u64), ++row) {
      const u32 bytes = std::min<u32>(slot.bytes - at, sizeof(u64));
      for (u32 rest = step_.lanes; rest; rest &= rest - 1) {
        const u32 lane = static_cast<u32>(std::countr_zero(rest));
        u8* const in_frame = slot_address(warp, frame, slot, lane) + at;
        u64* const in_row = &step_.rows[row][lane];
        if (to_rows)
          *in_row = 0, std::memcpy(in_row, in_frame, bytes);
        else
          std::memcpy(in_frame, in_row, bytes);
      }
    }
  }
}

/// The lanes that call are the warp's only fragments until they have returned.
CtaStatus InterpretedCta::call_once() {
  WarpState& state = *states_[step_.warp];
  current_ = &state;
  Frame& frame = frame_of_step(state);
  Warp& warp = state.warp;
  show_frame(warp, frame);
  const auto op = std::ranges::find_if(step_.code->ops, [&](const Op& one) {
    return one.inst == step_.inst && one.control == Control::call;
  });
  const CallSite& site = program_.call_sites[op->call_site];
  warp.mask = step_.lanes;
  warp.op = &*op;
  budget_ = std::numeric_limits<s64>::max();
  state.fragments.assign(1, Fragment{});
  state.fragments[0].frame = &frame;
  state.fragments[0].pc = static_cast<u32>(op - step_.code->ops.begin());
  state.fragments[0].mask = step_.lanes;
  if (frame.code->local_bytes > local_stride_) {  // there is none left
    detail_ = "no local memory is left for the function that is called";
    raise_trap(warp, machine::TrapKind::stack_overflow,
               static_cast<u32>(std::countr_zero(step_.lanes)), nullptr);
  }
  copy_words(frame, site.arguments, false);
  call(state, 0, *op, step_.lanes);
  while (true) {
    std::erase_if(state.fragments, [&](const Fragment& one) { return one.frame == &frame; });
    if (state.fragments.empty()) break;
    merge(state);
    turn_ = kTurn;
    run_fragment(state, pick(state));
    if (machine::is_over(launch_)) return CtaStatus::running;  // without results
  }
  show_frame(warp, frame);
  copy_words(frame, site.returns, true);
  return CtaStatus::running;
}

}  // namespace heddle::interp
