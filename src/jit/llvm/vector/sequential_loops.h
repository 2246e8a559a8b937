// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Divergent loops that do little but access memory, each lane somewhere else: rows of a sparse
// matrix, lists, trees. As vectors their rounds cost what the lane with the most rounds needs,
// times an access for each of the lanes. Here each lane executes all of its rounds, in scalar code,
// before the next lane does.
#pragma once

#include <functional>
#include <map>
#include <utility>
#include <vector>

#include "jit/llvm/analysis/waits.h"
#include "jit/llvm/vector/access_checks.h"
#include "jit/llvm/vector/phi_variables.h"

namespace heddle::jit {

/// Blocks of the kernel in reverse post order.
using BlockOrder = std::map<const llvm::BasicBlock*, u32>;

class SequentialLoops : Emitter {
 public:
  SequentialLoops(CtaFunction& function, LaneValues& values, PhiVariables& phis,
                  RuntimeCalls& runtime, MemoryWindows& windows, AccessGroups& groups,
                  AccessChecks& checks, const Processor& processor, const WaitingLoops& waiting,
                  const BlockOrder& order)
      : Emitter(function),
        values_(values),
        phis_(phis),
        runtime_(runtime),
        windows_(windows),
        groups_(groups),
        checks_(checks),
        processor_(processor),
        waiting_(waiting),
        order_(order) {}

  /// Whether the loop is emitted so.
  bool is_sequential(const llvm::Loop& loop) const;
  /// Emits it. `leave` is called for each exit, with the lanes that take it.
  void emit(const llvm::Loop& loop, const Halves& mask,
            const std::function<void(const Block* to, const Halves& going)>& leave);

 private:
  /// An edge out of the loop.
  struct Exit {
    const Block* from;
    Block* to;
    llvm::AllocaInst* lanes;  ///< that took it: a bit for each
    std::vector<std::pair<llvm::PHINode*, llvm::AllocaInst*>> values;  ///< computed in the loop
  };
  /// The lane that executes the loop.
  struct OneLane {
    llvm::Value* number;  ///< i64
    std::map<const llvm::Value*, llvm::Value*> values;
    llvm::Value* of(llvm::Value* value) const;
  };
  bool leaves_as_number(const llvm::Instruction& inst, const llvm::Loop& loop) const;
  llvm::Value* convert(llvm::Value* value, llvm::Type* type);
  llvm::AllocaInst* store_row(llvm::Value* value, unsigned number);
  llvm::Value* load_row(llvm::AllocaInst* place, llvm::Type* type, unsigned half);
  void access_of_lane(const llvm::CallInst& call, OneLane& lane);
  void emit_in_lane(llvm::Instruction& inst, OneLane& lane);
  void emit_rounds(const llvm::Loop& loop, const std::vector<Exit>& exits, OneLane& lane);
  Halves leave_by(const Exit& exit);

  LaneValues& values_;
  PhiVariables& phis_;
  RuntimeCalls& runtime_;
  MemoryWindows& windows_;
  AccessGroups& groups_;
  AccessChecks& checks_;
  const Processor& processor_;
  const WaitingLoops& waiting_;
  const BlockOrder& order_;
};

}  // namespace heddle::jit
