// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Values of a warp: scalars for what the lanes share, vectors for the rest, and the instructions on
// both.
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/Analysis/VectorUtils.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/IntrinsicInst.h>

#include "base/check.h"
#include "jit/llvm/vector/vectorizer.h"

namespace heddle::jit {

llvm::Type* Vectorizer::vector_of(llvm::Type* type) const {
  if (auto* record = llvm::dyn_cast<llvm::StructType>(type)) {
    std::vector<llvm::Type*> parts;
    for (llvm::Type* part : record->elements()) parts.push_back(vector_of(part));
    return llvm::StructType::get(context_, parts);
  }
  if (auto* pair = llvm::dyn_cast<llvm::FixedVectorType>(type))  // pairs.h
    return llvm::FixedVectorType::get(pair->getElementType(), pair->getNumElements() * kHalf);
  return llvm::FixedVectorType::get(type, kHalf);
}

/// What makes a lane's value that of all: which of its elements each one is.
std::vector<int> Vectorizer::repeated(const llvm::FixedVectorType* type) {
  std::vector<int> elements;
  for (unsigned i = 0; i < type->getNumElements() * kHalf; ++i)
    elements.push_back(static_cast<int>(i % type->getNumElements()));
  return elements;
}

/// stride * lane, for the lanes of a half.
llvm::Value* Vectorizer::ramp(llvm::Type* type, s64 stride) const {
  std::vector<llvm::Constant*> steps;
  for (unsigned lane = 0; lane < kHalf; ++lane)
    steps.push_back(
        llvm::ConstantInt::get(type, static_cast<u64>(stride * static_cast<s64>(lane)), true));
  return llvm::ConstantVector::get(steps);
}

llvm::Value* Vectorizer::splat(llvm::Value* value) {
  if (auto* record = llvm::dyn_cast<llvm::StructType>(value->getType())) {
    llvm::Value* result = llvm::PoisonValue::get(vector_of(record));
    for (unsigned i = 0; i < record->getNumElements(); ++i)
      result = builder_.CreateInsertValue(result, splat(builder_.CreateExtractValue(value, i)), i);
    return result;
  }
  if (auto* pair = llvm::dyn_cast<llvm::FixedVectorType>(value->getType()))
    return builder_.CreateShuffleVector(value, repeated(pair));
  return builder_.CreateVectorSplat(kHalf, value);
}

void Vectorizer::place_behind(llvm::Value* value) {
  if (auto* phi = llvm::dyn_cast<llvm::PHINode>(value))
    builder_.SetInsertPoint(phi->getParent(), phi->getParent()->getFirstInsertionPt());
  else if (auto* inst = llvm::dyn_cast<llvm::Instruction>(value))
    builder_.SetInsertPoint(inst->getParent(), std::next(inst->getIterator()));
  else
    builder_.SetInsertPoint(entry_->getTerminator());
}

llvm::Value* Vectorizer::first(llvm::Value* value, unsigned half) {
  if (llvm::isa<llvm::Constant>(value)) return value;
  const auto found = lanes_.find(value);
  HEDDLE_CHECK(found != lanes_.end() && found->second.shape.is_affine());
  Lanes& lanes = found->second;
  if (lanes.shape.is_uniform()) return lanes.first[0];
  if (!lanes.first[half]) {
    const llvm::IRBuilder<>::InsertPointGuard guard(builder_);
    const unsigned own = half % shapes_.halves_of(lanes.shape);
    // Not every type that is the same for a warp has a sum.
    if (lanes.shape.stride == 0) return lanes.first[half] = lanes.first[half - own];
    place_behind(lanes.first[half - own]);
    const s64 step = lanes.shape.stride * static_cast<s64>(kHalf * own);
    lanes.first[half] =
        builder_.CreateAdd(lanes.first[half - own],
                           llvm::ConstantInt::get(value->getType(), static_cast<u64>(step), true));
  }
  return lanes.first[half];
}

llvm::Value* Vectorizer::all(llvm::Value* value, unsigned half) {
  if (llvm::isa<llvm::Constant>(value)) {
    if (value->getType()->isStructTy() || value->getType()->isVectorTy()) return splat(value);
    return llvm::ConstantVector::getSplat(llvm::ElementCount::getFixed(kHalf),
                                          llvm::cast<llvm::Constant>(value));
  }
  const auto found = lanes_.find(value);
  HEDDLE_CHECK(found != lanes_.end());
  Lanes& lanes = found->second;
  if (lanes.all[half]) return lanes.all[half];
  HEDDLE_CHECK(lanes.shape.is_affine());
  llvm::Value* from = first(value, half);
  const llvm::IRBuilder<>::InsertPointGuard guard(builder_);
  place_behind(from);
  llvm::Value* result = all_here(value, half);
  if (lanes.shape.is_uniform()) lanes.all.fill(result);
  return lanes.all[half] = result;
}

/// The same, made where it is wanted and for nobody else: on ways that are hardly ever gone, so
/// that others need not keep it.
llvm::Value* Vectorizer::all_here(llvm::Value* value, unsigned half) {
  const auto found = lanes_.find(value);
  if (found == lanes_.end() || !found->second.shape.is_affine()) return all(value, half);
  const Shape& shape = found->second.shape;
  llvm::Value* result = splat(first(value, half));
  if (shape.stride) result = builder_.CreateAdd(result, ramp(value->getType(), shape.stride));
  for (const auto& [widening, factor] : shape.widened) {
    llvm::Value* off = wrapped(widening, half);
    llvm::Value* scale = llvm::ConstantInt::get(off->getType(), static_cast<u64>(factor), true);
    result = builder_.CreateAdd(result, factor == 1 ? off : builder_.CreateMul(off, scale));
  }
  return result;
}

/// Whether a lane's value is made of what all lanes share, or of lines, by few instructions.
bool Vectorizer::is_near_line(const llvm::Value* value, unsigned steps) const {
  if (llvm::isa<llvm::Constant>(value)) return true;
  const Shape& shape = lanes_.at(value).shape;
  if (shape.is_affine()) return shape.kind == Shape::Kind::team && !value->getType()->isPointerTy();
  const auto* inst = llvm::dyn_cast<llvm::Instruction>(value);
  if (!steps || !inst || !(inst->isBinaryOp() || inst->isCast()) || inst->isIntDivRem())
    return false;
  return std::ranges::all_of(inst->operand_values(), [&](const llvm::Value* operand) {
    return is_near_line(operand, steps - 1);
  });
}

/// Of one lane.
llvm::Value* Vectorizer::of_lane(llvm::Value* value, llvm::Value* lane) {
  if (llvm::isa<llvm::Constant>(value)) return value;
  const Shape& shape = lanes_.at(value).shape;
  constexpr unsigned kSteps = 3;
  if (!shape.is_affine() && is_near_line(value, kSteps)) {
    llvm::Instruction* copy = llvm::cast<llvm::Instruction>(value)->clone();
    copy->dropPoisonGeneratingFlags();
    for (llvm::Use& operand : copy->operands()) operand.set(of_lane(operand.get(), lane));
    return builder_.Insert(copy);
  }
  if (shape.kind == Shape::Kind::team && !value->getType()->isPointerTy()) {
    const auto line = [&](llvm::Value* of, s64 stride) {
      if (!stride) return first(of);
      llvm::Value* steps =
          builder_.CreateMul(builder_.CreateZExtOrTrunc(lane, of->getType()),
                             llvm::ConstantInt::get(of->getType(), static_cast<u64>(stride), true));
      return builder_.CreateAdd(first(of), steps);
    };
    llvm::Value* result = line(value, shape.stride);
    for (const auto& [widening, factor] : shape.widened) {
      auto* wide = const_cast<llvm::Instruction*>(widening);
      llvm::Value* exact = builder_.CreateCast(llvm::cast<llvm::CastInst>(wide)->getOpcode(),
                                               of_lane(wide->getOperand(0), lane), wide->getType());
      llvm::Value* off = builder_.CreateSub(exact, line(wide, lanes_.at(wide).shape.stride));
      llvm::Value* scale = llvm::ConstantInt::get(off->getType(), static_cast<u64>(factor), true);
      result = builder_.CreateAdd(result, factor == 1 ? off : builder_.CreateMul(off, scale));
    }
    return result;
  }
  llvm::Value* half = all(value, 0);
  for (unsigned h = 1; h < halves_; ++h) {
    llvm::Value* high = builder_.CreateICmpUGE(lane, builder_.getInt32(h * kHalf));
    half = builder_.CreateSelect(high, all(value, h), half);
  }
  return builder_.CreateExtractElement(half, builder_.CreateAnd(lane, kHalf - 1));
}

/// Whether what holds of the shape only if no lane wraps around does hold; null: always.
llvm::Value* Vectorizer::no_wrap(const Shape& shape) {
  llvm::Value* result = nullptr;
  for (const auto& [widening, factor] : shape.widened) {
    llvm::Value*& known = no_wrap_[widening];
    if (!known) {
      llvm::Value* from = widening->getOperand(0);
      const Shape narrow = shapes_.of(from);
      const llvm::IRBuilder<>::InsertPointGuard guard(builder_);
      llvm::Value* wraps = builder_.getFalse();
      for (unsigned h = 0; h < halves_; h += shapes_.halves_of(narrow)) {
        llvm::Value* begin = first(from, h);
        place_behind(first(const_cast<llvm::Instruction*>(widening), h));
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

/// By how much the lanes of a widened value are off the line through its first one.
llvm::Value* Vectorizer::wrapped(const llvm::Instruction* widening, unsigned half) {
  auto* wide = const_cast<llvm::Instruction*>(widening);
  llvm::Value* from = all_here(wide->getOperand(0), half);
  llvm::Value* exact = builder_.CreateCast(llvm::cast<llvm::CastInst>(wide)->getOpcode(), from,
                                           vector_of(wide->getType()));
  llvm::Value* line = builder_.CreateAdd(splat(first(wide, half)),
                                         ramp(wide->getType(), lanes_.at(wide).shape.stride));
  return builder_.CreateSub(exact, line);
}

Vectorizer::Variable& Vectorizer::variable_of(llvm::PHINode& phi) {
  Variable& variable = variables_[&phi];
  if (!variable.places.empty()) return variable;
  const Shape shape = shapes_.of(&phi);
  const unsigned shared = shape.is_affine() ? shapes_.halves_of(shape) : 1;
  llvm::Type* type = shape.is_affine() ? phi.getType() : vector_of(phi.getType());
  // What comes to a loop may be nothing, and then no access is outside of it.
  const bool carried = shapes_.loops.isLoopHeader(phi.getParent());
  for (unsigned i = 0; i < halves_; i += shared)
    variable.places.push_back(this->variable(type, carried));
  return variable;
}

void Vectorizer::define(llvm::Instruction& inst, Halves all) {
  Lanes& lanes = lanes_[&inst];
  lanes.shape = Shape::any();
  lanes.all = all;
}

void Vectorizer::define_uniform(llvm::Instruction& inst, llvm::Value* value) {
  Lanes& lanes = lanes_[&inst];
  lanes.shape = shapes_.of(&inst);
  lanes.first[0] = value;
}

/// The number of each warp.
void Vectorizer::define_warp(llvm::Instruction& inst) {
  Lanes& lanes = lanes_[&inst];
  lanes.shape = shapes_.of(&inst);
  const llvm::IRBuilder<>::InsertPointGuard guard(builder_);
  builder_.SetInsertPoint(head_->getTerminator());
  for (unsigned h = 0; h < halves_; h += kHalves) lanes.first[h] = warp_number(h / kHalves);
}

void Vectorizer::emit(llvm::Instruction& inst, const Halves& mask) {
  if (auto* call = llvm::dyn_cast<llvm::CallInst>(&inst)) {
    if (const MachineOp op = machine_op(*call); op != MachineOp::none)
      return emit_machine_call(*call, op, mask);
  }
  if (inst.isLifetimeStartOrEnd() || llvm::isa<llvm::DbgInfoIntrinsic, llvm::AssumeInst>(inst))
    return;
  HEDDLE_CHECK(!inst.mayWriteToMemory());  // plan.cpp refuses it
  if (shapes_.of(&inst).is_affine())
    emit_affine(inst);
  else
    emit_vector(inst, mask);
}

/// Where it is computed once for all CTAs, or for all warps of one; null: for each of them.
Vectorizer::Block* Vectorizer::home_of(const llvm::Instruction& inst) const {
  Block* home = entry_;
  for (const llvm::Value* operand : inst.operand_values()) {
    const auto* from = llvm::dyn_cast<llvm::Instruction>(operand);
    if (!from || from->getParent() == entry_) continue;
    if (from->getParent() != cta_) return nullptr;
    home = cta_;
  }
  return llvm::isSafeToSpeculativelyExecute(&inst) ? home : nullptr;
}

void Vectorizer::emit_affine(llvm::Instruction& inst) {
  Lanes lanes;
  lanes.shape = shapes_.of(&inst);
  for (unsigned h = 0; h < halves_; h += shapes_.halves_of(lanes.shape)) {
    if (inst.getOpcode() == llvm::Instruction::And && lanes.shape.stride &&
        lanes.shape.align > llvm::cast<llvm::ConstantInt>(inst.getOperand(1))->getZExtValue()) {
      // Nothing is left of a first value that is a multiple of the mask's size (shape.cpp).
      lanes.first[h] = llvm::Constant::getNullValue(inst.getType());
      continue;
    }
    if (inst.getOpcode() == llvm::Instruction::Or && lanes.shape.stride) {
      // Its operands have no bit in common, lane by lane; the first lane may not be there.
      lanes.first[h] =
          builder_.CreateAdd(first(inst.getOperand(0), h), first(inst.getOperand(1), h));
      continue;
    }
    llvm::Instruction* copy = inst.clone();
    copy->dropPoisonGeneratingFlags();
    copy->dropUnknownNonDebugMetadata();
    for (llvm::Use& operand : copy->operands()) {
      if (!llvm::isa<llvm::Function>(operand.get())) operand.set(first(operand.get(), h));
    }
    lanes.first[h] = builder_.Insert(copy, inst.getName());
    if (Block* home = home_of(*copy)) copy->moveBefore(home->getTerminator());
  }
  lanes_[&inst] = lanes;
}

/// The instruction once for each lane.
llvm::Value* Vectorizer::one_by_one(llvm::Instruction& inst, unsigned half) {
  HEDDLE_CHECK(!inst.getType()->isStructTy());  // plan.cpp refuses it
  llvm::Value* result = llvm::PoisonValue::get(vector_of(inst.getType()));
  for (unsigned lane = 0; lane < kHalf; ++lane) {
    llvm::Instruction* copy = inst.clone();
    for (llvm::Use& operand : copy->operands()) {
      if (llvm::isa<llvm::Function>(operand.get())) continue;
      operand.set(builder_.CreateExtractElement(all(operand.get(), half), lane));
    }
    builder_.Insert(copy);
    result = builder_.CreateInsertElement(result, copy, lane);
  }
  return result;
}

/// a / b or a % b. Lanes that are not there divide by 1: the host's division may fault. Of 32 bits
/// and less the quotient is that of f64, cut off: what it is short of a whole number is never less
/// than a 2^32nd part of it.
llvm::Value* Vectorizer::divide(llvm::Instruction::BinaryOps what, llvm::Value* a, llvm::Value* b,
                                llvm::Value* mask) {
  llvm::Type* type = a->getType();
  if (const auto* constant = llvm::dyn_cast<llvm::Constant>(b);
      constant && constant->getSplatValue() && !constant->isNullValue() &&
      !constant->isAllOnesValue())
    return builder_.CreateBinOp(what, a, b);
  b = builder_.CreateSelect(mask, b, llvm::ConstantInt::get(type, 1));
  if (type->getScalarSizeInBits() > 32) return builder_.CreateBinOp(what, a, b);
  const bool is_signed = what == llvm::Instruction::SDiv || what == llvm::Instruction::SRem;
  llvm::Type* real = vector_of(builder_.getDoubleTy());
  const auto convert = [&](llvm::Value* value) {
    return is_signed ? builder_.CreateSIToFP(value, real) : builder_.CreateUIToFP(value, real);
  };
  llvm::Value* quotient = builder_.CreateFDiv(convert(a), convert(b));
  quotient =
      is_signed ? builder_.CreateFPToSI(quotient, type) : builder_.CreateFPToUI(quotient, type);
  if (what == llvm::Instruction::UDiv || what == llvm::Instruction::SDiv) return quotient;
  return builder_.CreateSub(a, builder_.CreateMul(quotient, b));
}

llvm::Value* Vectorizer::vector_instruction(llvm::Instruction& inst, unsigned half,
                                            const Halves& mask) {
  const auto operand = [&](unsigned i) { return all(inst.getOperand(i), half); };
  if (auto* binary = llvm::dyn_cast<llvm::BinaryOperator>(&inst); binary && binary->isIntDivRem())
    return divide(binary->getOpcode(), operand(0), operand(1), mask[half]);
  if (auto* binary = llvm::dyn_cast<llvm::BinaryOperator>(&inst))
    return builder_.CreateBinOp(binary->getOpcode(), operand(0), operand(1));
  if (auto* unary = llvm::dyn_cast<llvm::UnaryOperator>(&inst))
    return builder_.CreateUnOp(unary->getOpcode(), operand(0));
  if (auto* cast = llvm::dyn_cast<llvm::CastInst>(&inst))
    return builder_.CreateCast(cast->getOpcode(), operand(0), vector_of(inst.getType()));
  if (auto* compare = llvm::dyn_cast<llvm::CmpInst>(&inst))
    return builder_.CreateCmp(compare->getPredicate(), operand(0), operand(1));
  if (llvm::isa<llvm::SelectInst>(inst)) {
    llvm::Value* condition = inst.getOperand(0);
    return builder_.CreateSelect(shapes_.of(condition).is_uniform() ? first(condition) : operand(0),
                                 operand(1), operand(2));
  }
  if (llvm::isa<llvm::FreezeInst>(inst)) return builder_.CreateFreeze(operand(0));
  if (auto* extract = llvm::dyn_cast<llvm::ExtractValueInst>(&inst))
    return builder_.CreateExtractValue(operand(0), extract->getIndices());
  if (auto* insert = llvm::dyn_cast<llvm::InsertValueInst>(&inst))
    return builder_.CreateInsertValue(operand(0), operand(1), insert->getIndices());
  if (auto* address = llvm::dyn_cast<llvm::GetElementPtrInst>(&inst)) {
    std::vector<llvm::Value*> indices;
    for (unsigned i = 1; i < inst.getNumOperands(); ++i) indices.push_back(operand(i));
    return builder_.CreateGEP(address->getSourceElementType(), operand(0), indices);
  }
  if (auto* load = llvm::dyn_cast<llvm::LoadInst>(&inst)) {  // of a table of the semantics
    return builder_.CreateMaskedGather(vector_of(inst.getType()), operand(0), load->getAlign(),
                                       mask[half]);
  }
  if (auto* intrinsic = llvm::dyn_cast<llvm::IntrinsicInst>(&inst)) {
    const llvm::Intrinsic::ID id = intrinsic->getIntrinsicID();
    const bool overflows = llvm::isa<llvm::WithOverflowInst>(intrinsic);
    if (llvm::isTriviallyVectorizable(id) || overflows) {
      std::vector<llvm::Type*> types;
      if (overflows) {
        types.push_back(vector_of(intrinsic->getArgOperand(0)->getType()));
      } else if (llvm::isVectorIntrinsicWithOverloadTypeAtArg(id, -1)) {
        types.push_back(vector_of(intrinsic->getType()));
      }
      std::vector<llvm::Value*> arguments;
      for (unsigned i = 0; i < intrinsic->arg_size(); ++i) {
        llvm::Value* argument = intrinsic->getArgOperand(i);
        const bool scalar = llvm::isVectorIntrinsicWithScalarOpAtArg(id, i);
        arguments.push_back(scalar ? first(argument) : all(argument, half));
        if (!overflows && llvm::isVectorIntrinsicWithOverloadTypeAtArg(id, static_cast<int>(i)))
          types.push_back(arguments.back()->getType());
      }
      return builder_.CreateCall(llvm::Intrinsic::getDeclaration(&module_, id, types), arguments);
    }
  }
  return one_by_one(inst, half);
}

void Vectorizer::emit_vector(llvm::Instruction& inst, const Halves& mask) {
  Halves both{};
  for (unsigned h = 0; h < halves_; ++h)
    both[h] = demanded_.any(&inst, h) ? vector_instruction(inst, h, mask)
                                      : llvm::PoisonValue::get(vector_of(inst.getType()));
  define(inst, both);
}

}  // namespace heddle::jit
