// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which lanes take an edge of the control flow graph, and tests that a condition holds in all lanes
// of a team.
#pragma once

#include "jit/llvm/scalar/version_branches.h"
#include "jit/llvm/vector/lane_values.h"

namespace heddle::jit {

class BranchConditions : Emitter {
 public:
  BranchConditions(CtaFunction& function, LaneValues& values)
      : Emitter(function), values_(values) {}

  /// Of a branch that does not diverge: whether the lanes take the edge (i1). Null: always.
  llvm::Value* takes_edge(const Block* from, unsigned successor);
  /// The lanes of `mask` that take the edge.
  Halves edge_mask(const Block* from, unsigned successor, const Halves& mask);
  /// Whether any lane of `mask` takes it (i1), which `going` are.
  llvm::Value* any_takes_edge(const Block* from, unsigned successor, const Halves& mask,
                              const Halves& going);
  /// The only lane that may take it (i32), as behind `if (threadIdx.x == 0)`. Null: there may be
  /// several.
  llvm::Value* single_lane(const Block* from, unsigned successor);
  /// Whether a requirement holds in all lanes of the team (i1). False where that is not known.
  llvm::Value* holds_for_team(const Requirement& requirement);

 private:
  llvm::Value* holds_at_ends(const llvm::ICmpInst& compare, bool holds);

  LaneValues& values_;
};

}  // namespace heddle::jit
