// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The control flow of the kernel. Blocks of a function, or of a loop's body, are laid out in an
// order in which all that a block dominates follows it at once. A block that only some lanes
// execute is skipped, with what it dominates, when none does. Where paths reconverge, each has
// stored its values in variables, under its lanes' mask (phi_variables.h).
#pragma once

#include <array>
#include <functional>
#include <map>
#include <vector>

#include "jit/llvm/analysis/waits.h"
#include "jit/llvm/vector/instructions.h"
#include "jit/llvm/vector/machine_operations.h"
#include "jit/llvm/vector/sequential_loops.h"

namespace heddle::jit {

class ControlFlow : Emitter {
 public:
  ControlFlow(CtaFunction& function, PhiVariables& phis, BranchConditions& conditions,
              AccessGroups& groups, Instructions& instructions, MachineOperations& operations,
              SequentialLoops& sequential, const WaitingLoops& waiting, const BlockOrder& order)
      : Emitter(function),
        phis_(phis),
        conditions_(conditions),
        groups_(groups),
        instructions_(instructions),
        operations_(operations),
        sequential_(sequential),
        waiting_(waiting),
        order_(order) {}

  /// Emits the kernel for the lanes of the mask.
  void emit(const Halves& mask);

 private:
  /// A block, or at the level of a loop's parent the loop's header.
  struct Node {
    Halves mask{};  ///< of the lanes that come
    std::array<llvm::AllocaInst*, kMostWarps * kHalves>
        collected{};              ///< the mask, when lanes come by several edges
    bool implied = false;         ///< all lanes of its parent come
    llvm::Value* lane = nullptr;  ///< the only one that may come (i32)
  };
  Block* representative(const Block* block, const llvm::Loop* level) const;
  void find_tree(const llvm::Loop* level);
  void emit_tree(Block* block, const llvm::Loop* level);
  void emit_child(Block* child, const llvm::Loop* level);
  void emit_loop(Block* header);
  void emit_block(Block* block, const Halves& mask);
  void emit_edges(Block* block, const Halves& mask);
  void collect(const Block* to, const Halves& coming);

  PhiVariables& phis_;
  BranchConditions& conditions_;
  AccessGroups& groups_;
  Instructions& instructions_;
  MachineOperations& operations_;
  SequentialLoops& sequential_;
  const WaitingLoops& waiting_;
  const BlockOrder& order_;
  std::map<const Block*, Node> nodes_;
  /// In the dominator tree of a level: a loop's body, in which an inner loop is its header, or
  /// (null) the function.
  std::map<std::pair<const Block*, const llvm::Loop*>, std::vector<Block*>> children_;
  std::map<const Block*, Halves> block_masks_;             ///< of emitted blocks
  std::map<const Block*, std::function<void()>> latches_;  ///< what is emitted behind each
};

}  // namespace heddle::jit
