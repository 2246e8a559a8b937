// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "jit/llvm/vector/instructions.h"

#include <llvm/Analysis/ValueTracking.h>
#include <llvm/Analysis/VectorUtils.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/IntrinsicInst.h>

#include "base/check.h"

namespace heddle::jit {

void Instructions::emit(llvm::Instruction& inst, const Halves& mask) {
  if (inst.isLifetimeStartOrEnd() || llvm::isa<llvm::DbgInfoIntrinsic, llvm::AssumeInst>(inst))
    return;
  HEDDLE_CHECK(!inst.mayWriteToMemory());  // plan.cpp refuses it
  if (shapes_.of(&inst).is_affine())
    emit_affine(inst);
  else
    emit_vector(inst, mask);
}

/// The block where the instruction is computed once for all CTAs, or for all warps of one. Null:
/// each team computes it.
llvm::BasicBlock* Instructions::home_of(const llvm::Instruction& inst) const {
  Block* home = function_.entry;
  for (const llvm::Value* operand : inst.operand_values()) {
    const auto* from = llvm::dyn_cast<llvm::Instruction>(operand);
    if (!from || from->getParent() == function_.entry) continue;
    if (from->getParent() != function_.cta) return nullptr;
    home = function_.cta;
  }
  return llvm::isSafeToSpeculativelyExecute(&inst) ? home : nullptr;
}

void Instructions::emit_affine(llvm::Instruction& inst) {
  LaneValue lanes;
  lanes.shape = shapes_.of(&inst);
  for (unsigned h = 0; h < halves_; h += shapes_.halves_of(lanes.shape)) {
    if (inst.getOpcode() == llvm::Instruction::And && lanes.shape.stride &&
        lanes.shape.align > llvm::cast<llvm::ConstantInt>(inst.getOperand(1))->getZExtValue()) {
      // The first lane's value is a multiple of a power of two above the mask, so nothing is left
      // of it (shape.cpp).
      lanes.scalars[h] = llvm::Constant::getNullValue(inst.getType());
      continue;
    }
    if (inst.getOpcode() == llvm::Instruction::Or && lanes.shape.stride) {
      // The operands have no bit in common in any active lane, so their sum is the same; in the
      // first lane, which may be inactive, they may have one.
      lanes.scalars[h] = builder_.CreateAdd(values_.scalar(inst.getOperand(0), h),
                                            values_.scalar(inst.getOperand(1), h));
      continue;
    }
    llvm::Instruction* copy = inst.clone();
    copy->dropPoisonGeneratingFlags();
    copy->dropUnknownNonDebugMetadata();
    for (llvm::Use& operand : copy->operands()) {
      if (!llvm::isa<llvm::Function>(operand.get())) operand.set(values_.scalar(operand.get(), h));
    }
    lanes.scalars[h] = builder_.Insert(copy, inst.getName());
    if (Block* home = home_of(*copy)) copy->moveBefore(home->getTerminator());
  }
  values_.define(inst, lanes);
}

/// The instruction for each lane by itself.
llvm::Value* Instructions::scalarize(llvm::Instruction& inst, unsigned half) {
  HEDDLE_CHECK(!inst.getType()->isStructTy());  // plan.cpp refuses it
  llvm::Value* result = llvm::PoisonValue::get(vector_of(inst.getType()));
  for (unsigned lane = 0; lane < kHalf; ++lane) {
    llvm::Instruction* copy = inst.clone();
    for (llvm::Use& operand : copy->operands()) {
      if (llvm::isa<llvm::Function>(operand.get())) continue;
      operand.set(builder_.CreateExtractElement(values_.vector(operand.get(), half), lane));
    }
    builder_.Insert(copy);
    result = builder_.CreateInsertElement(result, copy, lane);
  }
  return result;
}

/// a / b or a % b. Inactive lanes divide by 1: the host's division may fault. Up to 32 bits the
/// quotient is the truncated quotient of f64, whose distance from the next integer is never less
/// than one 2^32nd of it.
llvm::Value* Instructions::divide(llvm::Instruction::BinaryOps what, llvm::Value* a, llvm::Value* b,
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

llvm::Value* Instructions::vector_instruction(llvm::Instruction& inst, unsigned half,
                                              const Halves& mask) {
  const auto operand = [&](unsigned i) { return values_.vector(inst.getOperand(i), half); };
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
    return builder_.CreateSelect(
        shapes_.of(condition).is_uniform() ? values_.scalar(condition) : operand(0), operand(1),
        operand(2));
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
  if (auto* load = llvm::dyn_cast<llvm::LoadInst>(&inst)) {  // from a table of the semantics
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
        arguments.push_back(scalar ? values_.scalar(argument) : values_.vector(argument, half));
        if (!overflows && llvm::isVectorIntrinsicWithOverloadTypeAtArg(id, static_cast<int>(i)))
          types.push_back(arguments.back()->getType());
      }
      return builder_.CreateCall(
          llvm::Intrinsic::getDeclaration(&*function_.kernel.module, id, types), arguments);
    }
  }
  return scalarize(inst, half);
}

void Instructions::emit_vector(llvm::Instruction& inst, const Halves& mask) {
  Halves both{};
  for (unsigned h = 0; h < halves_; ++h)
    both[h] = demanded_.any(&inst, h) ? vector_instruction(inst, h, mask)
                                      : llvm::PoisonValue::get(vector_of(inst.getType()));
  values_.define(inst, both);
}

}  // namespace heddle::jit
