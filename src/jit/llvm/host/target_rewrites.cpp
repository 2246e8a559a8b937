// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "jit/llvm/host/target_rewrites.h"

#include <llvm/Analysis/VectorUtils.h>
#include <llvm/CodeGen/TargetSubtargetInfo.h>
#include <llvm/IR/ConstantRange.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InlineAsm.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicsX86.h>
#include <llvm/IR/PatternMatch.h>
#include <llvm/Transforms/Utils/Local.h>

#include "base/types.h"

namespace heddle::jit {

namespace {

constexpr unsigned kOfVector = 16;  ///< lanes

bool has(const llvm::TargetMachine& target, const llvm::Function& cta, const char* feature) {
  return target.getTargetTriple().isX86() && target.getSubtargetImpl(cta)->checkFeatures(feature);
}

/// The instruction for a select between a number and the canonical NaN. Null: `inst` is none.
llvm::Value* fixup(llvm::Instruction& inst, llvm::IRBuilder<>& builder) {
  using namespace llvm::PatternMatch;
  llvm::Value *value = nullptr, *test = nullptr;
  llvm::Constant* nan = nullptr;
  if (!match(&inst, m_Select(m_Value(test), m_Constant(nan), m_Value(value))) ||
      !match(test,
             m_OneUse(m_SpecificFCmp(llvm::CmpInst::FCMP_UNO, m_Specific(value), m_AnyZeroFP()))))
    return nullptr;
  // The result for each class of operand, four bits each: for NaNs (the first two classes) the
  // destination's old value, for others the operand.
  constexpr u32 kNanStays = 0x11111100;
  constexpr unsigned kNoException = 0, kCurrentRounding = 4;
  return builder.CreateIntrinsic(
      llvm::Intrinsic::x86_avx512_mask_fixupimm_ps_512, {},
      {nan, value, builder.CreateVectorSplat(kOfVector, builder.getInt32(kNanStays)),
       builder.getInt32(kNoException), builder.getInt16(~u16{0}),
       builder.getInt32(kCurrentRounding)});
}

/// The instruction for a test by a number's bits whether it is positive and normal. Null: `inst` is
/// none.
llvm::Value* class_test(llvm::Instruction& inst, llvm::IRBuilder<>& builder) {
  using namespace llvm::PatternMatch;
  llvm::CmpInst::Predicate predicate{};
  llvm::Value* number = nullptr;
  const llvm::APInt *offset = nullptr, *limit = nullptr;
  if (!match(&inst, m_ICmp(predicate, m_Add(m_BitCast(m_Value(number)), m_APInt(offset)),
                           m_APInt(limit))) ||
      !number->getType()->getScalarType()->isFloatTy())
    return nullptr;
  const llvm::ConstantRange normal(llvm::APInt(32, 0x00800000), llvm::APInt(32, 0x7f800000));
  const llvm::ConstantRange tested =
      llvm::ConstantRange::makeExactICmpRegion(predicate, *limit).subtract(*offset);
  if (tested != normal && tested != normal.inverse()) return nullptr;
  constexpr u32 kAllOthers = 0xff;
  llvm::Value* is_other = builder.CreateIntrinsic(llvm::Intrinsic::x86_avx512_fpclass_ps_512, {},
                                                  {number, builder.getInt32(kAllOthers)});
  return tested == normal ? builder.CreateNot(is_other) : is_other;
}

/// Whether the value is a vector with constant bits cleared.
bool is_some_bits(llvm::Value* value) {
  using namespace llvm::PatternMatch;
  while (auto* cast = llvm::dyn_cast<llvm::BitCastInst>(value)) value = cast->getOperand(0);
  return match(value, m_c_And(m_Value(), m_Constant())) || match(value, m_FAbs(m_Value()));
}

/// Whether the value is used by a select between vectors.
bool is_chosen(const llvm::Value& value) {
  return llvm::any_of(value.users(), [](const llvm::User* user) {
    if (llvm::isa<llvm::BitCastInst>(user)) return is_chosen(*user);
    const auto* select = llvm::dyn_cast<llvm::SelectInst>(user);
    return select && select->getCondition()->getType()->isVectorTy();
  });
}

/// Whether some lanes of a mask are constant and others are not, because the mask is computed with
/// a constant.
bool is_partly_constant(const llvm::Value* mask, unsigned depth = 6) {
  const auto* inst = llvm::dyn_cast<llvm::Instruction>(mask);
  if (!inst || depth == 0) return depth == 0;
  if (!llvm::isa<llvm::SelectInst, llvm::ShuffleVectorInst>(inst) && !inst->isBitwiseLogicOp())
    return false;
  return llvm::any_of(inst->operand_values(), [&](const llvm::Value* operand) {
    const auto* constant = llvm::dyn_cast<llvm::Constant>(operand);
    if (constant) return constant->getType()->isVectorTy() && !constant->getSplatValue();
    return is_partly_constant(operand, depth - 1);
  });
}

bool is_sum(const llvm::User* user) {
  const unsigned opcode = llvm::cast<llvm::Instruction>(user)->getOpcode();
  return opcode == llvm::Instruction::Add || opcode == llvm::Instruction::Sub;
}

/// An opaque copy of a vector, of which LLVM knows nothing.
void hide(llvm::Instruction& inst) {
  llvm::SmallVector<llvm::Use*> uses;
  for (llvm::Use& use : inst.uses()) uses.push_back(&use);
  llvm::IRBuilder<> builder(inst.getNextNode());
  auto* type = llvm::cast<llvm::FixedVectorType>(inst.getType());
  const unsigned in_register = 512 / type->getScalarSizeInBits();
  auto* part = llvm::FixedVectorType::get(type->getElementType(), in_register);
  auto* from_part = llvm::FunctionType::get(part, {part}, false);
  llvm::SmallVector<llvm::Value*> parts;
  for (unsigned begin = 0; begin < kOfVector; begin += in_register)
    parts.push_back(builder.CreateCall(
        from_part, llvm::InlineAsm::get(from_part, "", "=v,0", /*hasSideEffects=*/false),
        {builder.CreateShuffleVector(
            &inst, llvm::createSequentialMask(begin, in_register, /*NumUndefs=*/0))}));
  llvm::Value* copy = llvm::concatenateVectors(builder, parts);
  for (llvm::Use* use : uses) use->set(copy);
}

}  // namespace

void separate_carries(llvm::Function& cta, const llvm::TargetMachine& target) {
  if (!has(target, cta, "+avx512f")) return;
  for (llvm::Instruction& inst : llvm::make_early_inc_range(llvm::instructions(cta))) {
    auto* type = llvm::dyn_cast<llvm::FixedVectorType>(inst.getType());
    const unsigned bits = inst.getType()->getScalarSizeInBits();
    if (!llvm::isa<llvm::ZExtInst, llvm::SExtInst>(inst) || !type ||
        type->getNumElements() != kOfVector || (bits != 32 && bits != 64) ||
        !inst.getOperand(0)->getType()->getScalarType()->isIntegerTy(1))
      continue;
    if (llvm::any_of(inst.users(), is_sum) && is_partly_constant(inst.getOperand(0))) hide(inst);
  }
}

void separate_choices(llvm::Function& cta, const llvm::TargetMachine& target) {
  using namespace llvm::PatternMatch;
  if (!has(target, cta, "+avx512f")) return;
  for (llvm::Instruction& inst : llvm::make_early_inc_range(llvm::instructions(cta))) {
    const bool joins_bits = (inst.getOpcode() == llvm::Instruction::Or &&
                             llvm::all_of(inst.operand_values(), is_some_bits)) ||
                            match(&inst, m_CopySign(m_Value(), m_Value()));
    // The instruction has masks of 32 and of 64 bits.
    auto* type = llvm::dyn_cast<llvm::FixedVectorType>(inst.getType());
    const unsigned bits = inst.getType()->getScalarSizeInBits();
    if (!joins_bits || !type || type->getNumElements() != kOfVector || (bits != 32 && bits != 64) ||
        !is_chosen(inst))
      continue;
    hide(inst);
  }
}

void use_fixupimm(llvm::Function& cta, llvm::TargetMachine& target, bool zeroes_subnormals) {
  const bool fixes = has(target, cta, "+avx512f") && !zeroes_subnormals;
  const bool classifies = has(target, cta, "+avx512dq");
  llvm::IRBuilder<> builder(cta.getContext());
  const auto lanes_of = [](llvm::Type* type) {
    return llvm::FixedVectorType::get(type, kOfVector);
  };
  llvm::SmallVector<llvm::WeakTrackingVH> dead;
  for (llvm::Instruction& inst : llvm::instructions(cta)) {
    builder.SetInsertPoint(&inst);
    llvm::Value* better = nullptr;
    if (fixes && inst.getType() == lanes_of(builder.getFloatTy())) better = fixup(inst, builder);
    if (classifies && inst.getType() == lanes_of(builder.getInt1Ty()))
      better = class_test(inst, builder);
    if (!better) continue;
    inst.replaceAllUsesWith(better);
    dead.emplace_back(&inst);
  }
  llvm::RecursivelyDeleteTriviallyDeadInstructions(dead);
}

void drop_undefined_gathers(llvm::Function& cta) {
  for (llvm::Instruction& inst : llvm::make_early_inc_range(llvm::instructions(cta))) {
    auto* call = llvm::dyn_cast<llvm::IntrinsicInst>(&inst);
    if (!call || call->getIntrinsicID() != llvm::Intrinsic::masked_gather ||
        !llvm::isa<llvm::UndefValue>(call->getArgOperand(0)))
      continue;
    call->replaceAllUsesWith(call->getArgOperand(3));
    call->eraseFromParent();
  }
}

namespace {

bool is_of_halves(const llvm::Value* value) {
  return value->getType()->isVectorTy() && value->getType()->getScalarType()->isHalfTy();
}

/// The same instruction on floats, or on the halves' bits. Null: it stays as it is.
llvm::Value* widened(llvm::Instruction& inst, llvm::IRBuilder<>& builder) {
  const auto wide = [&](llvm::Value* value) {
    return builder.CreateFPExt(value, value->getType()->getWithNewType(builder.getFloatTy()));
  };
  const auto narrow = [&](llvm::Value* value) {
    return builder.CreateFPTrunc(value, inst.getType());
  };
  const auto bits = [&](llvm::Value* value) {
    return builder.CreateBitCast(value, value->getType()->getWithNewType(builder.getInt16Ty()));
  };
  const auto mask = [&](u16 number) {
    return llvm::ConstantInt::get(inst.getType()->getWithNewType(builder.getInt16Ty()), number);
  };
  const auto as_halves = [&](llvm::Value* value) {
    return builder.CreateBitCast(value, inst.getType());
  };
  if (auto* compare = llvm::dyn_cast<llvm::FCmpInst>(&inst))
    return builder.CreateFCmp(compare->getPredicate(), wide(inst.getOperand(0)),
                              wide(inst.getOperand(1)));
  if (inst.getOpcode() == llvm::Instruction::FNeg)
    return as_halves(builder.CreateXor(bits(inst.getOperand(0)), mask(0x8000)));
  if (auto* binary = llvm::dyn_cast<llvm::BinaryOperator>(&inst);
      binary && binary->getOpcode() != llvm::Instruction::FRem)
    return narrow(builder.CreateBinOp(binary->getOpcode(), wide(inst.getOperand(0)),
                                      wide(inst.getOperand(1))));
  const auto* call = llvm::dyn_cast<llvm::IntrinsicInst>(&inst);
  switch (call ? call->getIntrinsicID() : llvm::Intrinsic::not_intrinsic) {
    case llvm::Intrinsic::fabs:
      return as_halves(builder.CreateAnd(bits(inst.getOperand(0)), mask(0x7fff)));
    case llvm::Intrinsic::copysign:
      return as_halves(builder.CreateOr(builder.CreateAnd(bits(inst.getOperand(0)), mask(0x7fff)),
                                        builder.CreateAnd(bits(inst.getOperand(1)), mask(0x8000))));
    case llvm::Intrinsic::sqrt:
      return narrow(builder.CreateUnaryIntrinsic(llvm::Intrinsic::sqrt, wide(inst.getOperand(0))));
    default:
      return nullptr;
  }
}

}  // namespace

void widen_halves(llvm::Function& cta, const llvm::TargetMachine& target) {
  if (!has(target, cta, "+f16c") || has(target, cta, "+avx512fp16")) return;
  for (llvm::Instruction& inst : llvm::make_early_inc_range(llvm::instructions(cta))) {
    const bool of_halves = inst.getNumOperands() > 0 && is_of_halves(inst.getOperand(0));
    if (!of_halves || !(is_of_halves(&inst) || llvm::isa<llvm::FCmpInst>(inst))) continue;
    llvm::IRBuilder<> builder(&inst);
    llvm::Value* made = widened(inst, builder);
    if (!made) continue;
    inst.replaceAllUsesWith(made);
    inst.eraseFromParent();
  }
}

}  // namespace heddle::jit
