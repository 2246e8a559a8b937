// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Operations of the machine (machine_ops.def) in the code of CTAs.
#include <llvm/IR/Instructions.h>

#include <cstddef>

#include "base/check.h"
#include "jit/llvm/vector/vectorizer.h"

namespace heddle::jit {
namespace {

u32 number_of(const llvm::CallInst& call, unsigned operand) {
  return static_cast<u32>(
      llvm::cast<llvm::ConstantInt>(call.getArgOperand(operand))->getZExtValue());
}

}  // namespace

void Vectorizer::emit_context(llvm::CallInst& call) {
  const u32 offset = number_of(call, 0);
  if (call.getType()->isIntegerTy(32) && offset == offsetof(Context, warp))
    return define_warp(call);
  define_uniform(call, field(offset, call.getType(), "field"));
}

void Vectorizer::emit_symbol(llvm::CallInst& call) {
  llvm::Value* table = field(offsetof(Context, symbols), builder_.getPtrTy(), "symbols");
  const llvm::IRBuilder<>::InsertPointGuard guard(builder_);
  builder_.SetInsertPoint(entry_->getTerminator());
  llvm::Value* at =
      builder_.CreateConstInBoundsGEP1_32(builder_.getInt64Ty(), table, number_of(call, 0));
  llvm::LoadInst* load = builder_.CreateLoad(builder_.getInt64Ty(), at);
  load->setMetadata(llvm::LLVMContext::MD_invariant_load, llvm::MDNode::get(context_, {}));
  define_uniform(call, load);
}

void Vectorizer::emit_param(llvm::CallInst& call) {
  const llvm::IRBuilder<>::InsertPointGuard guard(builder_);
  builder_.SetInsertPoint(entry_->getTerminator());
  llvm::Value* block = builder_.CreateIntToPtr(
      field(offsetof(Context, params), builder_.getInt64Ty(), "params"), builder_.getPtrTy());
  llvm::LoadInst* load = builder_.CreateAlignedLoad(
      call.getType(),
      builder_.CreateConstInBoundsGEP1_32(builder_.getInt8Ty(), block, number_of(call, 0)),
      llvm::Align(1));
  load->setMetadata(llvm::LLVMContext::MD_invariant_load, llvm::MDNode::get(context_, {}));
  define_uniform(call, load);
}

void Vectorizer::emit_lane(llvm::CallInst& call) {
  Lanes& lanes = lanes_[&call];
  lanes.shape = shapes_.of(&call);
  for (unsigned h = 0; h < halves_; h += kHalves) lanes.first[h] = builder_.getInt32(0);
}

void Vectorizer::emit_tid(llvm::CallInst& call) {
  const auto constant = [&](u64 value) { return builder_.getInt32(static_cast<u32>(value)); };
  const llvm::IRBuilder<>::InsertPointGuard guard(builder_);
  builder_.SetInsertPoint(head_->getTerminator());
  const u32 component = number_of(call, 0);
  const u64 x = block_.x, y = block_.y;
  llvm::Value* team = made_.team;
  // `unit` threads, consecutive along x, share what is asked for, or differ by their place.
  const auto of_units = [&](llvm::Value* unit, u64 size) -> llvm::Value* {
    if (component == 0 && size % x == 0 && block_.volume() != x) return constant(0);
    llvm::Value* thread = builder_.CreateMul(unit, constant(size));
    if (component == 0)
      return block_.volume() == x ? thread : builder_.CreateURem(thread, constant(x));
    llvm::Value* row = builder_.CreateUDiv(thread, constant(x));
    return component == 1 ? builder_.CreateURem(row, constant(y))
                          : builder_.CreateUDiv(row, constant(y));
  };
  Lanes lanes;
  lanes.shape = shapes_.of(&call);
  if (lanes.shape.is_affine()) {
    const unsigned shared = shapes_.halves_of(lanes.shape);
    for (unsigned h = 0; h < halves_; h += shared)
      lanes.first[h] =
          of_units(builder_.CreateAdd(builder_.CreateMul(team, constant(halves_ / shared)),
                                      constant(h / shared)),
                   shared * kHalf);
  } else {
    for (unsigned h = 0; h < halves_; ++h) {
      llvm::Value* begin = builder_.CreateAdd(builder_.CreateMul(team, constant(shapes_.team())),
                                              constant(h * kHalf));
      llvm::Value* thread = builder_.CreateAdd(splat(begin), ramp(builder_.getInt32Ty(), 1));
      llvm::Value* row = builder_.CreateUDiv(thread, splat(constant(x)));
      lanes.all[h] = component == 0   ? builder_.CreateURem(thread, splat(constant(x)))
                     : component == 1 ? builder_.CreateURem(row, splat(constant(y)))
                                      : builder_.CreateUDiv(row, splat(constant(y)));
    }
  }
  lanes_[&call] = lanes;
}

void Vectorizer::emit_local_base(llvm::CallInst& call) {
  llvm::Value* base = local_base();
  llvm::Value* stride = local_size();
  Halves both{};
  for (unsigned h = 0; h < halves_; ++h) {
    llvm::Value* lane =
        builder_.CreateAdd(splat(builder_.getInt64(h * kHalf)), ramp(builder_.getInt64Ty(), 1));
    both[h] = builder_.CreateAdd(splat(base), builder_.CreateMul(splat(stride), lane));
  }
  define(call, both);
}

void Vectorizer::emit_special(llvm::CallInst& call) {
  call_helper(HelperId::special, call.getArgOperand(1));
  define_uniform(call, builder_.CreateLoad(builder_.getInt64Ty(), operand_address(0)));
}

void Vectorizer::emit_turn(llvm::CallInst& call, const Halves& mask) {
  Halves moved{};
  for (unsigned h = 0; h < halves_; ++h)
    moved[h] = builder_.CreateAnd(mask[h], builder_.CreateFreeze(all(call.getArgOperand(1), h)));
  if (!moved_) moved_ = variable(builder_.getInt1Ty());
  builder_.CreateStore(any(moved), moved_);
}

void Vectorizer::emit_fence(llvm::CallInst& call) {
  const bool all = llvm::cast<llvm::ConstantInt>(call.getArgOperand(0))->isOne();
  builder_.CreateFence(all ? llvm::AtomicOrdering::SequentiallyConsistent
                           : llvm::AtomicOrdering::AcquireRelease);
}

void Vectorizer::emit_machine_call(llvm::CallInst& call, MachineOp op, const Halves& mask) {
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
      return emit_load(call, site(), mask);
    case MachineOp::store:
      return emit_store(call, site(), mask);
    case MachineOp::atomic:
      return emit_atomic(call, site(), mask);
    case MachineOp::warp_op:
      return emit_warp_operation(call, site(), mask);
    case MachineOp::step:
    case MachineOp::system_call:
      return emit_step(call, HelperId::step, mask);
    case MachineOp::cold_call:
      return emit_cold_call(call, mask);
    case MachineOp::wait:
      return emit_step(call, HelperId::wait, mask);
    case MachineOp::barrier:
      return end_region(call.getArgOperand(0), call.getArgOperand(1));
    case MachineOp::barrier_arrive:
    case MachineOp::barrier_wait:
      return emit_barrier(call, mask);
    case MachineOp::barrier_cluster_arrive:
      return emit_step(call, HelperId::arrive_in_cluster, mask);
    case MachineOp::barrier_cluster_wait:
      return emit_step(call, HelperId::wait_in_cluster, mask);
    case MachineOp::warp_barrier:
      return check_members(call, mask);
    case MachineOp::all_lanes: {
      const bool holds = llvm::cast<llvm::ConstantInt>(call.getArgOperand(1))->isOne();
      return define_uniform(call, holds_for_team({call.getArgOperand(0), holds}));
    }
    case MachineOp::turn:
      return emit_turn(call, mask);
    case MachineOp::fence:
      return emit_fence(call);
    case MachineOp::trap_at:
      pass_operand(call.getArgOperand(1), 0);
      return call_helper(HelperId::trap, call.getArgOperand(0), mask);
    case MachineOp::trap:
      return call_helper(HelperId::trap, call.getArgOperand(0), mask);
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
