// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "jit/llvm/vector/control_flow.h"

#include <llvm/IR/Instructions.h>
#include <llvm/IR/PatternMatch.h>

#include <algorithm>

#include "base/check.h"
#include "jit/llvm/analysis/branch_weights.h"

namespace heddle::jit {

/// The node of `block` at a level: the block itself, or the header of the loop of that level that
/// contains it.
llvm::BasicBlock* ControlFlow::representative(const Block* block, const llvm::Loop* level) const {
  const llvm::Loop* loop = shapes_.loops.getLoopFor(block);
  if (loop == level) return const_cast<Block*>(block);
  while (loop->getParentLoop() != level) loop = loop->getParentLoop();
  return loop->getHeader();
}

void ControlFlow::find_tree(const llvm::Loop* level) {
  const auto add = [&](Block* block) {
    const Block* root = level ? level->getHeader() : &function_.from.getEntryBlock();
    if (block == root) return;
    Block* above = shapes_.dominators.getNode(block)->getIDom()->getBlock();
    Block* parent = representative(above, level);
    children_[{parent, level}].push_back(block);
    nodes_[block].implied = shapes_.always_leads(parent, block);
  };
  for (Block& block : function_.from) {
    if (shapes_.loops.getLoopFor(&block) == level && order_.count(&block)) add(&block);
  }
  const auto inner = level ? std::vector<llvm::Loop*>(level->begin(), level->end())
                           : std::vector<llvm::Loop*>(shapes_.loops.begin(), shapes_.loops.end());
  for (llvm::Loop* loop : inner) {
    add(loop->getHeader());
    find_tree(loop);
  }
}

/// Adds lanes to the mask of a block that has several incoming edges.
void ControlFlow::collect(const Block* to, const Halves& coming) {
  const Node& node = nodes_[to];
  for (unsigned h = 0; h < halves_ && node.collected[0]; ++h) {
    llvm::Value* before = builder_.CreateLoad(coming[h]->getType(), node.collected[h]);
    builder_.CreateStore(builder_.CreateOr(before, coming[h]), node.collected[h]);
  }
}

void ControlFlow::emit_edges(Block* block, const Halves& mask) {
  const auto* branch = llvm::dyn_cast<llvm::BranchInst>(block->getTerminator());
  if (!branch) return;
  for (unsigned s = 0; s < branch->getNumSuccessors(); ++s) {
    Block* to = branch->getSuccessor(s);
    // A uniform branch stores for all lanes: if it is not taken, the edge that is taken stores the
    // right values later.
    const Halves going = shapes_.is_divergent(block) ? conditions_.edge_mask(block, s, mask) : mask;
    phis_.store(block, to, going);
    const llvm::Loop* loop = shapes_.loops.getLoopFor(block);
    if (loop && loop->getHeader() == to) continue;  // emit_loop() keeps this mask
    if (nodes_[to].collected[0]) collect(to, conditions_.edge_mask(block, s, mask));
  }
}

void ControlFlow::emit_block(Block* block, const Halves& mask) {
  block_masks_[block] = mask;
  ActiveLanes active{mask, masks_.known_lanes(mask)};
  if (llvm::Value* lane = nodes_[block].lane) active.known = {lane};
  groups_.find(*block, active);
  phis_.load(*block);
  for (llvm::Instruction& inst : *block) {
    if (llvm::isa<llvm::PHINode>(inst)) continue;
    if (inst.isTerminator()) break;
    function_.set_location_of(inst);
    auto* call = llvm::dyn_cast<llvm::CallInst>(&inst);
    const MachineOp op = call ? machine_op(*call) : MachineOp::none;
    if (op != MachineOp::none)
      operations_.emit(*call, op, active);
    else
      instructions_.emit(inst, mask);
  }
  emit_edges(block, mask);
}

void ControlFlow::emit_loop(Block* header) {
  llvm::Loop* loop = shapes_.loops.getLoopFor(header);
  if (sequential_.is_sequential(*loop)) {
    return sequential_.emit(*loop, nodes_[header].mask,
                            [&](const Block* to, const Halves& going) { collect(to, going); });
  }
  const bool divergent = shapes_.is_divergent(loop);
  const Halves entering = nodes_[header].mask;
  Block* latch = loop->getLoopLatch();
  HEDDLE_CHECK(latch);
  std::array<llvm::AllocaInst*, kMostWarps * kHalves> again_mask{};
  llvm::AllocaInst* again = nullptr;
  llvm::Type* mask_type = vector_of(builder_.getInt1Ty());
  if (divergent) {
    for (unsigned h = 0; h < halves_; ++h) {
      again_mask[h] = function_.variable(mask_type);
      builder_.CreateStore(entering[h], again_mask[h]);
    }
  } else {
    again = function_.variable(builder_.getInt1Ty());
  }
  Block* top = new_block("loop");
  builder_.CreateBr(top);
  go_to(top);
  Halves mask = entering;
  if (divergent) {
    for (unsigned h = 0; h < halves_; ++h) {
      mask[h] = builder_.CreateLoad(mask_type, again_mask[h]);
      builder_.CreateStore(masks_.none()[h], again_mask[h]);
    }
  } else {
    builder_.CreateStore(builder_.getFalse(), again);
  }
  nodes_[header].mask = mask;
  // Behind the latch: the lanes that stay in the loop.
  const auto at_latch = [&] {
    const Halves& reached = block_masks_.at(latch);
    unsigned successor = 0;
    while (latch->getTerminator()->getSuccessor(successor) != header) ++successor;
    if (divergent) {
      const Halves stay = conditions_.edge_mask(latch, successor, reached);
      for (unsigned h = 0; h < halves_; ++h) builder_.CreateStore(stay[h], again_mask[h]);
    } else {
      llvm::Value* stays = conditions_.takes_edge(latch, successor);
      builder_.CreateStore(stays ? stays : builder_.getTrue(), again);
    }
  };
  latches_[latch] = at_latch;
  emit_tree(header, loop);
  Block* behind = new_block("behind");
  llvm::Value* repeats = nullptr;
  if (divergent) {
    Halves stay{};
    for (unsigned h = 0; h < halves_; ++h) stay[h] = builder_.CreateLoad(mask_type, again_mask[h]);
    repeats = masks_.any(stay);
  } else {
    repeats = builder_.CreateLoad(builder_.getInt1Ty(), again);
  }
  Block* next = new_block("next");
  builder_.CreateCondBr(repeats, next, behind);
  go_to(next);
  if (const auto waiting = waiting_.find(loop); waiting != waiting_.end()) {
    llvm::Value* site = waiting->second.asks->getArgOperand(0);
    if (machine_op(*waiting->second.asks) == MachineOp::round_end) {
      // Where no lane made progress, the next site tells the run-time so.
      llvm::Value* progressed = operations_.progress();
      site = builder_.CreateAdd(
          site, builder_.CreateZExt(builder_.CreateNot(progressed), site->getType()));
    }
    const u32 why = waiting->second.writes ? WarpState::kYields : WarpState::kLooks;
    function_.end_region(site, builder_.getInt32(why));
  }
  function_.branch_unless_stopped(top);
  go_to(behind);
  nodes_[header].mask = entering;
}

/// Emits the part of the tree that `child` dominates, behind a branch that skips it when no lane
/// comes.
void ControlFlow::emit_child(Block* child, const llvm::Loop* level) {
  Node& node = nodes_[child];
  const Block* above = shapes_.dominators.getNode(child)->getIDom()->getBlock();
  Block* parent = representative(above, level);
  llvm::Value* guard = nullptr;
  node.lane = nodes_[parent].lane;
  if (node.implied) {
    node.mask = nodes_[parent].mask;
  } else if (node.collected[0]) {
    for (unsigned h = 0; h < halves_; ++h)
      node.mask[h] = builder_.CreateLoad(node.collected[h]->getAllocatedType(), node.collected[h]);
    guard = masks_.any(node.mask);
  } else {
    unsigned successor = 0;
    while (above->getTerminator()->getSuccessor(successor) != child) ++successor;
    if (shapes_.is_divergent(above)) {
      node.mask = conditions_.edge_mask(above, successor, nodes_[parent].mask);
      guard = conditions_.any_takes_edge(above, successor, nodes_[parent].mask, node.mask);
      if (!node.lane) node.lane = conditions_.single_lane(above, successor);
    } else {
      node.mask = nodes_[parent].mask;
      guard = conditions_.takes_edge(above, successor);
    }
  }
  Block* behind = nullptr;
  if (guard) {
    Block* inside = new_block(child->getName());
    behind = new_block(child->getName() + ".behind");
    // Both edges of a branch test the same condition, so that LLVM sees that it is one.
    llvm::Value* other = nullptr;
    const bool negated = llvm::PatternMatch::match(
        guard, llvm::PatternMatch::m_Not(llvm::PatternMatch::m_Value(other)));
    llvm::BranchInst* branch = negated ? builder_.CreateCondBr(other, behind, inside)
                                       : builder_.CreateCondBr(guard, inside, behind);
    if (is_unlikely(above, child))
      expect(branch, negated);  // as branch weights of the semantics say
    go_to(inside);
  }
  emit_tree(child, level);
  if (behind) {
    builder_.CreateBr(behind);
    go_to(behind);
  }
}

void ControlFlow::emit_tree(Block* block, const llvm::Loop* level) {
  std::vector<Block*>& children = children_[{block, level}];
  std::sort(children.begin(), children.end(),
            [&](Block* a, Block* b) { return order_.at(a) < order_.at(b); });
  // Children with several incoming edges: no lane has come yet.
  for (Block* child : children) {
    Node& below = nodes_[child];
    if (below.implied) continue;
    const Block* above = shapes_.dominators.getNode(child)->getIDom()->getBlock();
    const llvm::Loop* own = shapes_.loops.getLoopFor(child);
    unsigned edges = 0;
    for (const Block* from : llvm::predecessors(child)) {
      if (!(own && own->getHeader() == child && own->contains(from))) ++edges;
    }
    if (edges == 1 && above == block && shapes_.loops.getLoopFor(above) == level) continue;
    for (unsigned h = 0; h < halves_; ++h) {
      if (!below.collected[h])
        below.collected[h] = function_.variable(vector_of(builder_.getInt1Ty()));
      builder_.CreateStore(masks_.none()[h], below.collected[h]);
    }
  }
  if (shapes_.loops.getLoopFor(block) != level)
    emit_loop(block);
  else
    emit_block(block, nodes_[block].mask);
  if (const auto latch = latches_.find(block);
      latch != latches_.end() && shapes_.loops.getLoopFor(block) == level) {
    const auto at_latch = latch->second;
    latches_.erase(latch);
    at_latch();
  }
  for (Block* child : children) emit_child(child, level);
}

void ControlFlow::emit(const Halves& mask) {
  find_tree(nullptr);
  Block* entry = &function_.from.getEntryBlock();
  nodes_[entry].mask = mask;
  emit_tree(entry, nullptr);
}

}  // namespace heddle::jit
