// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "jit/llvm/scalar/interleave_lanes.h"

#include <llvm/ADT/MapVector.h>
#include <llvm/ADT/PostOrderIterator.h>
#include <llvm/ADT/SetVector.h>
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/CFG.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/Transforms/Utils/BasicBlockUtils.h>
#include <llvm/Transforms/Utils/Local.h>
#include <llvm/Transforms/Utils/PromoteMemToReg.h>

#include <algorithm>
#include <list>
#include <utility>
#include <vector>

#include "isa/form.h"
#include "jit/llvm/analysis/waits.h"

namespace heddle::jit {
namespace {

using Block = llvm::BasicBlock;

/// isa::dispatch_index() of a warp function that may have a choice of types.
u16 find_warp_function(isa::SemId sem, isa::Type type) {
  const auto form = std::ranges::find(isa::forms(), sem, &isa::Form::sem_id);
  std::vector<u8> slots(form->slots.size());
  for (const u8 slot : form->dispatch_slots) slots[slot] = static_cast<u8>(type);
  return static_cast<u16>(isa::dispatch_index(*form, slots));
}
using Edge = std::pair<Block*, Block*>;

class Interleaving {
 public:
  /// `through_barriers`: the part extends behind barriers, to the end of the kernel.
  Interleaving(ScalarKernel& kernel, const Site& site, std::vector<Block*> held,
               std::vector<Block*> waiting, std::vector<Block*> asking, bool through_barriers)
      : kernel_(kernel),
        function_(*kernel.function),
        held_(std::move(held)),
        waiting_(std::move(waiting)),
        asking_(std::move(asking)),
        through_barriers_(through_barriers),
        builder_(function_.getContext()),
        site_(site) {}
  /// Finds the part. False: it has several entries.
  bool find();
  bool overlaps(const Interleaving& other) const {
    return llvm::any_of(part_, [&](Block* block) { return other.part_.contains(block); });
  }
  const std::vector<Block*>& held() const { return held_; }
  /// Finds where rounds begin. False: no lane waits there, or one waits at an unknown barrier, or
  /// none leaves.
  bool find_rounds();
  void run();

 private:
  bool ends_part(const llvm::Instruction& inst) const {
    return llvm::isa<llvm::ReturnInst>(inst) || (!through_barriers_ && gathers(inst, kernel_));
  }
  bool waits_for_others(const Block* block) const { return needs_all(block->front(), kernel_); }
  void find_part(const std::vector<Block*>& from);
  void compute_before();
  void wait_for_members(Block* block);
  void mark_gathered(llvm::CallInst& call);
  void keep_values_in_memory();
  void make_rounds();
  Block* wait_together(const std::vector<Block*>& blocks, bool names_members, Block* meet);
  void emit_round_end();
  Block* suspend(u32 number, Block* to, bool progressed = true);
  llvm::AllocaInst* variable(const char* name);
  llvm::Value* across(isa::SemId sem, llvm::ArrayRef<llvm::Value*> operands);
  llvm::Value* are_here(llvm::Value* members);

