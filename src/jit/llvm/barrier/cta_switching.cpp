// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "jit/llvm/barrier/cta_switching.h"

#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>

#include <cstddef>

#include "jit/context.h"

namespace heddle::jit {
namespace {

bool is_row(const llvm::Instruction& inst) {
  return context_offset(inst) == offsetof(Context, ctaid) + sizeof(u32);
}

/// Whether an address may differ between rows of the grid.
bool may_depend_on_row(const llvm::Value* address) {
  return is_made_of(address, 256,
                    [](const llvm::Instruction& inst) { return is_row(inst) || is_access(inst); });
}

llvm::Value* field(llvm::IRBuilder<>& builder, const Vectorized& cta, std::size_t offset) {
  return builder.CreateConstInBoundsGEP1_32(builder.getInt8Ty(), cta.function->getArg(0),
                                            static_cast<unsigned>(offset));
}

}  // namespace

bool reads_by_column(const ScalarKernel& kernel, const Shapes& shapes) {
  if (llvm::none_of(llvm::instructions(*kernel.function), is_row)) return false;
  const auto reads_column = [&](const llvm::Instruction& inst) {
    if (machine_op(inst) != MachineOp::load) return false;
    const auto& call = llvm::cast<llvm::CallInst>(inst);
    const Site& site = site_of(call, kernel.sites);
    const bool global = site.space == ir::Space::global || site.space == ir::Space::generic;
    return global && !site.ordered && !may_depend_on_row(call.getArgOperand(1));
  };
  const auto is_barrier = [](const llvm::Instruction& inst) {
    return is_barrier_op(machine_op(inst));
  };
  const auto has = [](const llvm::Loop& loop, const auto& what) {
    return llvm::any_of(loop.blocks(),
                        [&](const auto* block) { return llvm::any_of(*block, what); });
  };
  return llvm::any_of(shapes.loops.getLoopsInPreorder(), [&](const llvm::Loop* loop) {
    return has(*loop, is_barrier) && has(*loop, reads_column);
  });
}

void continue_or_switch(llvm::IRBuilder<>& builder, const Vectorized& cta, llvm::Value* state,
                        llvm::BasicBlock* next) {
  if (!cta.switches_ctas) {
    builder.CreateBr(next);
    return;
  }
  llvm::Value* counter = field(builder, cta, offsetof(Context, barriers_left));
  llvm::Value* left = builder.CreateSub(
      builder.CreateLoad(builder.getInt32Ty(), counter, /*isVolatile=*/true), builder.getInt32(1));
  builder.CreateStore(left, counter, /*isVolatile=*/true);
  auto* over = llvm::BasicBlock::Create(builder.getContext(), "over", cta.function);
  builder.CreateCondBr(builder.CreateICmpEQ(left, builder.getInt32(0)), over, next);
  builder.SetInsertPoint(over);
  builder.CreateStore(state, field(builder, cta, offsetof(Context, resume)), /*isVolatile=*/true);
  builder.CreateRet(builder.getInt32(static_cast<u32>(Outcome::paused)));
}

llvm::Value* load_resume_point(llvm::IRBuilder<>& builder, const Vectorized& cta) {
  if (!cta.switches_ctas) return builder.getInt64(0);
  llvm::Value* at = field(builder, cta, offsetof(Context, resume));
  llvm::Value* resume = builder.CreateLoad(builder.getInt64Ty(), at, /*isVolatile=*/true, "resume");
  builder.CreateStore(builder.getInt64(0), at, /*isVolatile=*/true);
  return resume;
}

}  // namespace heddle::jit
