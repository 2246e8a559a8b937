// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "jit/llvm/scalar/broadcasts.h"

#include <llvm/ADT/DenseMap.h>
#include <llvm/ADT/SetVector.h>
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/Analysis/PostDominators.h>
#include <llvm/IR/CFG.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/PatternMatch.h>

#include <optional>
#include <vector>

#include "jit/llvm/analysis/bounds.h"

namespace heddle::jit {
namespace {

using Block = llvm::BasicBlock;

bool is_barrier(const llvm::Instruction& inst) { return machine_op(inst) == MachineOp::barrier; }

class Broadcasts {
 public:
  Broadcasts(ScalarKernel& kernel, Analyses& analyses, const machine::Dim3& block)
      : kernel_(kernel),
        function_(*kernel.function),
        block_(block),
        dominators_(function_),
        after_(function_),
        loops_(dominators_),
        bounds_(function_, analyses) {}

  /// Where barriers are to be put: in front of these.
  std::vector<llvm::Instruction*> find();
  llvm::CallInst* witness(const llvm::Instruction& place) const;

 private:
  const Site& site(const llvm::Instruction& inst) const {
    return site_of(llvm::cast<llvm::CallInst>(inst), kernel_.sites);
  }
  bool is_shared(const llvm::Instruction& inst) const {
    return is_access(inst) && site(inst).space == ir::Space::shared;
  }
  bool is_same_for_all_warps(const llvm::Value* value);
  bool may_overlap(llvm::Instruction& load, llvm::Instruction& write);
  bool comes_after_waiting(const llvm::Instruction& load) const;
  bool is_overwritten(llvm::Instruction& load, const llvm::Loop* within);
  const llvm::Loop* loop_behind(const llvm::Instruction& load) const;

