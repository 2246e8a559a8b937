// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Operations of the machine (machine_ops.def) in the code of a team.
#pragma once

#include "jit/llvm/vector/accesses.h"
#include "jit/llvm/vector/async_copies.h"
#include "jit/llvm/vector/atomics.h"
#include "jit/llvm/vector/branch_conditions.h"
#include "jit/llvm/vector/fallback_operations.h"
#include "jit/llvm/vector/matrix_accesses.h"
#include "jit/llvm/vector/warp_operations.h"

namespace heddle::jit {

class MachineOperations : Emitter {
 public:
  MachineOperations(CtaFunction& function, LaneValues& values, RuntimeCalls& runtime,
                    LocalAccesses& local, BranchConditions& conditions, Accesses& accesses,
                    Atomics& atomics, WarpOperations& warp_operations, FallbackOperations& fallback,
                    MatrixAccesses& matrices, AsyncCopies& async_copies)
      : Emitter(function),
        values_(values),
        runtime_(runtime),
        local_(local),
        conditions_(conditions),
        accesses_(accesses),
        atomics_(atomics),
        warp_operations_(warp_operations),
        fallback_(fallback),
        matrices_(matrices),
        async_copies_(async_copies) {}

  void emit(llvm::CallInst& call, MachineOp op, const ActiveLanes& active);
  /// Of the last MachineOp::round_end: whether a lane has made progress (i1).
  llvm::Value* progress();

 private:
  void emit_context(llvm::CallInst& call);
  void emit_warp_number(llvm::CallInst& call);
  void emit_symbol(llvm::CallInst& call);
  void emit_param(llvm::CallInst& call);
  void emit_lane(llvm::CallInst& call);
  void emit_tid(llvm::CallInst& call);
  void emit_local_base(llvm::CallInst& call);
  void emit_special(llvm::CallInst& call);
  void emit_round_end(llvm::CallInst& call, const Halves& mask);
  void emit_fence(llvm::CallInst& call);

  LaneValues& values_;
  RuntimeCalls& runtime_;
  LocalAccesses& local_;
  BranchConditions& conditions_;
  Accesses& accesses_;
  Atomics& atomics_;
  WarpOperations& warp_operations_;
  FallbackOperations& fallback_;
  MatrixAccesses& matrices_;
  AsyncCopies& async_copies_;
  llvm::AllocaInst* progress_ = nullptr;
};

}  // namespace heddle::jit
