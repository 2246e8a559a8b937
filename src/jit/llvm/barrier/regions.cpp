// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "jit/llvm/barrier/regions.h"

#include <llvm/ADT/BitVector.h>
#include <llvm/ADT/DenseMap.h>
#include <llvm/ADT/MapVector.h>
#include <llvm/ADT/SparseBitVector.h>
#include <llvm/IR/CFG.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/Transforms/Utils/BasicBlockUtils.h>
#include <llvm/Transforms/Utils/SSAUpdater.h>

#include <deque>
#include <map>
#include <set>
#include <vector>

#include "jit/context.h"
#include "jit/llvm/analysis/fixed_point.h"
#include "jit/llvm/barrier/accumulators.h"
#include "jit/llvm/barrier/cta_switching.h"
#include "jit/llvm/barrier/team_loops.h"
#include "jit/llvm/vector/vectorize.h"

namespace heddle::jit {
namespace {

constexpr u32 kFirstSlot = 64;  ///< behind the WarpState
static_assert(sizeof(WarpState) <= kFirstSlot);

/// How warps ended: the region where they resume, and the barrier in the upper half; or one of
/// these.
constexpr u64 kFinished = ~u64{0}, kDifferently = ~u64{0} - 1, kNoneYet = ~u64{0} - 2;

/// Blocks that are executed before any region.
bool is_above(const Vectorized& cta, const llvm::BasicBlock* block) {
  return block == cta.entry || block == cta.cta || block == cta.head;
}

/// Liveness: the values that each block needs from those before it.
class Liveness {
 public:
  explicit Liveness(const Vectorized& cta);
  /// Live at the beginning of the block, in the order of the function.
  std::vector<llvm::Instruction*> at(const llvm::BasicBlock* block) const {
    std::vector<llvm::Instruction*> found;
    for (const unsigned number : blocks_.lookup(block)->live) found.push_back(values_[number]);
    return found;
  }
  bool is_live(const llvm::Instruction* value, const llvm::BasicBlock* block) const {
    const auto number = numbers_.find(value);
    return number != numbers_.end() && blocks_.lookup(block)->live.test(number->second);
  }

 private:
  struct Block {
    llvm::SmallVector<unsigned> made, wanted, handed_on;  ///< ... to phi nodes of successors
    llvm::SmallVector<Block*, 2> next;
    llvm::SparseBitVector<> live;
  };

