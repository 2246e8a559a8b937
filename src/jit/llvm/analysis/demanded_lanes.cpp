// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "jit/llvm/analysis/demanded_lanes.h"

#include <llvm/ADT/STLExtras.h>
#include <llvm/Analysis/VectorUtils.h>
#include <llvm/IR/CFG.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/IntrinsicInst.h>

#include <algorithm>

#include "jit/llvm/analysis/fixed_point.h"
#include "jit/llvm/analysis/pattern.h"
#include "jit/llvm/vector/shuffles.h"

namespace heddle::jit {
namespace {

/// Whether each lane of the result depends on the same lane of the operands.
bool is_by_lanes(const llvm::Instruction& inst) {
  if (const auto* intrinsic = llvm::dyn_cast<llvm::IntrinsicInst>(&inst))
    return llvm::isTriviallyVectorizable(intrinsic->getIntrinsicID());
  return inst.isBinaryOp() || inst.isUnaryOp() || inst.isCast() ||
         llvm::isa<llvm::CmpInst, llvm::SelectInst, llvm::FreezeInst, llvm::ExtractValueInst,
                   llvm::InsertValueInst>(inst);
}

}  // namespace

DemandedLanes::DemandedLanes(const ScalarKernel& kernel, const Shapes& shapes)
    : sites_(kernel.sites),
      shapes_(shapes),
      every_(shapes.team() == 64 ? ~u64{0} : (u64{1} << shapes.team()) - 1) {
  const llvm::Function& function = *kernel.function;
  find_coming(function.getEntryBlock());
  const auto is_every = [&](const auto& one) { return one.second == every_; };
  if (std::ranges::all_of(coming_, is_every)) return;
  for (const llvm::BasicBlock& block : function) {
    for (const llvm::Instruction& inst : block) {
      if (!inst.getType()->isVoidTy()) demanded_[&inst] = 0;
    }
  }
  // Sets of demanded lanes only grow.
  until_stable(demanded_.size() * shapes_.team(), [&] {
    bool changed = false;
    for (const llvm::BasicBlock& block : llvm::reverse(function)) {
      for (const llvm::Instruction& inst : llvm::reverse(block)) changed |= want(inst);
    }
    return changed;
  });
}

/// The lanes for which a condition may hold, or not hold.
u64 DemandedLanes::where(const llvm::Value* condition, bool holds) const {
  const auto* compare = llvm::dyn_cast<llvm::ICmpInst>(condition);
  const auto* number =
      compare ? llvm::dyn_cast<llvm::ConstantInt>(compare->getOperand(1)) : nullptr;
  if (!number || number->getBitWidth() > 64) return every_;
  const llvm::Value* index = compare->getOperand(0);
  u64 lanes = 0;
  if (const auto pattern = pattern_of(index, shapes_); pattern && pattern->most == 0) {
    for (u32 lane = 0; lane < shapes_.team(); ++lane) {
      const llvm::APInt value(number->getBitWidth(), static_cast<u64>(pattern->offsets[lane]),
                              /*isSigned=*/true);
      const bool is = llvm::ICmpInst::compare(value, number->getValue(), compare->getPredicate());
      if (is == holds) lanes |= u64{1} << lane;
    }
    return lanes;
  }
  // The index of the first lane is a multiple of the team's size: the lane with that number.
  const Shape shape = shapes_.of(index);
  const u64 part = u64{shapes_.halves_of(shape)} * kHalf;
  if (!compare->isEquality() || holds != (compare->getPredicate() == llvm::CmpInst::ICMP_EQ) ||
      !shape.is_affine() || shape.stride != 1 || !shape.widened.empty() || shape.align < part)
    return every_;
  for (u64 lane = number->getZExtValue() % part; lane < shapes_.team(); lane += part)
    lanes |= u64{1} << lane;
  return lanes;
}

void DemandedLanes::find_coming(const llvm::BasicBlock& entry) {
  coming_[&entry] = every_;
  std::vector<const llvm::BasicBlock*> work = {&entry};
  while (!work.empty()) {
    const llvm::BasicBlock* from = work.back();
    work.pop_back();
    const auto* branch = llvm::dyn_cast<llvm::BranchInst>(from->getTerminator());
    const bool chooses = branch && branch->isConditional();
    for (const auto& [s, to] : llvm::enumerate(llvm::successors(from))) {
      const u64 lanes = coming_[from] & (chooses ? where(branch->getCondition(), s == 0) : every_);
      u64& before = coming_[to];
      if (!(lanes & ~before)) continue;
      before |= lanes;
      work.push_back(to);
    }
  }
}

/// Demands the lanes of the operands that the instruction needs. True: these are more than before.
bool DemandedLanes::want(const llvm::Instruction& inst) {
  bool changed = false;
  const auto take = [&](const llvm::Value* value, u64 lanes) {
    const auto found = demanded_.find(value);
    if (found == demanded_.end() || !(lanes & ~found->second)) return;
    found->second |= lanes;
    changed = true;
  };
  const u64 own = lanes(&inst);
  const auto* call = llvm::dyn_cast<llvm::CallInst>(&inst);
  const MachineOp op = machine_op(inst);
  u64 operands = every_;
  if (op == MachineOp::store || op == MachineOp::load) {
    operands = coming_[inst.getParent()];
  } else if (op == MachineOp::warp_op) {
    if (const auto sources = shuffle_sources(*call, site_of(*call, sites_))) {
      operands = 0;
      for (u32 lane = 0; lane < shapes_.team(); ++lane) {
        if (own >> lane & 1)
          operands |= u64{1} << (lane / kLanes * kLanes + sources->at(lane % kLanes).lane);
      }
    }
  } else if (is_by_lanes(inst)) {
    operands = own;
  }
  for (const llvm::Value* operand : inst.operand_values()) take(operand, operands);
  return changed;
}

}  // namespace heddle::jit
