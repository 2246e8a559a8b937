// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One CTA of a compiled kernel. Each warp's code runs up to a barrier, and continues when all warps
// that it waits for have arrived.
#pragma once

#include <csetjmp>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "jit/code.h"
#include "jit/deadlock_detector.h"
#include "jit/watchdog.h"
#include "jit/workspace.h"
#include "machine/barrier.h"
#include "machine/cta_cluster.h"
#include "machine/engine.h"
#include "machine/fault.h"
#include "machine/special_values.h"

namespace heddle::jit {

class Cta;

/// A CTA outside of clusters is a cluster of one.
using Cluster = machine::Cluster<Cta>;

class Cta final : public machine::Cta {
 public:
  /// `below`: the same kernel in the fallback engine, which executes what has no code. `cluster`:
  /// the cluster that it joins, whose windows exist; null: none.
  Cta(std::shared_ptr<const Code> code, machine::Launch& launch, const machine::Program& below,
      Cluster* cluster = nullptr);
  ~Cta() override;

  Result<u64> begin(u64 index, u64 most) override;
  machine::CtaStatus run(u64 budget) override;
  const machine::Trap& trap() const override { return trap_; }

  // For helpers.
  const Site& site(u32 number) const { return *(asked_ = &code_->image().sites[number]); }
  machine::WarpIdentity identity() const { return {&launch_, place(), index(), context_.warp, 0}; }
  /// Traps, and returns 1, if an access of a lane in Context is not legal.
  u32 check_access(const Site& site, u64 distance = 0);
  /// The same of affine addresses, of which `begins` are the first of both halves of the warp:
  /// checks both ends.
  bool line_is_legal(const Site& site, const u64 (&begins)[2]) const;
  u32 warps_in_team() const { return warps_in_team_; }
  const machine::Memory& memory() const { return launch_.loaded->memory(); }
  const machine::Profile& profile() const { return *launch_.profile; }
  bool is_strict() const { return launch_.config->strict_membermasks; }
  /// The fallback engine executes the instruction, or the call. 1: it trapped.
  u32 step(const Site& site);
  u32 call(const Site& site);
  /// A team arrives at a barrier (9.7.13.1). 1: a trap.
  u32 arrive(const Site& site, u32 team, u32 lanes, u32 number, u32 count, u32 predicates);
  /// A warp arrives at the cluster's barrier, or waits there (Context::again). 1: a trap.
  u32 arrive_in_cluster(const Site& site);
  u32 wait_in_cluster(const Site& site);
  /// Whether the warp continues to wait, although it has no answer yet.
  bool waits_on() { return ++teams_at_[context_.warp / warps_in_team_].polls % kPatience != 0; }
  void answered() { teams_at_[context_.warp / warps_in_team_].polls = 0; }
  void raise(machine::TrapKind kind, const Site& site, u32 lane,
             std::optional<u64> address = std::nullopt, std::string detail = {}) {
    const CodeLine line{0, site.function, site.inst};
    trapped(kind, &line, lane, address);
    trap_.detail = std::move(detail);
  }
  /// Traps: a thread's local memory has no room left, or its stack pointer is not valid.
  void overflow(const Site& site, u32 lane, std::optional<u64> pointer);

  // For the cluster.
  /// Whether all of its warps wait for others, and none has made progress when they last ran.
  bool is_idle() const { return round_.yields && round_.alone; }
  /// Saves the frames: the whole state of its threads.
  void save_state();
  bool has_saved_state() const;
  machine::CtaStatus deadlock();

 private:
  /// The state of a team beside its WarpState.
  struct Team {
    bool finished = false;    ///< ended in a previous round
    bool waits = false;       ///< has arrived at a barrier and waits there
    bool in_cluster = false;  ///< has arrived at the cluster's barrier, which is not complete
    bool owes_wait = false;   ///< has arrived there and not waited since
    u32 number = 0;           ///< of the barrier at which it arrived last
    u32 polls = 0;            ///< polls without an answer
  };
  WarpState& state(u32 warp) const {
    return *reinterpret_cast<WarpState*>(workspace_.frames() +
                                         std::size_t{warp} * code_->image().frame_bytes);
  }
  /// The CTA's place in the grid; the code moves on to the next CTA by itself.
  machine::Dim3 place() const { return {context_.ctaid[0], context_.ctaid[1], context_.ctaid[2]}; }
  u64 index() const {
    const machine::Dim3 at = place(), &grid = launch_.grid;
    return at.x + u64{grid.x} * (at.y + u64{grid.y} * at.z);
  }
  bool next_cta();
  void begin_barriers();
  bool is_legal(ir::Space space, u64 address, u64 bytes) const;
  machine::CtaStatus run_warps();
  bool look_at_warps();
  std::optional<machine::CtaStatus> look_around();
  void check_barrier(u32 number);
  bool has_arrived_in_cluster() const;
  void check_cluster_barrier();
  machine::CtaStatus trapped(machine::TrapKind kind, const CodeLine* line, u32 lane,
                             std::optional<u64> address);
  machine::CtaStatus faulted();
  /// In the cluster.
  u32 rank() const {
    return static_cast<u32>((shared_base_ - cluster_->base) / machine::kSharedSlot);
  }
  bool leaks_tensor_memory();

  const std::shared_ptr<const Code> code_;
  machine::Launch& launch_;
  const machine::Region& region_;
  const u32 warps_in_team_, teams_;
  const Workspace workspace_;
  Context& context_ = workspace_.context();
  std::optional<Watchdog> watchdog_;  ///< if its code has loops
  std::vector<Team> teams_at_;
  std::vector<machine::Barrier> barriers_;
  u64 looked_at_ = ~u64{0};  ///< the CTA whose state teams_at_ and barriers_ are
  u32 active_barriers_ = 0;
  Cluster alone_;
  Cluster* const cluster_;
  bool ended_ = false;
  /// What the ready warps did in the last round.
  struct Round {
    bool yields = true;  ///< all yielded, none made progress
    bool looks = true;   ///< ... and did nothing but poll memory
    bool alone = true;   ///< ... all at barrier objects
  };
  Round round_;
  DeadlockDetector deadlock_detector_;  ///< rounds that were all `alone`
  u32 vain_rounds_ = 0;                 ///< consecutive rounds in which all yielded
  std::vector<u8> saved_frames_;        ///< the frames after one of the idle rounds
  const machine::Program& below_;
  machine::Stepper& stepper();

  std::unique_ptr<machine::Stepper> stepper_;
  u64 stepper_cta_ = ~u64{0};
  u32 rank_ = 0;  ///< in the cluster
  u64 shared_base_ = 0, local_base_ = 0, local_stride_ = 0;
  sigjmp_buf recover_;
  machine::Fault fault_;
  machine::Trap trap_{};
  mutable const Site* asked_ = nullptr;  ///< of the last helper
};

}  // namespace heddle::jit
