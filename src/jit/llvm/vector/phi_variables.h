// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Phi nodes, as variables that each edge stores to under its mask. SROA makes them values again.
#pragma once

#include <map>
#include <vector>

#include "jit/llvm/vector/lane_values.h"

namespace heddle::jit {

class PhiVariables : Emitter {
 public:
  PhiVariables(CtaFunction& function, LaneValues& values) : Emitter(function), values_(values) {}

  /// A variable for each vector, or for each scalar that halves share.
  using Places = std::vector<llvm::AllocaInst*>;
  const Places& places_of(llvm::PHINode& phi);
  /// Stores the values that the block's phi nodes have for lanes that come from `from`.
  void store(const Block* from, Block* to, const Halves& mask);
  /// Defines the block's phi nodes by what was stored.
  void load(Block& block);

 private:
  LaneValues& values_;
  std::map<const llvm::PHINode*, Places> places_;
};

}  // namespace heddle::jit
