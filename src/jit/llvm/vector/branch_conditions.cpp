// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "jit/llvm/vector/branch_conditions.h"

#include <llvm/IR/Instructions.h>

#include <algorithm>

namespace heddle::jit {

llvm::Value* BranchConditions::takes_edge(const Block* from, unsigned successor) {
  auto* branch =
      llvm::cast<llvm::BranchInst>(const_cast<llvm::Instruction*>(from->getTerminator()));
  if (!branch->isConditional()) return nullptr;
  llvm::Value* condition = values_.scalar(branch->getCondition());
  return successor == 0 ? condition : builder_.CreateNot(condition);
}

Halves BranchConditions::edge_mask(const Block* from, unsigned successor, const Halves& mask) {
  auto* branch =
      llvm::cast<llvm::BranchInst>(const_cast<llvm::Instruction*>(from->getTerminator()));
  if (!branch->isConditional()) return mask;
  Halves result{};
  for (unsigned h = 0; h < halves_; ++h) {
    llvm::Value* condition = shapes_.is_divergent(from)
                                 ? values_.vector(branch->getCondition(), h)
                                 : splat(values_.scalar(branch->getCondition()));
    if (successor == 1) condition = builder_.CreateNot(condition);
    // Not an `and`: the condition of inactive lanes may be poison.
    result[h] = builder_.CreateSelect(mask[h], condition, masks_.none()[h]);
  }
  return result;
}

llvm::Value* BranchConditions::any_takes_edge(const Block* from, unsigned successor,
                                              const Halves& mask, const Halves& going) {
  llvm::Value* condition =
      llvm::cast<llvm::BranchInst>(const_cast<llvm::Instruction*>(from->getTerminator()))
          ->getCondition();
  const Shape shape = shapes_.of(condition);
  if (!masks_.is_all(mask) || !shape.is_affine()) return masks_.any(going);
  // The condition is a scalar for each warp, or half.
  llvm::Value* some = nullptr;
  for (unsigned h = 0; h < halves_; h += shapes_.halves_of(shape)) {
    llvm::Value* part = values_.scalar(condition, h);
    if (successor == 1) part = builder_.CreateNot(part);
    some = some ? builder_.CreateOr(some, part) : part;
  }
  return some;
}

/// The branch compares an index with stride 1 with a uniform number.
llvm::Value* BranchConditions::single_lane(const Block* from, unsigned successor) {
  const llvm::ICmpInst* test = shapes_.lane_test(from, successor);
  if (!test) return nullptr;
  llvm::Value *index = test->getOperand(0), *number = test->getOperand(1);
  // The index of the first lane is a multiple of the team's size, so the lane is a constant.
  if (const auto* known = llvm::dyn_cast<llvm::ConstantInt>(number);
      known && shapes_.of(index).align >= shapes_.team())
    return builder_.getInt32(static_cast<u32>(known->getZExtValue() % shapes_.team()));
  llvm::Value* lane = builder_.CreateSub(values_.scalar(number), values_.scalar(index));
  return builder_.CreateZExtOrTrunc(lane, builder_.getInt32Ty());
}

/// Whether the comparison of an affine value with a uniform one holds, or does not, in all lanes:
/// it does in the first or last lane, and no lane wraps around. For `!=`, the uniform number lies
/// outside of the lanes' range.
llvm::Value* BranchConditions::holds_at_ends(const llvm::ICmpInst& compare, bool holds) {
  auto predicate = holds ? compare.getPredicate() : compare.getInversePredicate();
  llvm::Value *line = compare.getOperand(0), *bound = compare.getOperand(1);
  if (!is_in_line(*line, shapes_)) {
    std::swap(line, bound);
    predicate = llvm::ICmpInst::getSwappedPredicate(predicate);
  }
  const unsigned shared =
      std::min(shapes_.halves_of(shapes_.of(line)), shapes_.halves_of(shapes_.of(bound)));
  const s64 reach = shapes_.of(line).stride * (s64{shared} * kHalf - 1);
  llvm::Value* all = builder_.getTrue();
  if (predicate == llvm::ICmpInst::ICMP_NE) {
    for (unsigned h = 0; h < halves_; h += shared) {
      llvm::Value *begin = values_.scalar(line, h), *other = values_.scalar(bound, h);
      if (reach < 0) std::swap(begin, other);
      all = builder_.CreateAnd(
          all, builder_.CreateICmpUGT(
                   builder_.CreateSub(other, begin),
                   llvm::ConstantInt::get(begin->getType(), static_cast<u64>(std::abs(reach)))));
    }
    return all;
  }
  const bool is_signed = llvm::ICmpInst::isSigned(predicate);
  const bool largest = llvm::ICmpInst::isLT(predicate) || llvm::ICmpInst::isLE(predicate);
  // At twice the width no sum wraps around.
  const unsigned bits = line->getType()->getIntegerBitWidth();
  llvm::Type* wide = builder_.getIntNTy(2 * bits);
  const auto exact = [&](llvm::Value* value) {
    return is_signed ? builder_.CreateSExt(value, wide) : builder_.CreateZExt(value, wide);
  };
  const llvm::APInt end = reach > 0
                              ? (is_signed ? llvm::APInt::getSignedMaxValue(bits).zext(2 * bits)
                                           : llvm::APInt::getMaxValue(bits).zext(2 * bits))
                          : is_signed ? llvm::APInt::getSignedMinValue(bits).sext(2 * bits)
                                      : llvm::APInt::getZero(2 * bits);
  for (unsigned h = 0; h < halves_; h += shared) {
    llvm::Value* begin = exact(values_.scalar(line, h));
    llvm::Value* last = builder_.CreateAdd(begin, llvm::ConstantInt::getSigned(wide, reach));
    const bool at_last = largest == (reach > 0);
    all = builder_.CreateAnd(
        all, builder_.CreateICmp(llvm::ICmpInst::getSignedPredicate(predicate),
                                 at_last ? last : begin, exact(values_.scalar(bound, h))));
    if (at_last) continue;  // the bound implies that none wraps around
    llvm::Value* number = llvm::ConstantInt::get(wide, end);
    all = builder_.CreateAnd(all, reach > 0 ? builder_.CreateICmpSLE(last, number)
                                            : builder_.CreateICmpSGE(last, number));
  }
  return all;
}

llvm::Value* BranchConditions::holds_for_team(const Requirement& requirement) {
  const auto parts = requirements_of_team(requirement, shapes_);
  if (!parts) return builder_.getFalse();
  llvm::Value* all = builder_.getTrue();
  for (const auto& [condition, holds] : *parts) {
    const Shape shape = shapes_.of(condition);
    if (!shape.is_affine()) {
      all = builder_.CreateAnd(all, holds_at_ends(*llvm::cast<llvm::ICmpInst>(condition), holds));
      continue;
    }
    for (unsigned h = 0; h < halves_; h += shapes_.halves_of(shape)) {
      llvm::Value* one = values_.scalar(condition, h);
      all = builder_.CreateAnd(all, holds ? one : builder_.CreateNot(one));
    }
  }
  return all;
}

}  // namespace heddle::jit
