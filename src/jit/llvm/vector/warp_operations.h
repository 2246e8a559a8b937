// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Instructions that look across the lanes of a warp: shfl, vote, activemask and others (PTX ISA
// 9.7.9.5, 9.7.13).
#pragma once

#include "jit/llvm/analysis/demanded_lanes.h"
#include "jit/llvm/vector/runtime_calls.h"

namespace heddle::jit {

class WarpOperations : Emitter {
 public:
  WarpOperations(CtaFunction& function, LaneValues& values, RuntimeCalls& runtime,
                 const DemandedLanes& demanded)
      : Emitter(function), values_(values), runtime_(runtime), demanded_(demanded) {}

  void emit(llvm::CallInst& call, const Site& site, const Halves& mask);
  /// Calls the run-time where an active lane is not named by the membermask, the call's last
  /// operand (machine/membermask.h).
  void check_members(llvm::CallInst& call, const Halves& mask);

 private:
  void emit_movmatrix(llvm::CallInst& call);
  void emit_broadcast(llvm::CallInst& call, u32 lane);
  bool emit_shuffle(llvm::CallInst& call, const Site& site);

  LaneValues& values_;
  RuntimeCalls& runtime_;
  const DemandedLanes& demanded_;
};

}  // namespace heddle::jit
