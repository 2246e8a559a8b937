// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "jit/llvm/vector/runtime_calls.h"

#include <llvm/IR/Instructions.h>

#include <algorithm>

#include "base/check.h"

namespace heddle::jit {

void RuntimeCalls::call(HelperId helper, llvm::Value* argument, const Halves& mask, unsigned warp) {
  if (function_.warps() > 1) function_.publish_warp(warp);
  builder_.CreateStore(masks_.warp_bits(mask, warp),
                       function_.field_address(offsetof(Context, lanes)));
  call(helper, argument);
}

void RuntimeCalls::call(HelperId helper, llvm::Value* argument) {
  llvm::Value* table = function_.field(offsetof(Context, helpers), builder_.getPtrTy(), "helpers");
  llvm::Value* at = builder_.CreateConstInBoundsGEP1_32(builder_.getPtrTy(), table,
                                                        static_cast<unsigned>(helper));
  auto* type = llvm::FunctionType::get(builder_.getInt32Ty(),
                                       {builder_.getPtrTy(), builder_.getInt32Ty()}, false);
  llvm::Value* trapped = builder_.CreateCall(type, builder_.CreateLoad(builder_.getPtrTy(), at),
                                             {function_.state, argument});
  Block* next = new_block("next");
  builder_.CreateCondBr(builder_.CreateICmpNE(trapped, builder_.getInt32(0)), function_.trapped,
                        next);
  go_to(next);
}

llvm::Value* RuntimeCalls::operand_address(u32 number) {
  HEDDLE_CHECK(number < kHelperOperands);
  return function_.field_address(offsetof(Context, operands) + number * sizeof(u64) * kLanes);
}

void RuntimeCalls::hand_over(llvm::Value* value, std::size_t offset, unsigned place) {
  const u64 bytes = value->getType()->getPrimitiveSizeInBits() / 8;
  builder_.CreateAlignedStore(value, function_.field_address(offset + place * bytes),
                              llvm::Align(std::min<u64>(bytes, 64)));
}

/// Addresses go into Context::addresses. Those of an affine value, with one widened index at most,
/// are passed as the first lane's and strides, from which the run-time computes them.
void RuntimeCalls::pass_addresses(llvm::CallInst& call, unsigned warp) {
  llvm::Value* address = call.getArgOperand(1);
  const Shape shape = shapes_.of(address);
  auto* widening =
      shape.widened.size() == 1 ? const_cast<llvm::Instruction*>(shape.widened[0].first) : nullptr;
  const Shape index = widening ? shapes_.of(widening->getOperand(0)) : Shape();
  const bool is_line =
      shape.is_affine() && shape.widened.size() <= 1 && address->getType()->isIntegerTy(64) &&
      (!widening || (index.is_affine() && index.widened.empty() && index.kind == shape.kind &&
                     widening->getOperand(0)->getType()->isIntegerTy(32) &&
                     widening->getType()->isIntegerTy(64)));
  if (!is_line) {
    for (unsigned h = 0; h < kHalves; ++h)
      hand_over(values_.vector_here(address, warp * kHalves + h), offsetof(Context, addresses), h);
    return;
  }
  Site& site = jit::site_of(call, function_.kernel.sites);
  const unsigned shared = shapes_.halves_of(shape);
  site.in_line = true;
  site.shared = static_cast<u8>(shared);
  site.step = shape.stride;
  if (widening) {
    site.widens = widening->getOpcode() == llvm::Instruction::SExt ? 2 : 1;
    site.index_step = static_cast<s32>(index.stride);
    site.factor = shape.widened[0].second;
  }
  for (unsigned half = warp * kHalves / shared * shared; half < (warp + 1) * kHalves;
       half += shared) {
    hand_over(values_.scalar(address, half), offsetof(Context, lines), half / shared);
    if (widening)
      hand_over(values_.scalar(widening->getOperand(0), half), offsetof(Context, indices),
                half / shared);
  }
}

/// Inactive lanes may be poison, which must not make the whole word poison.
llvm::Value* RuntimeCalls::lane_bits(llvm::Value* predicate, unsigned warp) {
  Halves bits{};
  for (unsigned h = 0; h < halves_; ++h)
    bits[h] = builder_.CreateFreeze(values_.vector(predicate, h));
  return masks_.warp_bits(bits, warp);
}

void RuntimeCalls::pass_operand(llvm::Value* value, u32 number, unsigned warp) {
  llvm::Value* at = operand_address(number);
  if (value->getType()->isIntegerTy(1)) {
    builder_.CreateStore(lane_bits(value, warp), at);
    return;
  }
  for (unsigned h = 0; h < kHalves; ++h) {
    llvm::Value* half = builder_.CreateConstInBoundsGEP1_32(value->getType(), at, h * kHalf);
    builder_.CreateAlignedStore(values_.vector(value, warp * kHalves + h), half, llvm::Align(16));
  }
}

llvm::Value* RuntimeCalls::take_result(llvm::Type* type, u32 number, unsigned half) {
  llvm::Value* at = operand_address(number);
  if (type->isIntegerTy(1)) {
    llvm::Value* bits = builder_.CreateLoad(builder_.getInt32Ty(), at);
    bits = builder_.CreateTrunc(builder_.CreateLShr(bits, half * kHalf), builder_.getIntNTy(kHalf));
    return builder_.CreateBitCast(bits, vector_of(type));
  }
  at = builder_.CreateConstInBoundsGEP1_32(type, at, half * kHalf);
  return builder_.CreateAlignedLoad(vector_of(type), at, llvm::Align(16));
}

void RuntimeCalls::take_results(llvm::CallInst& call, u32 first) {
  if (call.getType()->isVoidTy()) return;
  auto* record = llvm::dyn_cast<llvm::StructType>(call.getType());
  if (shapes_.of(&call).is_uniform()) {
    const auto one = [&](llvm::Type* type, u32 number) -> llvm::Value* {
      llvm::Value* word = builder_.CreateLoad(type->isIntegerTy(1) ? builder_.getInt32Ty() : type,
                                              operand_address(number));
      return type->isIntegerTy(1) ? builder_.CreateICmpNE(word, builder_.getInt32(0)) : word;
    };
    llvm::Value* result = record ? llvm::PoisonValue::get(record) : one(call.getType(), first);
    for (unsigned i = 0; record && i < record->getNumElements(); ++i)
      result = builder_.CreateInsertValue(result, one(record->getElementType(i), first + i), i);
    return values_.define_uniform(call, result);
  }
  Halves both{};
  for (unsigned h = 0; h < halves_; ++h) {
    both[h] =
        record ? llvm::PoisonValue::get(vector_of(record)) : take_result(call.getType(), first, h);
    for (unsigned i = 0; record && i < record->getNumElements(); ++i)
      both[h] = builder_.CreateInsertValue(both[h],
                                           take_result(record->getElementType(i), first + i, h), i);
  }
  values_.define(call, both);
}

}  // namespace heddle::jit
