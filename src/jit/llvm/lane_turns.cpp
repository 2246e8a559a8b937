// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "jit/llvm/lane_turns.h"

#include <llvm/ADT/MapVector.h>
#include <llvm/ADT/PostOrderIterator.h>
#include <llvm/ADT/SetVector.h>
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/CFG.h>
#include <llvm/IR/Dominators.h>
#include <llvm/Transforms/Utils/BasicBlockUtils.h>
#include <llvm/Transforms/Utils/Local.h>
#include <llvm/Transforms/Utils/PromoteMemToReg.h>

#include <utility>
#include <vector>

#include "jit/llvm/analyses.h"
#include "jit/llvm/waits.h"

namespace heddle::jit {
namespace {

using Block = llvm::BasicBlock;
using Edge = std::pair<Block*, Block*>;

class Turns {
 public:
  Turns(const ScalarKernel& kernel, const std::vector<Block*>& held,
        const std::vector<Block*>& headers)
      : kernel_(kernel),
        function_(*kernel.function),
        held_(held),
        headers_(headers),
        builder_(function_.getContext()) {}
  bool run();

 private:
  bool ends_part(const llvm::Instruction& inst) const {
    return gathers(inst, kernel_) || llvm::isa<llvm::ReturnInst>(inst);
  }
  void set_apart();
  void find_part(const std::vector<Block*>& from);
  bool find_entry();
  void compute_before();
  void keep_values_in_memory();
  void make_rounds();
  Block* note(u32 number, Block* to);

