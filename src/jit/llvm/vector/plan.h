// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the vectorizer decides before it emits anything: a kernel that it cannot make is refused
// before there is code, and a second attempt finds Sites as lowering left them.
#pragma once

#include <string>

#include "jit/llvm/analysis/demanded_lanes.h"
#include "jit/llvm/analysis/shape.h"
#include "jit/llvm/analysis/waits.h"
#include "jit/llvm/scalar.h"

namespace heddle::jit {

struct Plan {
  /// `shapes` lives as long as the plan.
  Plan(const ScalarKernel& kernel, const Shapes& shapes);

  const Shapes& shapes;
  const WaitingLoops waiting;
  const DemandedLanes demanded;
};

/// Why the vectorizer cannot make the kernel with teams of that size; empty: it can.
std::string why_not_vectorized(const ScalarKernel& kernel, const Shapes& shapes);

}  // namespace heddle::jit