  ScalarKernel& kernel_;
  llvm::Function& function_;
  const std::vector<Block*> held_;     ///< where lanes begin to block others
  const std::vector<Block*> waiting_;  ///< headers of loops that may wait
  const std::vector<Block*> asking_;   ///< of those that only poll
  const bool through_barriers_;
  llvm::IRBuilder<> builder_;
  llvm::SetVector<Block*> part_;
  Block* entry_ = nullptr;                  ///< of the part
  llvm::SetVector<Block*> begins_;          ///< where rounds begin: entry_, and where lanes wait
  std::vector<Block*> barriers_;            ///< of the CTA, in the part
  std::vector<Block*> warp_barriers_;       ///< bar.warp.sync there
  std::vector<llvm::AllocaInst*> storage_;  ///< of values, and the next three
  llvm::AllocaInst* place_ = nullptr;       ///< where a lane resumes
  llvm::AllocaInst* here_ = nullptr;        ///< lanes that take part in the round
  llvm::AllocaInst* progressed_ = nullptr;  ///< whether the lane made progress in it
  const Site site_;                         ///< of an instruction for which lanes wait
};

llvm::AllocaInst* Interleaving::variable(const char* name) {
  llvm::IRBuilder<> at(&*function_.getEntryBlock().getFirstInsertionPt());
  storage_.push_back(at.CreateAlloca(at.getInt32Ty(), nullptr, name));
  return storage_.back();
}

/// A warp operation over the lanes that execute it, without waiting for more.
llvm::Value* Interleaving::across(isa::SemId sem, llvm::ArrayRef<llvm::Value*> operands) {
  Site site;
  site.function = site_.function, site.inst = site_.inst;
  site.sem = sem;
  site.dispatch = find_warp_function(sem, isa::Type::b32);
  std::vector<llvm::Value*> all = {builder_.getInt32(kernel_.add_site(site))};
  all.insert(all.end(), operands.begin(), operands.end());
  return call_machine(builder_, MachineOp::warp_op, builder_.getInt32Ty(), all,
                      operands.empty() ? "r32" : "r32i32");
}

/// Whether all `members` of the round are here and name the same ones: with recursion, lanes wait
/// at one place for different members. A lane that is not named does not wait.
llvm::Value* Interleaving::are_here(llvm::Value* members) {
  llvm::Value* round = builder_.CreateLoad(builder_.getInt32Ty(), here_);
  llvm::Value* here = llvm::isa<llvm::Constant>(members) ? across(isa::SemId::activemask, {})
                                                         : across(isa::SemId::match_any, {members});
  llvm::Value* elsewhere = builder_.CreateAnd(round, builder_.CreateNot(here));
  llvm::Value* missing = builder_.CreateAnd(elsewhere, members);
  llvm::Value* all = builder_.CreateICmpEQ(missing, builder_.getInt32(0));
  if (const auto* known = llvm::dyn_cast<llvm::Constant>(members); known && known->isAllOnesValue())
    return all;
  llvm::Value* lane = call_machine(builder_, MachineOp::lane, builder_.getInt32Ty(), {});
  llvm::Value* own = builder_.CreateAnd(builder_.CreateShl(builder_.getInt32(1), lane), members);
  return builder_.CreateOr(all, builder_.CreateICmpEQ(own, builder_.getInt32(0)));
}

/// Finds the blocks that are reachable from `from` before the end of the part.
void Interleaving::find_part(const std::vector<Block*>& from) {
  part_.clear();
  const auto add = [&](Block* block) {
    if (!ends_part(block->front())) part_.insert(block);
  };
  for (Block* block : from) add(block);
  for (std::size_t i = 0; i < part_.size(); ++i) {
    for (Block* next : llvm::successors(part_[i])) add(next);
  }
}

bool Interleaving::find() {
  const llvm::DominatorTree dominators(function_);
  std::vector<Block*> from = held_;
  while (true) {
    find_part(from);
    if (part_.empty()) return false;
    entry_ = part_.front();
    for (Block* block : part_) entry_ = dominators.findNearestCommonDominator(entry_, block);
    if (ends_part(entry_->front())) entry_ = entry_->getSingleSuccessor();
    if (!entry_ || entry_ == &function_.getEntryBlock()) return false;
    if (part_.contains(entry_)) break;
    // The part has more blocks: at least that one.
    if (ends_part(entry_->front())) return false;
    from.push_back(entry_);
  }
  return llvm::all_of(part_, [&](Block* block) {
    return block == entry_ ||
           llvm::all_of(llvm::predecessors(block), [&](Block* way) { return part_.contains(way); });
  });
}

bool Interleaving::find_rounds() {
  begins_.insert(entry_);
  for (Block* header : waiting_) {
    if (part_.contains(header)) begins_.insert(header);
  }
  bool waits = begins_.size() > 1 || llvm::is_contained(waiting_, entry_), ends = false;
  for (Block* block : part_) {
    for (Block* next : llvm::successors(block)) ends |= !part_.contains(next);
    const llvm::Instruction& first = block->front();
    if (!waits_for_others(block)) continue;
    waits = true;
    if (machine_op(first) == MachineOp::warp_barrier) warp_barriers_.push_back(block);
    if (!is_barrier_op(machine_op(first))) continue;
    barriers_.push_back(block);
    const auto* number = llvm::dyn_cast<llvm::ConstantInt>(first.getOperand(1));
    if (machine_op(first) != MachineOp::barrier || !number ||
        number != barriers_.front()->front().getOperand(1))
      return false;
  }
  return waits && ends;
}

/// Values that are the same in all rounds are computed in front of them, where they keep their
/// shapes.
void Interleaving::compute_before() {
  const llvm::DominatorTree dominators(function_);
  llvm::Instruction* before = dominators.getNode(entry_)->getIDom()->getBlock()->getTerminator();
  for (Block* block : llvm::ReversePostOrderTraversal<llvm::Function*>(&function_)) {
    if (!part_.contains(block)) continue;
    for (llvm::Instruction& inst : llvm::make_early_inc_range(*block)) {
      const bool known = llvm::all_of(inst.operands(), [&](const llvm::Use& operand) {
        auto* from = llvm::dyn_cast<llvm::Instruction>(operand);
        return !from || !part_.contains(from->getParent());
      });
      if (!known || llvm::isa<llvm::PHINode>(inst) || inst.isTerminator()) continue;
      if (llvm::isSafeToSpeculativelyExecute(&inst) && !inst.mayReadFromMemory())
        inst.moveBefore(before);
    }
  }
}

/// Puts a block in front of an instruction with a membermask, in which lanes wait for the members.
void Interleaving::wait_for_members(Block* block) {
  auto& inst = llvm::cast<llvm::CallInst>(block->front());
  Block* ready = llvm::SplitBlock(block, &inst);
  block->getTerminator()->eraseFromParent();
  builder_.SetInsertPoint(block);
  builder_.CreateCondBr(are_here(inst.getArgOperand(inst.arg_size() - 1)), ready, block);
  part_.insert(ready);
  begins_.insert(block);
  mark_gathered(inst);
}

/// Marks the instruction, or its copy: its lanes have been waited for.
void Interleaving::mark_gathered(llvm::CallInst& call) {
  Site site = site_of(call, kernel_.sites);
  site.gathered = true;
  call.setArgOperand(0, builder_.getInt32(kernel_.add_site(site)));
}

/// Stores values that other blocks use in memory, because edges between blocks change.
void Interleaving::keep_values_in_memory() {
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

/// A block in which a lane ends its round: it stores where the lane resumes, and whether the lane
/// made progress.
Block* Interleaving::suspend(u32 number, Block* to, bool progressed) {
  auto* block = Block::Create(function_.getContext(), "suspend", &function_, to);
  builder_.SetInsertPoint(block);
  builder_.CreateStore(builder_.getInt32(number), place_);
  builder_.CreateStore(builder_.getInt32(progressed), progressed_);
  builder_.CreateBr(to);
  return block;
}

/// One place for the barriers at the beginning of `blocks`, where lanes wait for all lanes of the
/// warp that have not exited, or for their members. Returns where they resume.
Block* Interleaving::wait_together(const std::vector<Block*>& blocks, bool names_members,
                                   Block* meet) {
  llvm::LLVMContext& context = function_.getContext();
  llvm::Type* word = builder_.getInt32Ty();
  auto* wait = Block::Create(context, "wait", &function_, meet);
  auto* go = Block::Create(context, "go", &function_, meet);
  llvm::AllocaInst *behind = variable("behind"), *members = variable("members");
  const u32 number = static_cast<u32>(begins_.size());
  begins_.insert(wait);
  Block* again = suspend(number, meet, /*progressed=*/false);
  builder_.SetInsertPoint(go);
  auto* choice =
      builder_.CreateSwitch(builder_.CreateLoad(word, behind), blocks.front()->getSingleSuccessor(),
                            static_cast<unsigned>(blocks.size()));
  llvm::Value* same = nullptr;  // all members are named
  for (u32 i = 0; i < blocks.size(); ++i) {
    if (i) choice->addCase(builder_.getInt32(i), blocks[i]->getSingleSuccessor());
    Block* come = suspend(number, meet);
    llvm::Instruction& barrier = *blocks[i]->getTerminator()->getPrevNode();
    llvm::Value* named = names_members ? barrier.getOperand(1) : builder_.getInt32(~0u);
    same = llvm::isa<llvm::Constant>(named) && (i == 0 || same == named) ? named : nullptr;
    builder_.SetInsertPoint(&barrier);
    builder_.CreateStore(named, members);
    builder_.CreateStore(builder_.getInt32(i), behind);
    builder_.CreateBr(come);
    barrier.eraseFromParent();
    blocks[i]->getTerminator()->eraseFromParent();
  }
  builder_.SetInsertPoint(wait);
  builder_.CreateCondBr(are_here(same ? same : builder_.CreateLoad(word, members)), go, again);
  return go;
}

/// Emits the end of a round. It has two sites: the second one is for rounds in which no lane made
/// progress.
void Interleaving::emit_round_end() {
  Site site = site_;
  site.gathered = true;
  const u32 number = kernel_.add_site(site);
  site.alone = true;
  kernel_.add_site(site);
  llvm::Value* progressed = builder_.CreateLoad(builder_.getInt32Ty(), progressed_);
  call_machine(
      builder_, MachineOp::round_end, builder_.getVoidTy(),
      {builder_.getInt32(number), builder_.CreateICmpNE(progressed, builder_.getInt32(0))});
}

void Interleaving::make_rounds() {
  llvm::LLVMContext& context = function_.getContext();
  llvm::MapVector<Block*, u32> ends;
  std::vector<Edge> around, leaving;
  std::vector<Block*> before;
  for (Block* way : llvm::predecessors(entry_)) {
    if (!part_.contains(way)) before.push_back(way);
  }
  const llvm::DominatorTree dominators(function_);
  for (Block* block : part_) {
    for (Block* next : llvm::successors(block)) {
      // A lane that comes to the entry, or enters a loop, for the first time does not wait.
      const bool enters = next == entry_ || llvm::is_contained(waiting_, next);
      if (!part_.contains(next)) {
        leaving.emplace_back(block, next);
        ends.insert({next, static_cast<u32>(ends.size())});
      } else if (begins_.contains(next) && (!enters || dominators.dominates(next, block))) {
        around.emplace_back(block, next);
      }
    }
  }

  auto* round = Block::Create(context, "round", &function_, entry_);
  auto* meet = Block::Create(context, "meet", &function_, entry_);
  auto* left = Block::Create(context, "left", &function_, entry_);
  if (!warp_barriers_.empty()) wait_together(warp_barriers_, /*names_members=*/true, meet);
  if (!barriers_.empty()) {
    auto* barrier = llvm::cast<llvm::CallInst>(barriers_.front()->front().clone());
    mark_gathered(*barrier);
    Block* go = wait_together(barriers_, /*names_members=*/false, meet);
    barrier->insertBefore(*go, go->getFirstInsertionPt());
  }
  const u32 first_end = static_cast<u32>(begins_.size());
  llvm::Type* word = builder_.getInt32Ty();
  builder_.SetInsertPoint(round);
  builder_.CreateStore(across(isa::SemId::activemask, {}), here_);
  auto* choice = builder_.CreateSwitch(builder_.CreateLoad(word, place_), entry_, first_end);
  for (u32 i = 1; i < first_end; ++i) choice->addCase(builder_.getInt32(i), begins_[i]);
  builder_.SetInsertPoint(meet);
  emit_round_end();
  llvm::Value* place = builder_.CreateLoad(word, place_);
  builder_.CreateCondBr(builder_.CreateICmpULT(place, builder_.getInt32(first_end)), round, left);
  builder_.SetInsertPoint(left);
  choice = builder_.CreateSwitch(builder_.CreateLoad(word, place_), ends.front().first,
                                 static_cast<unsigned>(ends.size()));
  for (const auto& [block, number] : ends) {
    if (number) choice->addCase(builder_.getInt32(first_end + number), block);
  }

  Block* begin = suspend(0, round);
  for (Block* way : before) way->getTerminator()->replaceSuccessorWith(entry_, begin);
  for (const auto& [from, to] : around) {
    const auto number = std::find(begins_.begin(), begins_.end(), to) - begins_.begin();
    const bool progressed =
        !llvm::is_contained(asking_, to) && (from != to || llvm::is_contained(waiting_, to));
    Block* suspended = suspend(static_cast<u32>(number), meet, progressed);
    from->getTerminator()->replaceSuccessorWith(to, suspended);
  }
  for (const auto& [from, to] : leaving)
    from->getTerminator()->replaceSuccessorWith(to, suspend(first_end + ends[to], meet));
}

void Interleaving::run() {
  place_ = variable("place"), here_ = variable("here"), progressed_ = variable("progressed");
  compute_before();
  const llvm::SetVector<Block*> part = part_;
  for (Block* block : part) {
    const bool together =
        llvm::is_contained(barriers_, block) || llvm::is_contained(warp_barriers_, block);
    if (waits_for_others(block) && !together) wait_for_members(block);
  }
  keep_values_in_memory();
  make_rounds();
  llvm::removeUnreachableBlocks(function_);
  llvm::DominatorTree dominators(function_);
  llvm::PromoteMemToReg(storage_, dominators);
}

/// Splits blocks at places where lanes wait, and at returns; and the kernel's first block behind
/// what decides where it continues.
void set_apart(const ScalarKernel& kernel) {
  std::vector<llvm::Instruction*> found;
  for (llvm::Instruction& inst : llvm::instructions(*kernel.function)) {
    const bool waits = gathers(inst, kernel) || needs_all(inst, kernel);
    if (waits || llvm::isa<llvm::ReturnInst>(inst)) found.push_back(&inst);
  }
  llvm::Instruction* first_branch = kernel.function->getEntryBlock().getTerminator();
  if (!llvm::isa<llvm::ReturnInst>(first_branch)) found.push_back(first_branch);
  for (llvm::Instruction* inst : found) {
    llvm::SplitBlock(inst->getParent(), inst);
    if (inst->isTerminator()) continue;
    // The next block has no other predecessor.
    Block* next = llvm::SplitBlock(inst->getParent(), inst->getNextNode());
    llvm::SplitBlock(next, &next->front());
  }
}

}  // namespace

bool interleave_lanes(ScalarKernel& kernel, const Shapes& shapes) {
  ask_instead(kernel, shapes);
  const WaitingLoops loops = find_waiting_loops(kernel, shapes);
  std::vector<Block*> held, waiting, asking;
  const Site* site = nullptr;
  for (const llvm::Loop* loop : shapes.loops.getLoopsInPreorder()) {
    const auto found = loops.find(loop);
    if (found == loops.end()) continue;
    waiting.push_back(loop->getHeader());
    if (only_asks(*loop, kernel)) asking.push_back(loop->getHeader());
    if (!holds_answers_up(kernel, shapes, *loop)) continue;
    held.push_back(loop->getHeader());
    site = &site_of(*found->second.asks, kernel.sites);
  }
  for (const DivergentBarrier& one : find_divergent_barriers(kernel, shapes))
    held.insert(held.end(), one.blocks.begin(), one.blocks.end());
  for (const llvm::Instruction& inst : llvm::instructions(*kernel.function)) {
    if (!site && machine_op(inst) != MachineOp::warp_barrier && needs_all(inst, kernel))
      site = &site_of(llvm::cast<llvm::CallInst>(inst), kernel.sites);
  }
  const bool through_barriers = !find_divergent_barriers(kernel, shapes, /*for_all=*/true).empty();
  const Site where = site ? *site : Site();

  set_apart(kernel);
  std::list<Interleaving> parts;
  const auto find_parts = [&](bool through) {
    parts.clear();
    for (Block* block : held) {
      const llvm::Instruction& first = block->front();
      const bool meets = gathers(first, kernel) && !through;
      if (meets || llvm::isa<llvm::ReturnInst>(first))
        continue;  // the other successor is in `held`
      std::vector<Block*> together = {block};
      for (bool joins = true; joins;) {
        Interleaving& part = parts.emplace_back(kernel, where, together, waiting, asking, through);
        if (!part.find()) return false;
        const auto other = std::ranges::find_if(
            parts, [&](const Interleaving& one) { return &one != &part && part.overlaps(one); });
        joins = other != parts.end();
        if (!joins) break;
        together.insert(together.end(), other->held().begin(), other->held().end());
        parts.erase(other);
        parts.pop_back();
      }
    }
    return !parts.empty() &&
           llvm::all_of(parts, [](Interleaving& part) { return part.find_rounds(); });
  };
  // Parts that end at barriers may be entered behind those, too.
  if (!find_parts(through_barriers) && (through_barriers || !find_parts(true))) return false;
  for (Interleaving& part : parts) part.run();
  return true;
}

}  // namespace heddle::jit
