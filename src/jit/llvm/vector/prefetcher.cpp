// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "jit/llvm/vector/prefetcher.h"

#include <llvm/IR/Instructions.h>
#include <llvm/IR/Intrinsics.h>

#include <algorithm>

namespace heddle::jit {
namespace {

constexpr unsigned kStrideDepth = 4, kCtaDepth = 8;
constexpr u64 kLine = 64;
/// The processor itself prefetches for smaller steps, of a loop or from CTA to CTA.
constexpr s64 kNear = 1024, kNearCta = 2048;
/// The distance from prefetch to access: rounds, and instructions of a thread, at most. A line that
/// is prefetched too early is evicted again.
constexpr u64 kMostRounds = 8, kInstructionsAhead = 4000;
/// For loops the second level: the rows of a tile may be a page apart, and would evict each other
/// from the few ways that the first level has for them.
constexpr u32 kFirstLevel = 3, kSecondLevel = 2;

/// How much a value grows from round to round: a loop-invariant value times a number. Prefetches
/// need no exact address, so wrapping sums are ignored.
struct Step {
  llvm::Value* value = nullptr;  ///< null: it does not grow
  s64 times = 1;
  bool known = true;
};

// A round is one of the loop or, where that is null, one of the CTAs that a worker runs one after
// the other.

/// The step of a loop counter, or of a CTA's number.
Step first_step(llvm::Instruction& inst, const llvm::Loop* loop) {
  const Step unknown{nullptr, 1, false};
  if (!loop) {
    const auto offset = context_offset(inst);
    if (!offset) return unknown;
    if (*offset != offsetof(Context, ctaid)) return {};
    return {llvm::ConstantInt::get(inst.getType(), 1), 1, true};
  }
  const auto* phi = llvm::dyn_cast<llvm::PHINode>(&inst);
  if (!phi || phi->getParent() != loop->getHeader() || !loop->getLoopLatch()) return unknown;
  const auto* next =
      llvm::dyn_cast<llvm::BinaryOperator>(phi->getIncomingValueForBlock(loop->getLoopLatch()));
  if (!next || next->getOpcode() != llvm::Instruction::Add) return unknown;
  for (unsigned i = 0; i < 2; ++i) {
    llvm::Value* other = next->getOperand(1 - i);
    const auto* made = llvm::dyn_cast<llvm::Instruction>(other);
    if (next->getOperand(i) == phi && !(made && loop->contains(made))) return {other, 1, true};
  }
  return unknown;
}

Step step_of(llvm::Value* value, const llvm::Loop* loop, unsigned depth = 0) {
  const Step unknown{nullptr, 1, false};
  auto* inst = llvm::dyn_cast<llvm::Instruction>(value);
  if (!inst || (loop && !loop->contains(inst))) return {};
  if (depth == (loop ? kStrideDepth : kCtaDepth)) return unknown;
  const auto of = [&](unsigned operand) {
    return step_of(inst->getOperand(operand), loop, depth + 1);
  };
  switch (inst->getOpcode()) {
    case llvm::Instruction::Add:
    case llvm::Instruction::Or: {
      const Step a = of(0), b = of(1);
      if (!a.known || !b.known || (a.value && b.value)) return unknown;
      return a.value ? a : b;
    }
    case llvm::Instruction::Shl:
    case llvm::Instruction::Mul: {
      Step a = of(0), b = of(1);
      if (!a.known || !b.known) return unknown;
      if (!a.value && !b.value) return {};
      const bool shift = inst->getOpcode() == llvm::Instruction::Shl;
      llvm::Value* factor = inst->getOperand(1);
      if (!a.value && !shift) {
        std::swap(a, b);
        factor = inst->getOperand(0);
      }
      if (b.value) return unknown;
      if (const auto* number = llvm::dyn_cast<llvm::ConstantInt>(factor)) {
        if (number->getZExtValue() > 4096) return unknown;
        const s64 times = number->getSExtValue();
        a.times *= shift ? s64{1} << (times & 31) : times;
        return a;
      }
      const auto* step = llvm::dyn_cast<llvm::ConstantInt>(a.value);
      if (shift || !step) return unknown;
      return {factor, a.times * step->getSExtValue(), true};
    }
    case llvm::Instruction::Trunc:
    case llvm::Instruction::ZExt:
    case llvm::Instruction::SExt:
      return of(0);
    case llvm::Instruction::Call: {
      // Numbers of lanes and parameters of the launch are the same in each CTA.
      const MachineOp op = machine_op(*inst);
      if (!loop && (op == MachineOp::tid || op == MachineOp::lane || op == MachineOp::param))
        return {};
      return first_step(*inst, loop);
    }
    default:
      return first_step(*inst, loop);
  }
}

}  // namespace

/// How many rounds ahead to prefetch. With a barrier in the loop, all teams execute a round before
/// the next one begins.
u64 Prefetcher::rounds_ahead(const llvm::Loop& loop) const {
  u64 instructions = 0;
  bool has_barrier = false;
  for (const Block* block : loop.blocks()) {
    instructions += block->size();
    has_barrier |= llvm::any_of(
        *block, [&](const llvm::Instruction& inst) { return is_barrier_op(machine_op(inst)); });
  }
  if (has_barrier) instructions *= (function_.block.volume() + shapes_.team() - 1) / shapes_.team();
  return std::clamp<u64>(kInstructionsAhead / instructions, 1, kMostRounds);
}

void Prefetcher::hint(llvm::Value* at, bool writes, u32 level) {
  builder_.CreateIntrinsic(
      llvm::Intrinsic::prefetch, {builder_.getPtrTy()},
      {at, builder_.getInt32(writes), builder_.getInt32(level), builder_.getInt32(1)});
}

void Prefetcher::touch(const Site& site, llvm::Value* at, u64 bytes) {
  if (!processor_.is_amd || !may_be_global(site)) return;
  for (u64 offset = 0; offset < bytes; offset += kLine)
    hint(builder_.CreateConstGEP1_64(builder_.getInt8Ty(), at, offset), false, kFirstLevel);
}

void Prefetcher::prefetch(const llvm::CallInst& call, const AccessGroup& group, u64 distance) {
  const Site& site = site_of(call);
  if (!may_be_global(site)) return;
  if (group.layout == Layout::scattered || group.layout == Layout::strided ||
      group.layout == Layout::permuted || group.layout == Layout::known_lanes)
    return;
  const llvm::Loop* loop = shapes_.loops.getLoopFor(call.getParent());
  const bool writes = machine_op(call) == MachineOp::store;
  if (loop && writes)
    return;  // a loop often writes where it has read, and does not wait for stores
  const Step step = step_of(call.getArgOperand(1), loop);
  if (!step.known || !step.value || !shapes_.of(step.value).is_uniform()) return;
  if (const auto* number = llvm::dyn_cast<llvm::ConstantInt>(step.value);
      number && std::abs(number->getSExtValue() * step.times) < (loop ? kNear : kNearCta))
    return;
  const u64 rounds = loop ? rounds_ahead(*loop) : 1;
  if (loop && bounds_.most_rounds(loop->getHeader()) <= rounds) return;
  llvm::Value* bytes = builder_.CreateMul(
      builder_.CreateSExtOrTrunc(values_.scalar(step.value), builder_.getInt64Ty()),
      builder_.getInt64(static_cast<u64>(step.times) * rounds));
  const Shape shape = shapes_.of(group.root);
  const u64 extent =
      static_cast<u64>(std::abs(shapes_.reach(shape))) + u64{site.bytes} * site.count;
  for (unsigned h = 0; h < halves_; h += shapes_.halves_of(shape)) {
    llvm::Value* at = builder_.CreateAdd(group.host[h], bytes);
    for (u64 offset = 0; offset < extent; offset += kLine)
      hint(windows_.pointer(at, distance + offset), writes, kSecondLevel);
  }
}

}  // namespace heddle::jit
