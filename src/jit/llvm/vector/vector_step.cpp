// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Instructions that the engine below runs: registers go there, and come back, through
// Context::operands. Waits for barrier objects (PTX ISA 9.7.13.15.16) are among them: as long as no
// lane has an answer, the warp lets others run.
#include <llvm/IR/Instructions.h>

#include <algorithm>

#include "jit/llvm/vector/vectorizer.h"

namespace heddle::jit {
namespace {

u32 rows_of(const llvm::Type* type) { return type->getScalarSizeInBits() > kRowBits ? 2 : 1; }

}  // namespace

/// The warp comes back to the run-time, and goes on behind this place later.
void Vectorizer::end_region(llvm::Value* site, llvm::Value* why) {
  llvm::Type* word = builder_.getInt32Ty();
  auto* type = llvm::FunctionType::get(builder_.getVoidTy(), {word, word}, false);
  llvm::FunctionCallee end = module_.getOrInsertFunction(kRegionEnd, type);
  llvm::cast<llvm::Function>(end.getCallee())->setDoesNotThrow();
  builder_.CreateCall(end, {site, why});
}

/// Barriers with thread counts, whose number is in a register, bar.red and bar.arrive (9.7.13.1).
void Vectorizer::emit_barrier(llvm::CallInst& call, const Halves& mask) {
  for (u32 i = 1; i < call.arg_size(); ++i) {
    if (call.getArgOperand(i)->getType()->isIntegerTy(1))
      pass_operand(call.getArgOperand(i), i - 1);
    else
      builder_.CreateStore(first(call.getArgOperand(i)), operand_address(i - 1));
  }
  call_helper(HelperId::arrive, call.getArgOperand(0), mask);
  if (call.getType()->isVoidTy()) return;
  end_region(call.getArgOperand(0), builder_.getInt32(WarpState::kArrived));
  llvm::LoadInst* result = builder_.CreateLoad(
      builder_.getInt32Ty(),
      builder_.CreateInBoundsGEP(builder_.getInt32Ty(),
                                 field_address(offsetof(Context, barrier_result)), made_.team));
  result->setVolatile(true);  // not above the end of the region
  define_uniform(call, result);
}

void Vectorizer::emit_step(llvm::CallInst& call, HelperId helper, const Halves& mask) {
  Block* ask = nullptr;
  if (helper == HelperId::wait || helper == HelperId::wait_in_cluster) {
    ask = new_block("ask");
    builder_.CreateBr(ask);
    go_to(ask);
  }
  u32 row = 0;
  for (u32 i = 1; i < call.arg_size(); ++i) {
    pass_operand(call.getArgOperand(i), row);
    row += rows_of(call.getArgOperand(i)->getType());
  }
  call_helper(helper, call.getArgOperand(0), mask);
  if (ask) {
    Block* wait = new_block("wait");
    Block* answered = new_block("answered");
    llvm::Value* again =
        builder_.CreateLoad(builder_.getInt32Ty(), field_address(offsetof(Context, again)));
    builder_.CreateCondBr(builder_.CreateICmpNE(again, builder_.getInt32(0)), wait, answered);
    go_to(wait);
    end_region(call.getArgOperand(0), builder_.getInt32(WarpState::kYields));
    builder_.CreateBr(ask);
    go_to(answered);
  }
  if (call.getType()->isVoidTy()) return;
  if (shapes_.of(&call).is_uniform()) {  // a wait of all for the same
    llvm::Value* here = lane_mask(mask);
    llvm::Value* past = builder_.CreateLoad(builder_.getInt32Ty(), operand_address(0));
    return define_uniform(call, builder_.CreateICmpEQ(builder_.CreateAnd(past, here), here));
  }
  auto* record = llvm::dyn_cast<llvm::StructType>(call.getType());
  const u32 first = machine_op(call) == MachineOp::system_call ? row : 0;
  Halves both{};
  for (unsigned h = 0; h < halves_; ++h) {
    if (!record) {
      both[h] = take_result(call.getType(), first, h);
      continue;
    }
    both[h] = llvm::PoisonValue::get(vector_of(record));
    row = first;
    for (unsigned i = 0; i < record->getNumElements(); ++i) {
      llvm::Type* type = record->getElementType(i);
      both[h] = builder_.CreateInsertValue(both[h], take_result(type, row, h), i);
      row += rows_of(type);
    }
  }
  define(call, both);
}

/// A function that hardly any lane calls (cold_functions.h).
void Vectorizer::emit_cold_call(llvm::CallInst& call, const Halves& mask) {
  auto* record = llvm::cast<llvm::StructType>(call.getType());
  Halves all{};
  for_each_warp([&](unsigned warp) {
    for (u32 i = 1; i < call.arg_size(); ++i) pass_operand(call.getArgOperand(i), i - 1, warp);
    call_helper(HelperId::call, call.getArgOperand(0), mask, warp);
    for (unsigned h = 0; h < kHalves; ++h) {
      llvm::Value* one = llvm::PoisonValue::get(vector_of(record));
      for (unsigned i = 0; i < record->getNumElements(); ++i)
        one = builder_.CreateInsertValue(one, take_result(record->getElementType(i), i, h), i);
      all[warp * kHalves + h] = one;
    }
  });
  define(call, all);
}

}  // namespace heddle::jit