  ScalarKernel& kernel_;
  llvm::Function& function_;
  const machine::Dim3 block_;
  const llvm::DominatorTree dominators_;
  const llvm::PostDominatorTree after_;
  const llvm::LoopInfo loops_;
  BoundsAnalysis bounds_;
  llvm::DenseMap<const llvm::Value*, bool> same_;
};

/// Whether the value in a lane does not depend on which of the warps it is a lane of.
bool Broadcasts::is_same_for_all_warps(const llvm::Value* value) {
  using namespace llvm::PatternMatch;
  const auto* inst = llvm::dyn_cast<llvm::Instruction>(value);
  if (!inst) return true;
  // A phi node of a loop is the same if its other operands are.
  if (const auto [known, is_new] = same_.try_emplace(value, true); !is_new) return known->second;
  const auto operands_are = [&] {
    return llvm::all_of(inst->operand_values(),
                        [&](const llvm::Value* one) { return is_same_for_all_warps(one); });
  };
  const auto is_tid_x = [](const llvm::Value* one) {
    const auto* call = llvm::dyn_cast<llvm::CallInst>(one);
    if (!call || machine_op(*call) != MachineOp::tid) return false;
    const auto* component = llvm::dyn_cast<llvm::ConstantInt>(call->getArgOperand(0));
    return component && component->isZero();
  };
  const bool in_line = block_.x % kLanes == 0 || block_.volume() == block_.x;
  const llvm::Value* from = nullptr;
  const llvm::APInt* mask = nullptr;
  bool same = false;
  if (const MachineOp op = machine_op(*inst); op != MachineOp::none) {
    const auto offset = context_offset(*inst);
    same = op == MachineOp::lane || op == MachineOp::param || op == MachineOp::symbol ||
           (offset && *offset != offsetof(Context, warp));
  } else if (in_line && match(inst, m_And(m_Value(from), m_APInt(mask))) && is_tid_x(from)) {
    same = mask->ult(kLanes);
  } else if (llvm::isa<llvm::PHINode>(inst)) {
    same = loops_.isLoopHeader(inst->getParent()) && operands_are();
  } else {
    same = !inst->mayReadOrWriteMemory() && operands_are();
  }
  return same_[value] = same;
}

/// Whether the write may overlap the read.
bool Broadcasts::may_overlap(llvm::Instruction& load, llvm::Instruction& write) {
  const auto range = [&](llvm::Instruction& inst) {
    const Bounds address = bounds_.of(llvm::cast<llvm::CallInst>(inst).getArgOperand(1), inst);
    return std::pair(address.least, address.largest + u64{site(inst).bytes} * site(inst).count - 1);
  };
  const auto [from, to] = range(load);
  const auto [begin, end] = range(write);
  return from <= end && begin <= to;
}

/// Whether it may be before the next barrier. `within`: of what is behind that loop only; and not
/// at all if it is in there, too.
bool Broadcasts::is_overwritten(llvm::Instruction& load, const llvm::Loop* within) {
  const auto overwrites = [&](llvm::Instruction& inst) {
    return machine_op(inst) != MachineOp::load && is_shared(inst) && may_overlap(load, inst);
  };
  bool found = false;
  llvm::SetVector<Block*> work;
  // From there to the end of the block, or to a barrier.
  const auto look = [&](Block* block, Block::iterator from) {
    for (llvm::Instruction& inst : llvm::make_range(from, block->end())) {
      if (is_barrier(inst)) return;
      found |= overwrites(inst);
    }
    work.insert(llvm::succ_begin(block), llvm::succ_end(block));
  };
  look(load.getParent(), std::next(load.getIterator()));
  for (std::size_t i = 0; i < work.size() && !found; ++i) look(work[i], work[i]->begin());
  return found && !(within && llvm::any_of(within->blocks(), [&](Block* block) {
                      return llvm::any_of(*block, overwrites);
                    }));
}

/// Whether a thread that comes to the load may hold what others wait for, a lock for example: it is
/// a strong one, or there is a strong access, an atomic operation, a wait or a barrier for some
/// threads between the barrier before it and the load. A barrier behind it would be a deadlock.
bool Broadcasts::comes_after_waiting(const llvm::Instruction& load) const {
  const auto orders = [&](const llvm::Instruction& inst) {
    const MachineOp op = machine_op(inst);
    if (op == MachineOp::load || op == MachineOp::store) return site(inst).strong;
    return op == MachineOp::atomic || op == MachineOp::wait || op == MachineOp::step ||
           op == MachineOp::system_call || (is_barrier_op(op) && op != MachineOp::barrier) ||
           op == MachineOp::warp_op || op == MachineOp::warp_barrier;
  };
  if (orders(load)) return true;
  llvm::SetVector<const Block*> work;
  bool found = false;
  const auto look = [&](const Block* block, Block::const_iterator end) {
    for (auto at = end; at != block->begin();) {
      const llvm::Instruction& inst = *--at;
      if (is_barrier(inst)) return;
      found |= orders(inst);
    }
    work.insert(llvm::pred_begin(block), llvm::pred_end(block));
  };
  look(load.getParent(), load.getIterator());
  for (std::size_t i = 0; i < work.size() && !found; ++i) look(work[i], work[i]->end());
  return found;
}

/// A barrier to which all threads that do not exit come before each time that they come to the
/// place, and from which all come there: so may they wait for each other there, too. Null: none.
llvm::CallInst* Broadcasts::witness(const llvm::Instruction& place) const {
  for (llvm::Instruction& inst : llvm::instructions(function_)) {
    if (is_barrier(inst) && dominators_.dominates(&inst, &place) &&
        after_.dominates(place.getParent(), inst.getParent()) &&
        loops_.getLoopFor(inst.getParent()) == loops_.getLoopFor(place.getParent()))
      return llvm::cast<llvm::CallInst>(&inst);
  }
  return nullptr;
}

std::vector<llvm::Instruction*> Broadcasts::find() {
  llvm::SetVector<llvm::Instruction*> places;
  for (Block& block : function_) {
    llvm::Instruction* last = nullptr;  // behind the last load that is to be waited for
    for (llvm::Instruction& inst : block) {
      if (last &&
          (inst.isTerminator() || (is_shared(inst) && machine_op(inst) != MachineOp::load))) {
        places.insert(last);
        last = nullptr;
      }
      if (machine_op(inst) != MachineOp::load || !is_shared(inst) ||
          !is_same_for_all_warps(llvm::cast<llvm::CallInst>(inst).getArgOperand(1)) ||
          comes_after_waiting(inst))
        continue;
      if (witness(inst)) {
        if (is_overwritten(inst, nullptr)) last = inst.getNextNode();
        continue;
      }
      // In a loop: behind it.
      for (const llvm::Loop* loop = loops_.getLoopFor(&block); loop; loop = loop->getParentLoop()) {
        Block* behind = loop->getExitBlock();
        if (!behind || !witness(*behind->getFirstInsertionPt())) continue;
        if (after_.dominates(&block, loop->getHeader()) && is_overwritten(inst, loop))
          places.insert(&*behind->getFirstInsertionPt());
        break;
      }
    }
  }
  return {places.begin(), places.end()};
}

}  // namespace

unsigned separate_broadcasts(ScalarKernel& kernel, Analyses& analyses, const machine::Dim3& block) {
  if (block.volume() <= kLanes || llvm::none_of(llvm::instructions(*kernel.function), is_barrier))
    return 0;
  std::vector<std::pair<llvm::Instruction*, llvm::CallInst*>> found;
  {
    Broadcasts broadcasts(kernel, analyses, block);
    for (llvm::Instruction* place : broadcasts.find())
      found.emplace_back(place, broadcasts.witness(*place));
  }
  for (const auto& [place, barrier] : found) {
    auto* copy = llvm::cast<llvm::CallInst>(barrier->clone());
    copy->insertBefore(place);
    copy->setDebugLoc(place->getDebugLoc() ? place->getDebugLoc() : barrier->getDebugLoc());
    const u32 number = kernel.add_site(site_of(*barrier, kernel.sites));
    copy->setArgOperand(0, llvm::ConstantInt::get(copy->getArgOperand(0)->getType(), number));
  }
  if (!found.empty()) analyses.functions.clear(*kernel.function, kernel.function->getName());
  return static_cast<unsigned>(found.size());
}

}  // namespace heddle::jit