  std::vector<llvm::Instruction*> values_;  ///< that other blocks use
  llvm::DenseMap<const llvm::Instruction*, unsigned> numbers_;
  std::deque<Block> storage_;
  llvm::DenseMap<const llvm::BasicBlock*, Block*> blocks_;
};

Liveness::Liveness(const Vectorized& cta) {
  for (llvm::BasicBlock& block : *cta.function) {
    Block& here = storage_.emplace_back();
    blocks_[&block] = &here;
    if (is_above(cta, &block)) continue;
    for (llvm::Instruction& inst : block) {
      if (!inst.isUsedOutsideOfBlock(&block)) continue;
      here.made.push_back(static_cast<unsigned>(values_.size()));
      numbers_[&inst] = here.made.back();
      values_.push_back(&inst);
    }
  }
  for (unsigned number = 0; number < values_.size(); ++number) {
    const llvm::Instruction* value = values_[number];
    for (const llvm::Use& use : value->uses()) {
      const auto* user = llvm::cast<llvm::Instruction>(use.getUser());
      if (const auto* phi = llvm::dyn_cast<llvm::PHINode>(user))
        blocks_.lookup(phi->getIncomingBlock(use))->handed_on.push_back(number);
      else if (user->getParent() != value->getParent())
        blocks_.lookup(user->getParent())->wanted.push_back(number);
    }
  }
  for (llvm::BasicBlock& block : *cta.function) {
    if (&block == cta.head || &block == cta.next) continue;  // another warp
    for (const llvm::BasicBlock* next : llvm::successors(&block))
      blocks_.lookup(&block)->next.push_back(blocks_.lookup(next));
  }
  // Live-out sets grow, and with them live-in sets.
  until_stable(storage_.size() * values_.size(), [&] {
    bool changed = false;
    for (Block& block : llvm::reverse(storage_)) {
      llvm::SparseBitVector<> live;
      for (const Block* next : block.next) live |= next->live;
      for (const unsigned number : block.handed_on) live.set(number);
      for (const unsigned number : block.made) live.reset(number);
      for (const unsigned number : block.wanted) live.set(number);
      if (live == block.live) continue;
      block.live = std::move(live);
      changed = true;
    }
    return changed;
  });
}

/// Vectors that are rematerialized from a scalar: splats, and scalars plus constants. Returns the
/// scalar; null: it is no such vector.
llvm::Value* origin(llvm::Value* value) {
  auto* inst = llvm::dyn_cast<llvm::Instruction>(value);
  if (!inst || !inst->getType()->isVectorTy()) return nullptr;
  const auto is_constant = [](llvm::Value* one) { return llvm::isa<llvm::Constant>(one); };
  if (llvm::isa<llvm::InsertElementInst>(inst) && is_constant(inst->getOperand(0)) &&
      is_constant(inst->getOperand(2)))
    return inst->getOperand(1);
  if (llvm::isa<llvm::ShuffleVectorInst>(inst) && is_constant(inst->getOperand(1)))
    return origin(inst->getOperand(0));
  if (llvm::isa<llvm::BinaryOperator>(inst) && is_constant(inst->getOperand(1)))
    return origin(inst->getOperand(0));
  return nullptr;
}

/// Values that so few instructions compute from values of all regions are rematerialized, too: the
/// frames of all warps shall fit into the first-level cache.
constexpr unsigned kMostAgain = 8;

bool can_be_made_again(const llvm::Instruction& inst) {
  if (const auto* call = llvm::dyn_cast<llvm::IntrinsicInst>(&inst))
    return call->getIntrinsicID() == llvm::Intrinsic::fshr;
  if (inst.isBinaryOp()) return !inst.isIntDivRem() && inst.getType()->isIntOrIntVectorTy();
  return llvm::isa<llvm::CastInst, llvm::ICmpInst, llvm::SelectInst, llvm::InsertElementInst,
                   llvm::ShuffleVectorInst, llvm::GetElementPtrInst>(inst);
}

/// The number of those instructions; above kMostAgain: too many, or one that cannot be repeated.
unsigned find_cost(const Vectorized& cta, const llvm::Value* value,
                   std::map<const llvm::Value*, unsigned>& costs) {
  const auto* inst = llvm::dyn_cast<llvm::Instruction>(value);
  if (!inst || is_above(cta, inst->getParent())) return 0;
  if (const auto found = costs.find(value); found != costs.end()) return found->second;
  unsigned cost = kMostAgain + 1;
  if (can_be_made_again(*inst)) {
    cost = 1;
    for (const llvm::Value* operand : inst->operand_values())
      cost = std::min(cost + find_cost(cta, operand, costs), kMostAgain + 1);
  }
  return costs[value] = cost;
}

/// Rematerializes each such value in every block that uses it.
void make_again(const Vectorized& cta) {
  std::map<const llvm::Value*, unsigned> costs;
  std::vector<llvm::Instruction*> found;
  for (llvm::BasicBlock& block : *cta.function) {
    if (is_above(cta, &block)) continue;
    for (llvm::Instruction& inst : block) {
      if (origin(&inst) || find_cost(cta, &inst, costs) <= kMostAgain) found.push_back(&inst);
    }
  }
  // Operands are rematerialized after their users.
  for (llvm::Instruction* value : llvm::reverse(found)) {
    std::map<llvm::BasicBlock*, llvm::Instruction*> copies;
    for (llvm::Use& use : llvm::make_early_inc_range(value->uses())) {
      auto* user = llvm::cast<llvm::Instruction>(use.getUser());
      auto* phi = llvm::dyn_cast<llvm::PHINode>(user);
      llvm::BasicBlock* block = phi ? phi->getIncomingBlock(use) : user->getParent();
      if (block == value->getParent()) continue;
      llvm::Instruction*& copy = copies[block];
      if (!copy) {
        copy = value->clone();
        copy->insertBefore(*block, block->getFirstInsertionPt());
      }
      use.set(copy);
    }
    if (value->use_empty()) value->eraseFromParent();
  }
}

/// Blocks that end a region, and those of them that a warp may reach from a block within one
/// region.
class EndsReached {
 public:
  explicit EndsReached(const Vectorized& cta);
  /// In the order of the function: code must not depend on pointers.
  std::vector<llvm::BasicBlock*> from(const llvm::BasicBlock* block) const {
    std::vector<llvm::BasicBlock*> found;
    for (const unsigned number : reached_.find(block)->second.set_bits())
      found.push_back(ends_[number]);
    return found;
  }

