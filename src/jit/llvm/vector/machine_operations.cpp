// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "jit/llvm/vector/machine_operations.h"

#include <llvm/IR/Instructions.h>

#include <cstddef>

#include "base/check.h"

namespace heddle::jit {
namespace {

u32 number_of(const llvm::CallInst& call, unsigned operand) {
  return static_cast<u32>(
      llvm::cast<llvm::ConstantInt>(call.getArgOperand(operand))->getZExtValue());
}

}  // namespace

void MachineOperations::emit_context(llvm::CallInst& call) {
  const u32 offset = number_of(call, 0);
  if (call.getType()->isIntegerTy(32) && offset == offsetof(Context, warp))
    return emit_warp_number(call);
  values_.define_uniform(call, function_.field(offset, call.getType(), "field"));
}

void MachineOperations::emit_warp_number(llvm::CallInst& inst) {
  LaneValue lanes;
  lanes.shape = shapes_.of(&inst);
  const llvm::IRBuilder<>::InsertPointGuard guard(builder_);
  builder_.SetInsertPoint(function_.head->getTerminator());
  for (unsigned h = 0; h < halves_; h += kHalves)
    lanes.scalars[h] = function_.warp_number(h / kHalves);
  values_.define(inst, lanes);
}

void MachineOperations::emit_symbol(llvm::CallInst& call) {
  llvm::Value* table = function_.field(offsetof(Context, symbols), builder_.getPtrTy(), "symbols");
  const llvm::IRBuilder<>::InsertPointGuard guard(builder_);
  builder_.SetInsertPoint(function_.entry->getTerminator());
  llvm::Value* at =
      builder_.CreateConstInBoundsGEP1_32(builder_.getInt64Ty(), table, number_of(call, 0));
  llvm::LoadInst* load = builder_.CreateLoad(builder_.getInt64Ty(), at);
  load->setMetadata(llvm::LLVMContext::MD_invariant_load,
                    llvm::MDNode::get(builder_.getContext(), {}));
  values_.define_uniform(call, load);
}

void MachineOperations::emit_param(llvm::CallInst& call) {
  const llvm::IRBuilder<>::InsertPointGuard guard(builder_);
  builder_.SetInsertPoint(function_.entry->getTerminator());
  llvm::Value* block = builder_.CreateIntToPtr(
      function_.field(offsetof(Context, params), builder_.getInt64Ty(), "params"),
      builder_.getPtrTy());
  llvm::LoadInst* load = builder_.CreateAlignedLoad(
      call.getType(),
      builder_.CreateConstInBoundsGEP1_32(builder_.getInt8Ty(), block, number_of(call, 0)),
      llvm::Align(1));
  load->setMetadata(llvm::LLVMContext::MD_invariant_load,
                    llvm::MDNode::get(builder_.getContext(), {}));
  values_.define_uniform(call, load);
}

void MachineOperations::emit_lane(llvm::CallInst& call) {
  LaneValue lanes;
  lanes.shape = shapes_.of(&call);
  for (unsigned h = 0; h < halves_; h += kHalves) lanes.scalars[h] = builder_.getInt32(0);
  values_.define(call, lanes);
}

void MachineOperations::emit_tid(llvm::CallInst& call) {
  const auto constant = [&](u64 value) { return builder_.getInt32(static_cast<u32>(value)); };
  const llvm::IRBuilder<>::InsertPointGuard guard(builder_);
  builder_.SetInsertPoint(function_.head->getTerminator());
  const u32 component = number_of(call, 0);
  const u64 x = function_.block.x, y = function_.block.y;
  llvm::Value* team = function_.team;
  // The component of the first thread of unit number `unit`, where threads are divided into units
  // of `size` consecutive ones.
  const auto of_units = [&](llvm::Value* unit, u64 size) -> llvm::Value* {
    if (component == 0 && size % x == 0 && function_.block.volume() != x) return constant(0);
    llvm::Value* thread = builder_.CreateMul(unit, constant(size));
    if (component == 0)
      return function_.block.volume() == x ? thread : builder_.CreateURem(thread, constant(x));
    llvm::Value* row = builder_.CreateUDiv(thread, constant(x));
    return component == 1 ? builder_.CreateURem(row, constant(y))
                          : builder_.CreateUDiv(row, constant(y));
  };
  LaneValue lanes;
  lanes.shape = shapes_.of(&call);
  if (lanes.shape.is_affine()) {
    const unsigned shared = shapes_.halves_of(lanes.shape);
    for (unsigned h = 0; h < halves_; h += shared)
      lanes.scalars[h] =
          of_units(builder_.CreateAdd(builder_.CreateMul(team, constant(halves_ / shared)),
                                      constant(h / shared)),
                   shared * kHalf);
  } else {
    for (unsigned h = 0; h < halves_; ++h) {
      llvm::Value* begin = builder_.CreateAdd(builder_.CreateMul(team, constant(shapes_.team())),
                                              constant(h * kHalf));
      llvm::Value* thread = builder_.CreateAdd(splat(begin), step_vector(builder_.getInt32Ty(), 1));
      llvm::Value* row = builder_.CreateUDiv(thread, splat(constant(x)));
      lanes.vectors[h] = component == 0   ? builder_.CreateURem(thread, splat(constant(x)))
                         : component == 1 ? builder_.CreateURem(row, splat(constant(y)))
                                          : builder_.CreateUDiv(row, splat(constant(y)));
    }
  }
  values_.define(call, lanes);
}

void MachineOperations::emit_local_base(llvm::CallInst& call) {
  llvm::Value* base = local_.base();
  llvm::Value* stride = local_.size();
  Halves both{};
  for (unsigned h = 0; h < halves_; ++h) {
    llvm::Value* lane = builder_.CreateAdd(splat(builder_.getInt64(h * kHalf)),
                                           step_vector(builder_.getInt64Ty(), 1));
    both[h] = builder_.CreateAdd(splat(base), builder_.CreateMul(splat(stride), lane));
  }
  values_.define(call, both);
}

void MachineOperations::emit_special(llvm::CallInst& call) {
  runtime_.call(HelperId::special, call.getArgOperand(1));
  values_.define_uniform(call,
                         builder_.CreateLoad(builder_.getInt64Ty(), runtime_.operand_address(0)));
}

void MachineOperations::emit_round_end(llvm::CallInst& call, const Halves& mask) {
  Halves progressed{};
  for (unsigned h = 0; h < halves_; ++h)
    progressed[h] = builder_.CreateAnd(
        mask[h], builder_.CreateFreeze(values_.vector(call.getArgOperand(1), h)));
  if (!progress_) progress_ = function_.variable(builder_.getInt1Ty());
  builder_.CreateStore(masks_.any(progressed), progress_);
}

llvm::Value* MachineOperations::progress() {
  return builder_.CreateLoad(progress_->getAllocatedType(), progress_);
}

void MachineOperations::emit_fence(llvm::CallInst& call) {
  const bool all = llvm::cast<llvm::ConstantInt>(call.getArgOperand(0))->isOne();
  builder_.CreateFence(all ? llvm::AtomicOrdering::SequentiallyConsistent
                           : llvm::AtomicOrdering::AcquireRelease);
}

void MachineOperations::emit(llvm::CallInst& call, MachineOp op, const ActiveLanes& active) {
  const Halves& mask = active.mask;
  const auto site = [&]() -> const Site& { return site_of(call); };
  switch (op) {
    case MachineOp::context_i64:
    case MachineOp::context_i32:
      return emit_context(call);
    case MachineOp::symbol:
      return emit_symbol(call);
    case MachineOp::param:
      return emit_param(call);
    case MachineOp::lane:
      return emit_lane(call);
    case MachineOp::tid:
      return emit_tid(call);
    case MachineOp::local_base:
      return emit_local_base(call);
    case MachineOp::special:
      return emit_special(call);
    case MachineOp::load:
      return accesses_.load(call, site(), active);
    case MachineOp::store:
      return accesses_.store(call, site(), active);
    case MachineOp::atomic:
      return atomics_.emit(call, site(), active);
    case MachineOp::warp_op:
      return accesses_matrices(site()) ? matrices_.emit(call, site(), mask)
                                       : warp_operations_.emit(call, site(), mask);
    case MachineOp::step:
      if (site().sem == isa::SemId::cp_async) return async_copies_.emit(call, site(), mask);
      return fallback_.step(call, HelperId::step, mask);
    case MachineOp::system_call:
      return fallback_.step(call, HelperId::step, mask);
    case MachineOp::cold_call:
      return fallback_.cold_call(call, mask);
    case MachineOp::wait:
      return fallback_.step(call, HelperId::wait, mask);
    case MachineOp::barrier:
      return function_.end_region(call.getArgOperand(0), call.getArgOperand(1));
    case MachineOp::barrier_arrive:
    case MachineOp::barrier_wait:
      return fallback_.barrier(call, mask);
    case MachineOp::barrier_cluster_arrive:
      return fallback_.step(call, HelperId::arrive_in_cluster, mask);
    case MachineOp::barrier_cluster_wait:
      return fallback_.step(call, HelperId::wait_in_cluster, mask);
    case MachineOp::warp_barrier:
      return warp_operations_.check_members(call, mask);
    case MachineOp::all_lanes: {
      const bool holds = llvm::cast<llvm::ConstantInt>(call.getArgOperand(1))->isOne();
      return values_.define_uniform(call,
                                    conditions_.holds_for_team({call.getArgOperand(0), holds}));
    }
    case MachineOp::round_end:
      return emit_round_end(call, mask);
    case MachineOp::fence:
      return emit_fence(call);
    case MachineOp::trap_at:
      runtime_.pass_operand(call.getArgOperand(1), 0);
      return runtime_.call(HelperId::trap, call.getArgOperand(0), mask);
    case MachineOp::trap:
      return runtime_.call(HelperId::trap, call.getArgOperand(0), mask);
    // Passes before this one have replaced these.
    case MachineOp::local:
    case MachineOp::activation:
    case MachineOp::stack:
    case MachineOp::canonical:
    case MachineOp::none:
      HEDDLE_UNREACHABLE();
  }
}

}  // namespace heddle::jit
