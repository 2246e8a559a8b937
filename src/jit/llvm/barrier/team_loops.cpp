// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "jit/llvm/barrier/team_loops.h"

#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Instructions.h>
#include <llvm/Transforms/Utils/SSAUpdater.h>
#include <llvm/Transforms/Utils/ValueMapper.h>

#include <map>

#include "jit/llvm/analysis/branch_weights.h"
#include "jit/llvm/barrier/cta_switching.h"

namespace heddle::jit {
namespace {

/// The most regions of a kernel that get loops. Register allocation splits values that all of them
/// need for each loop: 57 loops cost a third of the compilation, and gain a tenth.
constexpr std::size_t kMostLoops = 64;

/// The loop of a region.
struct Loop {
  llvm::BasicBlock* head = nullptr;       ///< null: the region has none
  llvm::PHINode* team_counter = nullptr;  ///< as Vectorized::team_counter
  llvm::PHINode* together = nullptr;
  llvm::ValueToValueMapTy made;  ///< copies of the values of Vectorized::head
};

const Rounds::End& end_at(const Rounds& rounds, const llvm::BasicBlock* block) {
  return *llvm::find_if(rounds.ends, [&](const auto& end) { return end.block == block; });
}

/// Emits the beginning of a team in the region.
void begin_loop(const Vectorized& cta, const Rounds& rounds, const Rounds::Region& region,
                Loop& loop) {
  llvm::IRBuilder<> builder(cta.function->getContext());
  loop.head = llvm::BasicBlock::Create(builder.getContext(), "region", cta.function, region.begin);
  builder.SetInsertPoint(loop.head);
  if (cta.team_counter) {
    loop.team_counter = builder.CreatePHI(cta.team_counter->getType(), 3, "team_counter");
    loop.team_counter->addIncoming(cta.team_counter, rounds.go);
    loop.made[cta.team_counter] = loop.team_counter;
  }
  loop.together = builder.CreatePHI(builder.getInt1Ty(), 3, "together");
  loop.together->addIncoming(rounds.together, rounds.go);
  for (llvm::Instruction& inst : *cta.head) {
    if (llvm::isa<llvm::PHINode>(inst) || inst.isTerminator()) continue;
    llvm::Instruction* copy = builder.Insert(inst.clone(), inst.getName());
    llvm::RemapInstruction(copy, loop.made,
                           llvm::RF_NoModuleLevelChanges | llvm::RF_IgnoreMissingLocals);
    loop.made[&inst] = copy;
  }
  builder.CreateBr(region.begin);
  rounds.go->getTerminator()->replaceSuccessorWith(region.begin, loop.head);
  region.begin->replacePhiUsesWith(rounds.go, loop.head);
}

/// Emits the end of a team: the next one follows, or the next region.
void end_loop(const Vectorized& cta, const Rounds& rounds, const Rounds::End& end, Loop& loop,
              std::vector<Loop>& loops) {
  llvm::IRBuilder<> builder(cta.function->getContext());
  const auto new_block = [&](const char* name) {
    return llvm::BasicBlock::Create(builder.getContext(), name, cta.function);
  };
  llvm::BasicBlock *alone = new_block("alone"), *other = new_block("following");
  end.block->getTerminator()->eraseFromParent();
  builder.SetInsertPoint(end.block);
  expect(builder.CreateCondBr(loop.together, other, alone));
  builder.SetInsertPoint(alone);
  for (llvm::Instruction* inst : end.leaving) inst->moveBefore(*alone, alone->end());
  builder.CreateBr(cta.next);
  cta.next->replacePhiUsesWith(end.block, alone);

  builder.SetInsertPoint(other);
  llvm::BasicBlock* last = other;
  if (loop.team_counter) {
    const auto* again = llvm::cast<llvm::BranchInst>(cta.next->getTerminator());
    llvm::Value* teams = llvm::cast<llvm::ICmpInst>(again->getCondition())->getOperand(1);
    llvm::Value* team_counter = builder.CreateNUWAdd(loop.team_counter, builder.getInt32(1));
    last = new_block("last");
    builder.CreateCondBr(builder.CreateICmpULT(team_counter, teams), loop.head, last);
    loop.team_counter->addIncoming(team_counter, other);
    loop.together->addIncoming(builder.getTrue(), other);
  }
  builder.SetInsertPoint(last);
  if (end.following == Rounds::kNone) {
    builder.CreateBr(cta.finished);
  } else if (Loop& following = loops[end.following]; following.head) {
    continue_or_switch(builder, cta, end.state, following.head);
    if (following.team_counter) following.team_counter->addIncoming(builder.getInt32(0), last);
    following.together->addIncoming(builder.getTrue(), last);
  } else {
    continue_or_switch(builder, cta, end.state, cta.head);
    if (cta.team_counter) cta.team_counter->addIncoming(builder.getInt32(0), last);
    rounds.met->addIncoming(rounds.none_yet, last);
    rounds.together->addIncoming(builder.getTrue(), last);
    rounds.place->addIncoming(end.state, last);
  }
}

/// Values of Vectorized::head are computed in the loops, too.
void find_values(const Vectorized& cta, const std::vector<Loop>& loops) {
  for (llvm::Instruction& inst : *cta.head) {
    std::vector<llvm::Use*> uses;
    for (llvm::Use& use : inst.uses()) {
      const auto* user = llvm::cast<llvm::Instruction>(use.getUser());
      const auto* phi = llvm::dyn_cast<llvm::PHINode>(user);
      const llvm::BasicBlock* block = phi ? phi->getIncomingBlock(use) : user->getParent();
      if (block != cta.head) uses.push_back(&use);
    }
    llvm::SSAUpdater values;
    values.Initialize(inst.getType(), inst.getName());
    values.AddAvailableValue(cta.head, &inst);
    bool elsewhere = false;
    for (const Loop& loop : loops) {
      if (!loop.head || !loop.made.count(&inst)) continue;
      values.AddAvailableValue(loop.head, loop.made.lookup(&inst));
      elsewhere = true;
    }
    if (!elsewhere) continue;
    for (llvm::Use* use : uses) values.RewriteUse(*use);
  }
}

}  // namespace

void make_team_loops(const Vectorized& cta, const Rounds& rounds) {
  if (rounds.regions.size() > kMostLoops) return;
  std::map<const llvm::BasicBlock*, unsigned> ways;
  for (const Rounds::Region& region : rounds.regions) {
    for (const llvm::BasicBlock* end : region.ends) ++ways[end];
  }
  const auto has_loop = [&](const Rounds::Region& region) {
    return region.ends.size() == 1 && ways[region.ends[0]] == 1 &&
           end_at(rounds, region.ends[0]).state;
  };
  std::vector<Loop> loops(rounds.regions.size());
  for (std::size_t i = 0; i < loops.size(); ++i) {
    if (has_loop(rounds.regions[i])) begin_loop(cta, rounds, rounds.regions[i], loops[i]);
  }
  for (std::size_t i = 0; i < loops.size(); ++i) {
    if (loops[i].head)
      end_loop(cta, rounds, end_at(rounds, rounds.regions[i].ends[0]), loops[i], loops);
  }
  find_values(cta, loops);
}

}  // namespace heddle::jit