  const ScalarKernel& kernel_;
  llvm::Function& function_;
  const std::vector<Block*>& held_;     ///< headers of loops in which lanes hold others up
  const std::vector<Block*>& headers_;  ///< of all that may wait
  llvm::IRBuilder<> builder_;
  llvm::SetVector<Block*> part_;
  Block* entry_ = nullptr;                  ///< of the part
  std::vector<Edge> around_;                ///< where lanes would go around such a loop in it
  std::vector<llvm::AllocaInst*> storage_;  ///< what was a value
  llvm::AllocaInst* place_ = nullptr;       ///< where a lane goes on
};

/// Barriers and returns in blocks of their own, and what decides where the kernel's first block goes
/// on.
void Turns::set_apart() {
  std::vector<llvm::Instruction*> found;
  for (Block& block : function_) {
    for (llvm::Instruction& inst : block) {
      if (ends_part(inst)) found.push_back(&inst);
    }
  }
  if (!ends_part(*function_.getEntryBlock().getTerminator()))
    found.push_back(function_.getEntryBlock().getTerminator());
  for (llvm::Instruction* inst : found) {
    llvm::SplitBlock(inst->getParent(), inst);
    if (!inst->isTerminator()) llvm::SplitBlock(inst->getParent(), inst->getNextNode());
  }
}

/// Blocks that lanes come to from those before they come to a barrier or to the end.
void Turns::find_part(const std::vector<Block*>& from) {
  part_.clear();
  const auto add = [&](Block* block) {
    if (!ends_part(block->front())) part_.insert(block);
  };
  for (Block* block : from) add(block);
  for (std::size_t i = 0; i < part_.size(); ++i) {
    for (Block* next : llvm::successors(part_[i])) add(next);
  }
}

/// Whether it is entered at one place; more blocks belong to it, perhaps.
bool Turns::find_entry() {
  const llvm::DominatorTree dominators(function_);
  std::vector<Block*> from = held_;
  while (true) {
    find_part(from);
    if (part_.empty()) return false;
    entry_ = part_.front();
    for (Block* block : part_) entry_ = dominators.findNearestCommonDominator(entry_, block);
    if (ends_part(entry_->front())) entry_ = entry_->getSingleSuccessor();
    if (part_.contains(entry_)) break;
    from.push_back(entry_);
  }
  for (Block* block : part_) {
    for (Block* way : llvm::predecessors(block)) {
      if (block != entry_ && !part_.contains(way)) return false;
    }
  }
  // Whoever waits must be able to come to the place where all meet.
  const llvm::LoopInfo loops(dominators);
  for (Block* header : headers_) {
    const llvm::Loop* loop = loops.getLoopFor(header);
    if (!part_.contains(header)) continue;
    if (!loop || loop->getHeader() != header) return false;
    llvm::SmallVector<Block*, 4> latches;
    loop->getLoopLatches(latches);
    for (Block* latch : latches) {
      if (part_.contains(latch)) around_.emplace_back(latch, header);
    }
  }
  return !around_.empty() && entry_ != &function_.getEntryBlock();
}

/// What is the same in all rounds, in front of them: it keeps what is known of it over the lanes.
void Turns::compute_before() {
  llvm::DominatorTree dominators(function_);
  llvm::Instruction* before =
      dominators.getNode(entry_)->getIDom()->getBlock()->getTerminator();
  for (Block* block : llvm::ReversePostOrderTraversal<llvm::Function*>(&function_)) {
    if (!part_.contains(block)) continue;
    for (llvm::Instruction& inst : llvm::make_early_inc_range(*block)) {
      const bool known = llvm::all_of(inst.operands(), [&](const llvm::Use& operand) {
        const auto* from = llvm::dyn_cast<llvm::Instruction>(operand);
        return !from || !part_.contains(const_cast<Block*>(from->getParent()));
      });
      if (!known || llvm::isa<llvm::PHINode>(inst) || inst.isTerminator()) continue;
      if (llvm::isSafeToSpeculativelyExecute(&inst) && !inst.mayReadFromMemory())
        inst.moveBefore(before);
    }
  }
}

/// Values that are used in other blocks: ways between the blocks change.
void Turns::keep_values_in_memory() {
  const auto at = function_.getEntryBlock().getFirstInsertionPt();
  llvm::SetVector<Block*> touched = part_;
  for (Block* block : part_) touched.insert(llvm::succ_begin(block), llvm::succ_end(block));
  std::vector<llvm::Instruction*> values;
  std::vector<llvm::PHINode*> phis;
  for (Block* block : touched) {
    for (llvm::Instruction& inst : *block) {
      if (auto* phi = llvm::dyn_cast<llvm::PHINode>(&inst)) phis.push_back(phi);
      const bool leaves = llvm::any_of(inst.users(), [&](const llvm::User* user) {
        const auto* other = llvm::cast<llvm::Instruction>(user);
        return other->getParent() != block || llvm::isa<llvm::PHINode>(other);
      });
      if (part_.contains(block) && leaves) values.push_back(&inst);
    }
  }
  const auto keep = [&](llvm::AllocaInst* one) {
    if (one) storage_.push_back(one);
  };
  for (llvm::Instruction* value : values) keep(llvm::DemoteRegToStack(*value, false, at));
  for (llvm::PHINode* phi : phis) keep(llvm::DemotePHIToStack(phi, at));
}

/// A block that notes where the lane goes on.
Block* Turns::note(u32 number, Block* to) {
  auto* block = Block::Create(function_.getContext(), "turn", &function_, to);
  builder_.SetInsertPoint(block);
  builder_.CreateStore(builder_.getInt32(number), place_);
  builder_.CreateBr(to);
  return block;
}

void Turns::make_rounds() {
  llvm::LLVMContext& context = function_.getContext();
  llvm::MapVector<Block*, u32> begins, ends;
  std::vector<Edge> leaving;
  begins[entry_] = 0;
  for (const auto& [from, to] : around_)
    begins.insert({to, static_cast<u32>(begins.size())});
  for (Block* block : part_) {
    for (Block* next : llvm::successors(block)) {
      if (part_.contains(next)) continue;
      leaving.emplace_back(block, next);
      ends.insert({next, static_cast<u32>(ends.size())});
    }
  }
  const u32 first_end = static_cast<u32>(begins.size());
  std::vector<Block*> before;
  for (Block* way : llvm::predecessors(entry_)) {
    if (!part_.contains(way)) before.push_back(way);
  }

  builder_.SetInsertPoint(&*function_.getEntryBlock().getFirstInsertionPt());
  llvm::Type* word = builder_.getInt32Ty();
  storage_.push_back(place_ = builder_.CreateAlloca(word, nullptr, "place"));
  auto* round = Block::Create(context, "round", &function_, entry_);
  auto* meet = Block::Create(context, "meet", &function_, entry_);
  auto* left = Block::Create(context, "left", &function_, entry_);
  builder_.SetInsertPoint(round);
  auto* choice = builder_.CreateSwitch(builder_.CreateLoad(word, place_), entry_,
                                       static_cast<unsigned>(begins.size()));
  for (const auto& [block, number] : begins) {
    if (number) choice->addCase(builder_.getInt32(number), block);
  }
  builder_.SetInsertPoint(meet);
  llvm::Value* place = builder_.CreateLoad(word, place_);
  builder_.CreateCondBr(builder_.CreateICmpULT(place, builder_.getInt32(first_end)), round, left);
  builder_.SetInsertPoint(left);
  choice = builder_.CreateSwitch(builder_.CreateLoad(word, place_), ends.front().first,
                                 static_cast<unsigned>(ends.size()));
  for (const auto& [block, number] : ends) {
    if (number) choice->addCase(builder_.getInt32(first_end + number), block);
  }

  Block* begin = note(0, round);
  for (Block* way : before) way->getTerminator()->replaceSuccessorWith(entry_, begin);
  for (const auto& [from, to] : around_)
    from->getTerminator()->replaceSuccessorWith(to, note(begins[to], meet));
  for (const auto& [from, to] : leaving)
    from->getTerminator()->replaceSuccessorWith(to, note(first_end + ends[to], meet));
}

bool Turns::run() {
  set_apart();
  if (!find_entry()) return false;
  compute_before();
  keep_values_in_memory();
  make_rounds();
  llvm::DominatorTree dominators(function_);
  llvm::PromoteMemToReg(storage_, dominators);
  return true;
}

}  // namespace

bool take_turns(ScalarKernel& kernel, const Shapes& shapes, Analyses& analyses) {
  const WaitingLoops loops = find_waiting_loops(kernel, shapes);
  std::vector<Block*> held, headers;
  for (const llvm::Loop* loop : shapes.loops.getLoopsInPreorder()) {
    if (!loops.count(loop)) continue;
    headers.push_back(loop->getHeader());
    if (holds_answers_up(kernel, shapes, *loop)) held.push_back(loop->getHeader());
  }
  if (held.empty() || !Turns(kernel, held, headers).run()) return false;
  tidy_turns(*kernel.function, analyses);
  return true;
}

}  // namespace heddle::jit
