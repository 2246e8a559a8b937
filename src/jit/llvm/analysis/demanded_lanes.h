// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Lanes whose values nobody looks at: of a sum by shuffles, of which `if (lane == 0)` stores the
// result, half of the lanes after the first step, and so on. They are not computed.
#pragma once

#include <map>
#include <vector>

#include "jit/llvm/analysis/shape.h"

namespace heddle::jit {

class DemandedLanes {
 public:
  DemandedLanes(const ScalarKernel& kernel, const Shapes& shapes);
  /// Lanes of the team, as bits.
  u64 lanes(const llvm::Value* value) const {
    const auto found = demanded_.find(value);
    return found == demanded_.end() ? every_ : found->second;
  }
  /// Whether of the value's lanes in that half one is.
  bool any(const llvm::Value* value, unsigned half) const {
    return lanes(value) >> half * kHalf & ((u64{1} << kHalf) - 1);
  }

 private:
  u64 where(const llvm::Value* condition, bool holds) const;
  void find_coming(const llvm::BasicBlock& entry);
  bool want(const llvm::Instruction& inst);

  const std::vector<Site>& sites_;
  const Shapes& shapes_;
  const u64 every_;
  std::map<const llvm::BasicBlock*, u64> coming_;  ///< lanes that may come there
  std::map<const llvm::Value*, u64> demanded_;     ///< empty: all are
};

}  // namespace heddle::jit
