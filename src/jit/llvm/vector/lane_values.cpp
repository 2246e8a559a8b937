// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "jit/llvm/vector/lane_values.h"

#include <llvm/IR/Instructions.h>
#include <llvm/IR/Intrinsics.h>

#include <algorithm>

#include "base/check.h"

namespace heddle::jit {

void LaneValues::define(const llvm::Value& value, LaneValue lanes) {
  lanes_[&value] = std::move(lanes);
}

void LaneValues::define(const llvm::Value& value, const Halves& vectors) {
  define(value, LaneValue{Shape::any(), {}, vectors});
}

void LaneValues::define_uniform(const llvm::Value& value, llvm::Value* scalar) {
  define(value, LaneValue{shapes_.of(&value), {scalar}, {}});
}

llvm::Value* LaneValues::scalar(llvm::Value* value, unsigned half) {
  if (llvm::isa<llvm::Constant>(value)) return value;
  const auto found = lanes_.find(value);
  HEDDLE_CHECK(found != lanes_.end() && found->second.shape.is_affine());
  LaneValue& lanes = found->second;
  if (lanes.shape.is_uniform()) return lanes.scalars[0];
  if (!lanes.scalars[half]) {
    const llvm::IRBuilder<>::InsertPointGuard guard(builder_);
    const unsigned own = half % shapes_.halves_of(lanes.shape);
    // A type without addition, if the stride is 0.
    if (lanes.shape.stride == 0) return lanes.scalars[half] = lanes.scalars[half - own];
    function_.set_insert_point_after(lanes.scalars[half - own]);
    const s64 step = lanes.shape.stride * static_cast<s64>(kHalf * own);
    lanes.scalars[half] =
        builder_.CreateAdd(lanes.scalars[half - own],
                           llvm::ConstantInt::get(value->getType(), static_cast<u64>(step), true));
  }
  return lanes.scalars[half];
}

llvm::Value* LaneValues::vector(llvm::Value* value, unsigned half) {
  if (llvm::isa<llvm::Constant>(value)) {
    if (value->getType()->isStructTy() || value->getType()->isVectorTy()) return splat(value);
    return llvm::ConstantVector::getSplat(llvm::ElementCount::getFixed(kHalf),
                                          llvm::cast<llvm::Constant>(value));
  }
  const auto found = lanes_.find(value);
  HEDDLE_CHECK(found != lanes_.end());
  LaneValue& lanes = found->second;
  if (lanes.vectors[half]) return lanes.vectors[half];
  HEDDLE_CHECK(lanes.shape.is_affine());
  llvm::Value* from = scalar(value, half);
  const llvm::IRBuilder<>::InsertPointGuard guard(builder_);
  function_.set_insert_point_after(from);
  llvm::Value* result = vector_here(value, half);
  if (lanes.shape.is_uniform()) lanes.vectors.fill(result);
  return lanes.vectors[half] = result;
}

llvm::Value* LaneValues::vector_here(llvm::Value* value, unsigned half) {
  const auto found = lanes_.find(value);
  if (found == lanes_.end() || !found->second.shape.is_affine()) return vector(value, half);
  const Shape& shape = found->second.shape;
  llvm::Value* result = splat(scalar(value, half));
  if (shape.stride)
    result = builder_.CreateAdd(result, step_vector(value->getType(), shape.stride));
  for (const auto& [widening, factor] : shape.widened) {
    llvm::Value* off = wrap_offset(widening, half);
    llvm::Value* scale = llvm::ConstantInt::get(off->getType(), static_cast<u64>(factor), true);
    result = builder_.CreateAdd(result, factor == 1 ? off : builder_.CreateMul(off, scale));
  }
  return result;
}

/// Whether a lane's value can be computed from uniform or affine values by few instructions.
bool LaneValues::is_nearly_affine(const llvm::Value* value, unsigned steps) const {
  if (llvm::isa<llvm::Constant>(value)) return true;
  const Shape& shape = lanes_.at(value).shape;
  if (shape.is_affine()) return shape.kind == Shape::Kind::team && !value->getType()->isPointerTy();
  const auto* inst = llvm::dyn_cast<llvm::Instruction>(value);
  if (!steps || !inst || !(inst->isBinaryOp() || inst->isCast()) || inst->isIntDivRem())
    return false;
  return std::ranges::all_of(inst->operand_values(), [&](const llvm::Value* operand) {
    return is_nearly_affine(operand, steps - 1);
  });
}

llvm::Value* LaneValues::lane(llvm::Value* value, llvm::Value* number) {
  if (llvm::isa<llvm::Constant>(value)) return value;
  const Shape& shape = lanes_.at(value).shape;
  constexpr unsigned kSteps = 3;
  if (!shape.is_affine() && is_nearly_affine(value, kSteps)) {
    llvm::Instruction* copy = llvm::cast<llvm::Instruction>(value)->clone();
    copy->dropPoisonGeneratingFlags();
    for (llvm::Use& operand : copy->operands()) operand.set(lane(operand.get(), number));
    return builder_.Insert(copy);
  }
  if (shape.kind == Shape::Kind::team && !value->getType()->isPointerTy()) {
    const auto line = [&](llvm::Value* of, s64 stride) {
      if (!stride) return scalar(of);
      llvm::Value* steps =
          builder_.CreateMul(builder_.CreateZExtOrTrunc(number, of->getType()),
                             llvm::ConstantInt::get(of->getType(), static_cast<u64>(stride), true));
      return builder_.CreateAdd(scalar(of), steps);
    };
    llvm::Value* result = line(value, shape.stride);
    for (const auto& [widening, factor] : shape.widened) {
      auto* wide = const_cast<llvm::Instruction*>(widening);
      llvm::Value* exact = builder_.CreateCast(llvm::cast<llvm::CastInst>(wide)->getOpcode(),
                                               lane(wide->getOperand(0), number), wide->getType());
      llvm::Value* off = builder_.CreateSub(exact, line(wide, lanes_.at(wide).shape.stride));
      llvm::Value* scale = llvm::ConstantInt::get(off->getType(), static_cast<u64>(factor), true);
      result = builder_.CreateAdd(result, factor == 1 ? off : builder_.CreateMul(off, scale));
    }
    return result;
  }
  llvm::Value* half = vector(value, 0);
  for (unsigned h = 1; h < halves_; ++h) {
    llvm::Value* high = builder_.CreateICmpUGE(number, builder_.getInt32(h * kHalf));
    half = builder_.CreateSelect(high, vector(value, h), half);
  }
  return builder_.CreateExtractElement(half, builder_.CreateAnd(number, kHalf - 1));
}

llvm::Value* LaneValues::scalar_of_first_lane(llvm::Value* value, unsigned half) {
  if (llvm::isa<llvm::Constant>(value) || shapes_.of(value).is_affine()) return scalar(value, half);
  llvm::Instruction* copy = llvm::cast<llvm::Instruction>(value)->clone();
  copy->dropPoisonGeneratingFlags();
  for (llvm::Use& operand : copy->operands())
    operand.set(scalar_of_first_lane(operand.get(), half));
  return builder_.Insert(copy);
}

llvm::Value* LaneValues::no_wrap(const Shape& shape) {
  llvm::Value* result = nullptr;
  for (const auto& [widening, factor] : shape.widened) {
    llvm::Value*& known = no_wrap_[widening];
    if (!known) {
      llvm::Value* from = widening->getOperand(0);
      const Shape narrow = shapes_.of(from);
      const llvm::IRBuilder<>::InsertPointGuard guard(builder_);
      llvm::Value* wraps = builder_.getFalse();
      for (unsigned h = 0; h < halves_; h += shapes_.halves_of(narrow)) {
        llvm::Value* begin = scalar(from, h);
        function_.set_insert_point_after(scalar(const_cast<llvm::Instruction*>(widening), h));
        const bool is_signed = widening->getOpcode() == llvm::Instruction::SExt;
        const bool up = narrow.stride > 0;
        const auto id =
            is_signed
                ? (up ? llvm::Intrinsic::sadd_with_overflow : llvm::Intrinsic::ssub_with_overflow)
                : (up ? llvm::Intrinsic::uadd_with_overflow : llvm::Intrinsic::usub_with_overflow);
        const u64 reach = static_cast<u64>(up ? shapes_.reach(narrow) : -shapes_.reach(narrow));
        llvm::Value* sum = builder_.CreateBinaryIntrinsic(
            id, begin, llvm::ConstantInt::get(begin->getType(), reach));
        wraps = builder_.CreateOr(builder_.CreateExtractValue(sum, 1), wraps);
      }
      known = builder_.CreateNot(wraps);
    }
    result = result ? builder_.CreateAnd(result, known) : known;
  }
  return result;
}

/// How far the lanes of a widened value are from first + stride * lane.
llvm::Value* LaneValues::wrap_offset(const llvm::Instruction* widening, unsigned half) {
  auto* wide = const_cast<llvm::Instruction*>(widening);
  llvm::Value* from = vector_here(wide->getOperand(0), half);
  llvm::Value* exact = builder_.CreateCast(llvm::cast<llvm::CastInst>(wide)->getOpcode(), from,
                                           vector_of(wide->getType()));
  llvm::Value* line = builder_.CreateAdd(
      splat(scalar(wide, half)), step_vector(wide->getType(), lanes_.at(wide).shape.stride));
  return builder_.CreateSub(exact, line);
}

}  // namespace heddle::jit
