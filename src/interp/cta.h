// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One CTA in the interpreter. A *fragment* is the set of threads of a warp that are at the same
// place (frame and pc). Of the fragments that can run, the one with the deepest call, and then the
// lowest pc, runs first. Fragments that meet become one: their threads reconverge. A fragment that
// loops for long yields to the others, so a thread may spin on another thread of its warp
// (independent thread scheduling, PTX ISA 3.2).
#pragma once

#include <algorithm>
#include <array>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <memory>
#include <optional>
#include <span>
#include <unordered_set>
#include <utility>
#include <vector>

#include "base/check.h"
#include "interp/program.h"
#include "interp/specials.h"
#include "interp/system_calls.h"
#include "interp/windows.h"
#include "ir/registers.h"
#include "machine/barrier.h"
#include "machine/cta_cluster.h"
#include "machine/engine.h"
#include "machine/fault.h"

namespace heddle::interp {

inline constexpr u64 kNobody = ~u64{0};

/// An activation of a function. The lanes that made the same call share it, whether they made the
/// call together or one by one.
struct Frame {
  const Code* code = nullptr;
  Lanes memory;
  u8* registers = nullptr;               ///< in `memory`, behind Code::below
  u64 cta = kNobody;                     ///< the CTA of the special registers in it, ...
  u32 warp = static_cast<u32>(kNobody);  ///< ... and their warp
  u64 local = 0;                         ///< offset of its variables in each thread's local memory
  Frame* caller = nullptr;               ///< of a free frame: the next free frame
  const CallSite* site = nullptr;
  u32 return_pc = 0;
  u32 depth = 0;
  u32 lanes = 0;       ///< lanes that have not left the function
  bool whole = false;  ///< executes Code::whole_ops

  const std::vector<Op>& ops() const { return whole ? code->whole_ops : code->ops; }
};

/// The lanes of `lanes` that hold `value`.
inline u32 lanes_equal(const u32* values, u32 lanes, u32 value) {
  u32 equal = 0;
  for (u32 lane = 0; lane < kLanes; ++lane)
    equal |= static_cast<u32>(values[lane] == value) << lane;
  return equal & lanes;
}

/// Backward branches and calls that a warp makes before the next warp of the CTA has its turn. Also
/// the bound after which a fragment that loops yields to the other fragments of its warp. The bound
/// is low, because a warp may spin on what another warp writes (libgomp's locks and barriers).
/// Longer turns do not make kernels faster that never spin.
inline constexpr s64 kTurn = 50;
/// Words of the arguments of a system function.
inline constexpr u32 kMostWords = machine::SystemFunctionInfo::kMostWords;
inline constexpr int kTrapRaised = 1;  ///< what sigsetjmp returns after raise_trap()

/// A fragment with one of the last two, `barrier` or `cluster`, stays where it is until another
/// thread moves it.
enum class Wait : u8 { none, members, mbarrier, barrier, cluster };

struct Fragment {
  Frame* frame = nullptr;
  u32 pc = 0;
  u32 mask = 0;
  u32 rounds = 0;  ///< how often the fragment yielded; the lowest number runs first
  Wait wait = Wait::none;
  u32 barrier = 0;
  u32 patience = 0;  ///< Wait::mbarrier: the CTA's round in which the fragment stops waiting
};

using machine::Barrier;
using machine::kBarriers;

/// How another engine's instruction is executed (stepper.cpp).
struct StepPlan {
  struct Row {
    Place place;
    u32 row, bytes;
  };
  const Op* first = nullptr;  ///< null: not made yet
  bool calls = false;
  std::vector<Row> read, written;
};

class InterpretedCta;

/// A CTA outside of clusters is a cluster of its own.
using Cluster = machine::Cluster<InterpretedCta>;

class InterpretedCta final : public machine::Cta, private SystemCaller {
 public:
  /// `cluster`: the CTA becomes a member of it, and its windows exist; null: the CTA is alone.
  InterpretedCta(const Interpreted& program, machine::Launch& launch, Cluster* cluster = nullptr);
  ~InterpretedCta() override;

