// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Demanded lanes: those of a value that affect the kernel's results. Of a sum by shuffles that `if
// (lane == 0)` stores, half of the lanes are demanded after the first step, and so on. Other lanes
// are not computed.
#pragma once

#include <map>
#include <vector>

#include "jit/llvm/analysis/shape.h"

namespace heddle::jit {

class DemandedLanes {
 public:
  DemandedLanes(const ScalarKernel& kernel, const Shapes& shapes);
  /// The demanded lanes of the team, as bits.
  u64 lanes(const llvm::Value* value) const {
    const auto found = demanded_.find(value);
    return found == demanded_.end() ? every_ : found->second;
  }
  /// Whether a lane of that half is demanded.
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
  std::map<const llvm::BasicBlock*, u64> coming_;  ///< lanes that may execute the block
  std::map<const llvm::Value*, u64> demanded_;     ///< missing: all lanes are
};

}  // namespace heddle::jit