 private:
  std::vector<llvm::BasicBlock*> ends_;
  llvm::DenseMap<const llvm::BasicBlock*, llvm::BitVector> reached_;
};

EndsReached::EndsReached(const Vectorized& cta) {
  for (llvm::BasicBlock& block : *cta.function) {
    if (llvm::is_contained(llvm::successors(&block), cta.next)) ends_.push_back(&block);
  }
  for (llvm::BasicBlock& block : *cta.function) reached_[&block].resize(ends_.size());
  for (unsigned i = 0; i < ends_.size(); ++i) reached_[ends_[i]].set(i);
  // Bits are only ever set, so this ends.
  until_stable(cta.function->size() * ends_.size(), [&] {
    bool changed = false;
    for (llvm::BasicBlock& block : llvm::reverse(*cta.function)) {
      llvm::BitVector& here = reached_[&block];
      for (llvm::BasicBlock* next : llvm::successors(&block)) {
        if (next == cta.next || !reached_[next].test(here)) continue;
        here |= reached_[next];
        changed = true;
      }
    }
    return changed;
  });
}

/// Warps run in rounds, each warp from its barrier to its next one. If all have come to the same
/// place, the next round begins at once; otherwise the run-time decides which warps run. Does not
/// say where regions end.
Rounds make_rounds(const Vectorized& cta, const std::vector<llvm::CallInst*>& ends,
                   const std::vector<llvm::BasicBlock*>& resumed, llvm::Value* frame) {
  Rounds rounds;
  llvm::LLVMContext& context = cta.function->getContext();
  llvm::IRBuilder<> builder(context);
  llvm::Type *word = builder.getInt32Ty(), *pair = builder.getInt64Ty();
  const auto field = [&](std::size_t offset) {
    return builder.CreateConstInBoundsGEP1_32(builder.getInt8Ty(), frame,
                                              static_cast<unsigned>(offset));
  };
  static_assert(offsetof(WarpState, resume) == 0 && offsetof(WarpState, barrier) == 4);
  const auto new_block = [&](const char* name, llvm::BasicBlock* before) {
    return llvm::BasicBlock::Create(context, name, cta.function, before);
  };

  // The end of a warp: one block for all returns of the kernel.
  auto* finish = new_block("finish", cta.next);
  cta.next->replaceUsesWithIf(
      finish, [&](const llvm::Use& use) { return llvm::isa<llvm::Instruction>(use.getUser()); });
  builder.SetInsertPoint(finish);
  llvm::Value* finished = builder.getInt64(kFinished);
  llvm::Instruction* last = builder.CreateStore(finished, field(0));
  builder.CreateBr(cta.next);
  rounds.ends.push_back({finish, {last}, finished, Rounds::kNone});
  builder.SetInsertPoint(cta.next, cta.next->begin());
  llvm::PHINode* end = builder.CreatePHI(pair, 2, "end");
  end->addIncoming(finished, finish);
  for (std::size_t i = 0; i < ends.size(); ++i) {
    llvm::BasicBlock* block = ends[i]->getParent();
    block->getTerminator()->eraseFromParent();
    builder.SetInsertPoint(block);
    llvm::Value* barrier = builder.CreateZExt(ends[i]->getArgOperand(1), pair);
    llvm::Value* state = builder.CreateOr(builder.CreateShl(barrier, 32), builder.getInt64(i + 1));
    llvm::Instruction* note = builder.CreateStore(state, field(0));
    llvm::Instruction* site =
        builder.CreateStore(ends[i]->getArgOperand(0), field(offsetof(WarpState, site)));
    builder.CreateBr(cta.next);
    const auto* known = llvm::dyn_cast<llvm::ConstantInt>(ends[i]->getArgOperand(1));
    const bool by_run_time = known && known->getZExtValue() >= WarpState::kArrived;
    end->addIncoming(by_run_time ? builder.getInt64(kDifferently) : state, block);
    rounds.ends.push_back(
        {block, {note, site}, known && !by_run_time ? state : nullptr, static_cast<u32>(i + 1)});
    ends[i]->eraseFromParent();
  }

  // The beginning of a warp: in a round of all warps, they begin at one place.
  builder.SetInsertPoint(cta.cta->getTerminator());
  llvm::Value* begins = builder.CreateICmpNE(
      builder.CreateLoad(word, builder.CreateConstInBoundsGEP1_32(
                                   builder.getInt8Ty(), cta.function->getArg(0),
                                   static_cast<unsigned>(offsetof(Context, begins)))),
      builder.getInt32(0));
  llvm::Value* first = load_resume_point(builder, cta);
  builder.SetInsertPoint(cta.head, cta.head->begin());
  llvm::PHINode* met = builder.CreatePHI(pair, 3, "met");
  llvm::PHINode* together = builder.CreatePHI(builder.getInt1Ty(), 3, "together");
  llvm::PHINode* place = builder.CreatePHI(pair, 3, "place");
  llvm::BasicBlock* start = cta.head->getTerminator()->getSuccessor(0);
  cta.head->getTerminator()->eraseFromParent();
  auto* alone = new_block("alone", start);
  auto* go = new_block("go", start);
  builder.SetInsertPoint(cta.head);
  builder.CreateCondBr(together, go, alone);
  builder.SetInsertPoint(alone);
  llvm::Value* own = builder.CreateLoad(pair, field(0), "own");
  llvm::Value* ready = builder.CreateLoad(word, field(offsetof(WarpState, ready)), "ready");
  builder.CreateCondBr(builder.CreateICmpNE(ready, builder.getInt32(0)), go, cta.next);
  end->addIncoming(builder.getInt64(kDifferently), alone);
  builder.SetInsertPoint(go);
  llvm::PHINode* state = builder.CreatePHI(pair, 2);
  state->addIncoming(place, cta.head);
  state->addIncoming(own, alone);
  auto* choice = builder.CreateSwitch(builder.CreateTrunc(state, word, "resume"), start,
                                      static_cast<unsigned>(resumed.size()));
  for (std::size_t i = 0; i < resumed.size(); ++i)
    choice->addCase(builder.getInt32(static_cast<u32>(i + 1)), resumed[i]);

  // After the last warp.
  builder.SetInsertPoint(cta.next->getTerminator());
  llvm::Value* same =
      builder.CreateSelect(builder.CreateICmpEQ(met, end), end, builder.getInt64(kDifferently));
  llvm::Value* merged = builder.CreateSelect(builder.CreateICmpEQ(met, builder.getInt64(kNoneYet)),
                                             end, same, "merged");
  cta.done->getTerminator()->eraseFromParent();
  auto* leave = new_block("leave", nullptr);
  builder.SetInsertPoint(cta.done);
  llvm::BasicBlock* round = new_block("round", nullptr);
  builder.CreateCondBr(builder.CreateICmpULT(merged, builder.getInt64(kNoneYet)), round, leave);
  builder.SetInsertPoint(round);
  continue_or_switch(builder, cta, merged, cta.head);
  auto* differ = new_block("differ", nullptr);
  builder.SetInsertPoint(leave);
  builder.CreateCondBr(builder.CreateICmpEQ(merged, builder.getInt64(kFinished)), cta.finished,
                       differ);
  builder.SetInsertPoint(differ);
  builder.CreateRet(builder.getInt32(static_cast<u32>(Outcome::barriers)));
  const auto arrive = [&](llvm::PHINode* phi, llvm::Value* at_first, llvm::Value* next_warp,
                          llvm::Value* next_round) {
    phi->addIncoming(at_first, cta.cta);
    if (cta.team_counter) phi->addIncoming(next_warp, cta.next);
    phi->addIncoming(next_round, round);
  };
  arrive(met, builder.getInt64(kNoneYet), merged, builder.getInt64(kNoneYet));
  arrive(together, begins, together, builder.getTrue());
  arrive(place, first, place, merged);
  if (cta.team_counter) cta.team_counter->addIncoming(builder.getInt32(0), round);

  rounds.go = go;
  rounds.met = met, rounds.together = together, rounds.place = place;
  rounds.none_yet = builder.getInt64(kNoneYet);
  rounds.regions.push_back({start, {}});
  for (llvm::BasicBlock* block : resumed) rounds.regions.push_back({block, {}});
  return rounds;
}

}  // namespace

u32 split_regions(const Vectorized& cta) {
  llvm::Function& warp = *cta.function;
  std::vector<llvm::CallInst*> ends;
  for (llvm::BasicBlock& block : warp) {
    for (llvm::Instruction& inst : block) {
      auto* call = llvm::dyn_cast<llvm::CallInst>(&inst);
      if (call && call->getCalledFunction() && call->getCalledFunction()->getName() == kRegionEnd)
        ends.push_back(call);
    }
  }
  if (ends.empty()) return 0;

  llvm::IRBuilder<> builder(cta.head->getTerminator());
  // The address of the team's frame; its size is inserted when it is known.
  auto* begin = llvm::BinaryOperator::CreateNUWMul(
      builder.CreateZExt(cta.team, builder.getInt64Ty()), builder.getInt64(0));
  builder.Insert(begin);
  llvm::Value* frame =
      builder.CreateInBoundsGEP(builder.getInt8Ty(), warp.getArg(1), begin, "frame");
  u32 size = keep_accumulators_in_frame(cta, frame, kFirstSlot);

  std::vector<llvm::BasicBlock*> resumed;
  for (llvm::CallInst* call : ends) {
    llvm::BasicBlock* block = call->getParent();
    resumed.push_back(llvm::SplitBlock(block, call->getNextNode()));
    resumed.back()->setName("resume");
  }
  make_again(cta);
  const Liveness live(cta);

  const llvm::DataLayout& layout = warp.getDataLayout();
  llvm::MapVector<llvm::Instruction*, u32> slots;
  for (llvm::BasicBlock* block : resumed) {
    for (llvm::Instruction* value : live.at(block)) {
      if (slots.count(value)) continue;
      const u32 bytes = static_cast<u32>(layout.getTypeAllocSize(value->getType()).getFixedValue());
      const u32 align =
          bytes >= 64 ? 64 : static_cast<u32>(layout.getABITypeAlign(value->getType()).value());
      size = (size + align - 1) / align * align;
      slots[value] = size;
      size += bytes;
    }
  }
  size = (size + 63) / 64 * 64;
  begin->setOperand(1, builder.getInt64(size));
  const auto at = [&](u32 offset) {
    return builder.CreateConstInBoundsGEP1_32(builder.getInt8Ty(), frame, offset);
  };
  std::map<llvm::BasicBlock*, llvm::BasicBlock*> continued;  // behind a region's end
  for (std::size_t i = 0; i < ends.size(); ++i) continued[ends[i]->getParent()] = resumed[i];
  Rounds rounds = make_rounds(cta, ends, resumed, frame);

  const EndsReached reached(cta);
  for (Rounds::Region& region : rounds.regions) region.ends = reached.from(region.begin);
  // Values that live across a region's end are stored at that end, so that loops keep them in
  // registers.
  for (const auto& [value, offset] : slots) {
    std::vector<llvm::Use*> uses;
    for (llvm::Use& use : value->uses()) uses.push_back(&use);
    const llvm::Align align(offset % 64 == 0 ? 64
                                             : layout.getABITypeAlign(value->getType()).value());
    llvm::SSAUpdater values;
    values.Initialize(value->getType(), value->getName());
    values.AddAvailableValue(value->getParent(), value);
    // A block behind a region's end may rematerialize the value further down; uses above that need
    // the loaded one.
    std::map<llvm::BasicBlock*, llvm::Value*> read;
    for (llvm::BasicBlock* block : resumed) {
      if (!live.is_live(value, block)) continue;
      builder.SetInsertPoint(block, block->getFirstInsertionPt());
      read[block] = builder.CreateAlignedLoad(value->getType(), at(offset), align);
      if (block != value->getParent()) values.AddAvailableValue(block, read[block]);
    }
    for (llvm::BasicBlock* block : reached.from(value->getParent())) {
      const auto next = continued.find(block);
      if (next == continued.end() || !live.is_live(value, next->second)) continue;
      builder.SetInsertPoint(block->getTerminator());
      builder.CreateAlignedStore(value, at(offset), align);
      uses.push_back(
          &llvm::cast<llvm::Instruction>(block->getTerminator()->getPrevNode())->getOperandUse(0));
    }
    for (llvm::Use* use : uses) {
      auto* user = llvm::cast<llvm::Instruction>(use->getUser());
      llvm::BasicBlock* block = llvm::isa<llvm::PHINode>(user)
                                    ? llvm::cast<llvm::PHINode>(user)->getIncomingBlock(*use)
                                    : user->getParent();
      if (block == value->getParent()) {
        const bool behind = llvm::isa<llvm::PHINode>(user) || value->comesBefore(user);
        if (!behind) use->set(read.at(block));
        continue;
      }
      if (const auto found = read.find(block); found != read.end())
        use->set(found->second);
      else
        values.RewriteUse(*use);
    }
  }
  make_team_loops(cta, rounds);
  return size;
}

}  // namespace heddle::jit