  Result<u64> begin(u64 index, u64 most) override;
  machine::CtaStatus run(u64 budget) override;
  const machine::Trap& trap() const override { return trap_; }

  // For the cluster.
  /// The last run() executed nothing: all threads wait, and only threads of other CTAs can end
  /// their waits.
  bool is_blocked() const { return blocked_; }
  /// Called when no CTA of the cluster can run. Answers waits for mbarrier objects with "no" where
  /// the thread then leaves its loop, or changes something in it. CtaStatus::finished: there is no
  /// such wait.
  machine::CtaStatus unblock();
  /// Makes the trap that says why the CTA is blocked.
  machine::CtaStatus deadlock();

  // For another engine, whose Stepper executes single instructions here (stepper.cpp).
  void begin_steps(const machine::StepPlace& place);
  void begin_calls(const machine::StepPlace& place);
  struct Step {
    const Code* code = nullptr;
    u32 inst = 0, warp = 0, lanes = 0;
    u64 (*rows)[kLanes] = nullptr;
  };
  bool run_step(const Step& step);
  bool run_call(const Step& step);

  // For the cluster.
  void check_cluster_arrivals(bool& all) const;
  void release_cluster_waiters();

 private:
  struct WarpState {
    Warp warp;
    u32 index = 0;
    u32 alive = 0;
    bool started = false;
    u32 waiting = 0;  ///< 0: no fragment waits for an mbarrier object
    /// Lanes that have arrived at the cluster's barrier; lanes that have still to wait there.
    u32 cluster_arrived = 0, cluster_owed = 0;
    std::vector<Fragment> fragments;
    Lanes specials;
    std::array<u64, kLanes> stack{};  ///< Warp::stack
  };

  // setting up
  void begin_cta(u64 index);
  std::optional<machine::CtaStatus> end_cta();
  void make_warps();
  void prepare_for_launch(WarpState& state, Frame& frame);
  void prepare_for_cta(Gang& gang, const Code& code) const;
  void prepare_for_cta(WarpState& state, Frame& frame) const;
  static void prepare_for_warp(const WarpState& state, Frame& frame);
  void start(WarpState& state, Frame& frame) const;
  /// In the cluster.
  u32 rank() const {
    return static_cast<u32>((shared_base_ - cluster_->base) / machine::kSharedSlot);
  }
  WarpIdentity identity(const WarpState& state) const {
    return {&launch_, cta_, cta_index_, state.index, 0};
  }

  // frames
  Frame* take_frame(WarpState& state, const Code& code, u32 lanes);
  static void spread(Frame& frame);
  static u32 first_of_inst(const Frame& frame, const Op& op);
  void give_frame(Frame* frame);
  void leave_frame(Frame* frame, u32 lanes);

  // running
  machine::CtaStatus guarded(machine::CtaStatus (InterpretedCta::*body)());
  bool run_warp(WarpState& state);
  void run_fragment(WarpState& state, std::size_t index);
  bool control(WarpState& state, std::size_t index, const Op& op, u32 active);
  void find_culprit();
  bool run_alone(u32 number);

  // gangs (cta_gang.cpp)
  /// Adjacent warps that run as a gang, and the Op where they are.
  struct WarpGang {
    Gang gang;
    u32 first = 0;  ///< the number of its first warp
    std::array<Frame*, kMostInGang> frames{};
    const Op* op = nullptr;
  };
  static u32 most_in_gang(const Code& code);
  static bool is_whole(const WarpState& state);
  u32 count_gang(u32 first) const;
  void gather(WarpGang& all, u32 first, u32 count);
  void run_whole(WarpGang& all);
  static bool is_at_end(const WarpGang& all);
  bool settle(const WarpGang& all);
  void end_gang(const WarpGang& all);
  bool run_gang(u32 first, u32 count);
  std::span<WarpGang> gangs() { return std::span(gangs_).first(gang_count_); }
  bool form_gangs();
  bool run_between_barriers();
  /// Of a gang at a barrier whose number is an immediate.
  static u32 number_of_barrier(const WarpGang& all) {
    return *reinterpret_cast<const u32*>(all.frames[0]->registers + all.op->src[0]);
  }
  bool is_at_whole_barrier(const WarpGang& all) const;
  void arrive_together(const WarpGang& all);
  void step(WarpState& state, const Op& op);

