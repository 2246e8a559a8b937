// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "jit/llvm/vector/fallback_operations.h"

#include <llvm/IR/Instructions.h>

#include <algorithm>

namespace heddle::jit {
namespace {

u32 rows_of(const llvm::Type* type) { return type->getScalarSizeInBits() > kRowBits ? 2 : 1; }

}  // namespace

void FallbackOperations::barrier(llvm::CallInst& call, const Halves& mask) {
  for (u32 i = 1; i < call.arg_size(); ++i) {
    if (call.getArgOperand(i)->getType()->isIntegerTy(1))
      runtime_.pass_operand(call.getArgOperand(i), i - 1);
    else
      builder_.CreateStore(values_.scalar(call.getArgOperand(i)), runtime_.operand_address(i - 1));
  }
  runtime_.call(HelperId::arrive, call.getArgOperand(0), mask);
  if (call.getType()->isVoidTy()) return;
  function_.end_region(call.getArgOperand(0), builder_.getInt32(WarpState::kArrived));
  llvm::LoadInst* result = builder_.CreateLoad(
      builder_.getInt32Ty(),
      builder_.CreateInBoundsGEP(builder_.getInt32Ty(),
                                 function_.field_address(offsetof(Context, barrier_result)),
                                 function_.team));
  result->setVolatile(true);  // it must stay behind the end of the region
  values_.define_uniform(call, result);
}

void FallbackOperations::step(llvm::CallInst& call, HelperId helper, const Halves& mask) {
  Block* ask = nullptr;
  if (helper == HelperId::wait || helper == HelperId::wait_in_cluster) {
    ask = new_block("ask");
    builder_.CreateBr(ask);
    go_to(ask);
  }
  const u32 rows = pass_registers(call, 1, call.arg_size());
  runtime_.call(helper, call.getArgOperand(0), mask);
  if (ask) {
    Block* wait = new_block("wait");
    Block* answered = new_block("answered");
    llvm::Value* again = builder_.CreateLoad(builder_.getInt32Ty(),
                                             function_.field_address(offsetof(Context, again)));
    builder_.CreateCondBr(builder_.CreateICmpNE(again, builder_.getInt32(0)), wait, answered);
    go_to(wait);
    function_.end_region(call.getArgOperand(0), builder_.getInt32(WarpState::kYields));
    builder_.CreateBr(ask);
    go_to(answered);
  }
  if (call.getType()->isVoidTy()) return;
  if (shapes_.of(&call).is_uniform()) {  // all lanes wait for the same object
    llvm::Value* here = masks_.warp_bits(mask);
    llvm::Value* past = builder_.CreateLoad(builder_.getInt32Ty(), runtime_.operand_address(0));
    return values_.define_uniform(call,
                                  builder_.CreateICmpEQ(builder_.CreateAnd(past, here), here));
  }
  const bool calls = machine_op(call) == MachineOp::system_call;
  values_.define(call, take_registers(call, calls ? rows : 0));
}

Halves FallbackOperations::step_together(llvm::CallInst& call, u32 first, u32 end,
                                         const Halves& mask) {
  pass_registers(call, first, end);
  runtime_.call(HelperId::step, call.getArgOperand(0), mask);
  return call.getType()->isVoidTy() ? Halves{} : take_registers(call, 0);
}

/// Returns how many rows the registers take.
u32 FallbackOperations::pass_registers(llvm::CallInst& call, u32 first, u32 end) {
  u32 row = 0;
  for (u32 i = first; i < end; ++i) {
    runtime_.pass_operand(call.getArgOperand(i), row);
    row += rows_of(call.getArgOperand(i)->getType());
  }
  return row;
}

/// The call's result, or results, from row `first` on.
Halves FallbackOperations::take_registers(llvm::CallInst& call, u32 first) {
  auto* record = llvm::dyn_cast<llvm::StructType>(call.getType());
  Halves both{};
  for (unsigned h = 0; h < halves_; ++h) {
    if (!record) {
      both[h] = runtime_.take_result(call.getType(), first, h);
      continue;
    }
    both[h] = llvm::PoisonValue::get(vector_of(record));
    u32 row = first;
    for (unsigned i = 0; i < record->getNumElements(); ++i) {
      llvm::Type* type = record->getElementType(i);
      both[h] = builder_.CreateInsertValue(both[h], runtime_.take_result(type, row, h), i);
      row += rows_of(type);
    }
  }
  return both;
}

void FallbackOperations::cold_call(llvm::CallInst& call, const Halves& mask) {
  auto* record = llvm::cast<llvm::StructType>(call.getType());
  Halves all{};
  function_.for_each_warp([&](unsigned warp) {
    for (u32 i = 1; i < call.arg_size(); ++i)
      runtime_.pass_operand(call.getArgOperand(i), i - 1, warp);
    runtime_.call(HelperId::call, call.getArgOperand(0), mask, warp);
    for (unsigned h = 0; h < kHalves; ++h) {
      llvm::Value* one = llvm::PoisonValue::get(vector_of(record));
      for (unsigned i = 0; i < record->getNumElements(); ++i)
        one = builder_.CreateInsertValue(one, runtime_.take_result(record->getElementType(i), i, h),
                                         i);
      all[warp * kHalves + h] = one;
    }
  });
  values_.define(call, all);
}

}  // namespace heddle::jit