  void shuffle_order();
  void begin_mixed_turn(WarpState& state);
  std::size_t pick(const WarpState& state) const;
  void merge(WarpState& state) const;
  static Fragment& part(WarpState& state, std::size_t index, u32 active);
  static void show_frame(Warp& warp, const Frame& frame);

  // instructions
  void branch_indexed(WarpState& state, std::size_t index, const Op& op, u32 active);
  static Frame* frame_of_call(const WarpState& state, const Frame& caller, const CallSite& site,
                              const Code& callee);
  void call(WarpState& state, std::size_t index, const Op& op, u32 active);
  void enter(WarpState& state, Fragment& fragment, const Code& code, const CallSite& site,
             u32 lanes);
  void ret(WarpState& state, std::size_t index, u32 active);
  void exit(WarpState& state, std::size_t index, u32 active);
  void leave(WarpState& state, u32 lanes);
  void check_waiters();
  void refuse_strangers(Warp& warp, u32 group, u32 named);
  bool member_op(WarpState& state, std::size_t index, const Op& op, u32 active);
  struct Arrival {
    u32 number, count, group;
  };
  Arrival arrival_of(WarpState& state, const Op& op, u32 active);
  void barrier(WarpState& state, std::size_t index, const Op& op, u32 active);
  void begin_barrier(u32 number, u32 count);
  void release_barrier(u32 number);
  void check_barrier(u32 number);
  void warp_barrier(WarpState& state, std::size_t index, const Op& op, u32 active);
  void cluster_arrive(WarpState& state, const Op& op, u32 active);
  bool cluster_wait(WarpState& state, std::size_t index, u32 active);
  void check_cluster_barrier();
  u32 past_phase(Warp& warp, const Op& op);
  bool mbarrier_wait(WarpState& state, std::size_t index, const Op& op, u32 active);
  void poll(WarpState& state);
  machine::CtaStatus unblock_warps();
  bool leaves_spin(WarpState& state, Fragment& fragment);
  bool spin_once(WarpState& state, Fragment& fragment);
  std::string describe_wait(WarpState& state, const Fragment& fragment);
  void try_cancel(const Op& op, u32 active);
  void system_call(WarpState& state, std::size_t index, const CallSite& site,
                   machine::SystemFunction function, u32 lanes);
  u64 reach(u64 address, u32 bytes) override;
  [[noreturn]] void raise(machine::TrapKind kind, const u64* address) override;
  std::string& detail() override { return detail_; }
  SystemCalls::Thread thread_of(const WarpState& state, u32 lane) const {
    return {cta_, cta_index_, state.index * kLanes + lane};
  }
  machine::CtaStatus step_once();
  void step_op(WarpState& state, const Op& op);
  machine::CtaStatus call_once();
  void copy_words(const Frame& frame, const std::vector<Slot>& slots, bool to_rows);
  void begin_place(const machine::StepPlace& place);
  u64 local_bytes_of_thread() const;
  Frame& frame_of_step(WarpState& state);
  static u8* slot_address(const Warp& warp, const Frame& frame, const Slot& slot, u32 lane);
  void copy_slot(const Warp& warp, const Slot& from, const Frame& from_frame, const Slot& to,
                 const Frame& to_frame, u32 lanes) const;
  machine::CtaStatus trapped(const WarpState& state, machine::TrapKind kind, u32 lane,
                             std::optional<u64> address);
  machine::CtaStatus run_warps();
  machine::CtaStatus faulted();

  // continuing after faults (cta_report.cpp)
  bool is_known(u64 address, u64 bytes);
  bool is_memory(u64 address, u64 bytes);
  bool is_harmless(const Warp& warp, const Op& op);
  void run_watched(WarpState& state, std::size_t index, const Op& op);
  void run_lanes();
  void end_watched();
  void report(machine::TrapKind kind, u32 lane, std::optional<u64> address);
  void clear_results(const Code& code, u32 inst, u32 lanes) const;
  bool goes_on(bool page_fault);
  bool skip(bool page_fault);

  const Interpreted& program_;
  machine::Launch& launch_;
  const Code* const entry_;
  const machine::Region& region_;
  u64 shared_base_ = 0, local_base_ = 0, local_stride_ = 0;
  u32 warps_ = 0, alive_warps_ = 0;
  machine::Dim3 cta_{0, 0, 0};
  u64 cta_index_ = 0, end_ = 0;  ///< index of the CTA; index behind the last CTA of the row
  std::vector<std::unique_ptr<WarpState>> states_;
  std::vector<Barrier> barriers_;
  std::vector<std::unique_ptr<Frame>> frames_;
  std::vector<Frame*> free_frames_;  ///< by Code::index: a list, the frame freed last first
  std::vector<u64> cta_values_;      ///< Gang::cta_values
  u32 active_barriers_ = 0;
  s64 budget_ = 0;             ///< backward branches and calls left in this slice of the CTA
  s64 turn_ = 0;               ///< the same for the warp that runs
  u32 steps_ = 0;              ///< of a pseudo-random order: instructions left in the turn
  std::vector<u32> order_;     ///< of a pseudo-random order: the warps in this round
  std::string detail_;         ///< text for the next trap
  TrapDetail handler_detail_;  ///< the same, from a handler
  Cluster alone_;
  machine::ClusterTensorMemory* tensor_memory_;  ///< of the cluster, or of the stepper's owner
  Cluster* const cluster_;
  u32 round_ = 0;  ///< rounds of turns that the warps had
  bool blocked_ = false;
  std::vector<u8> spin_registers_;
  Step step_;
  std::vector<Frame*> step_frames_;                ///< by Code::index
  std::vector<std::vector<StepPlan>> step_plans_;  ///< by Code::index, by instruction
  const StepPlan* step_plan_ = nullptr;            ///< of step_
  SystemCalls system_calls_{launch_, *this};
  WarpState* current_ = nullptr;  ///< the warp that executes an instruction, unless a gang does
  std::vector<WarpGang> gangs_;   ///< room for one per warp; valid within a round
  u32 gang_count_ = 0;
  bool gangs_stay_ = false;  ///< the gangs hold all warps and their frames for the next CTA
  const WarpGang* running_ = nullptr;  ///< the gang that run_full() executes; null: none
  const u32 most_in_gang_;             ///< in warps
  const bool starts_whole_;            ///< Frame::whole of the entry's frames of complete warps
  const bool parts_;                   ///< the pseudo-random order splits warps
  const bool reports_;                 ///< LaunchConfig::on_fault
  /// The access that is being executed, in a launch that continues after faults.
  struct Watched {
    WarpState* state = nullptr;
    std::size_t index = 0;  ///< index of the fragment
    const Op* op = nullptr;
    u32 all = 0, left = 0;  ///< lanes: all that access memory; those that have not yet
    bool together = false;
  };
  Watched watched_;
  u64 zeros_ = 0;  ///< address of zeros, for accesses where there is no memory
  std::array<machine::AddressRange, 4> known_{};  ///< allocations that were accessed lately
  u32 next_known_ = 0;
  std::unordered_set<const Op*> reported_;
  sigjmp_buf recover_;
  machine::Fault fault_;
  machine::Trap trap_{};
};

}  // namespace heddle::interp
