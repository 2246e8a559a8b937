// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Hints about what a loop accesses in later rounds, and the next CTA outside of loops. A grid's
// threads lie side by side, so a thread's loop often goes on by the width of the grid: from page to
// page, where the host's own prefetching does not follow. A large block begins on a page of its
// own, too.
#include <llvm/IR/Instructions.h>

#include <algorithm>

#include "jit/llvm/vector/vectorizer.h"

namespace heddle::jit {
namespace {

constexpr unsigned kStrideDepth = 4, kCtaDepth = 8;
constexpr u64 kLine = 64;
/// Smaller steps the host sees by itself: those of a loop, and of CTAs, which follow each other
/// without a gap.
constexpr s64 kNear = 1024, kNearCta = 2048;
/// From the hint to the access: rounds, at most, and a thread's instructions in them. What comes
/// too early is gone again.
constexpr u64 kMostRounds = 8, kInstructionsAhead = 4000;
/// Into the second level: the rows of a tile may be a page apart, and would drive each other out of
/// the few places that the first one has for them.
constexpr u32 kFirstLevel = 3, kSecondLevel = 2;

/// By how much a value grows from round to round: a number that is the same in all of them, times
/// another. This is for hints, so nothing here asks whether sums wrap around.
struct Step {
  llvm::Value* value = nullptr;  ///< null: not at all
  s64 times = 1;
  bool known = true;
};

// What goes round is a loop or, where that is null, the CTAs that a worker runs one after the
// other.

/// Of what begins a step: a loop's counter, the number of a CTA.
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
      // What the lanes of a team are called is the same in each CTA, and so is what was launched.
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

/// How many rounds before the access its hint stands. Where there is a barrier in the loop, all of
/// the block comes round between.
u64 Vectorizer::rounds_ahead(const llvm::Loop& loop) const {
  u64 instructions = 0;
  bool has_barrier = false;
  for (const Block* block : loop.blocks()) {
    instructions += block->size();
    has_barrier |= llvm::any_of(
        *block, [&](const llvm::Instruction& inst) { return is_barrier_op(machine_op(inst)); });
  }
  if (has_barrier) instructions *= (block_.volume() + shapes_.team() - 1) / shapes_.team();
  return std::clamp<u64>(kInstructionsAhead / instructions, 1, kMostRounds);
}

/// Whether it may be of memory that is not close to the processor all the time.
bool Vectorizer::is_global(const Site& site) const {
  return site.space == ir::Space::global || site.space == ir::Space::generic;
}

void Vectorizer::hint(llvm::Value* at, bool writes, u32 level) {
  builder_.CreateIntrinsic(
      llvm::Intrinsic::prefetch, {builder_.getPtrTy()},
      {at, builder_.getInt32(writes), builder_.getInt32(level), builder_.getInt32(1)});
}

/// Before a masked load of so many bytes. AMD's processors do not count those among what their own
/// prefetching goes by, but do count hints.
void Vectorizer::touch(const Site& site, llvm::Value* at, u64 bytes) {
  if (!is_amd_ || !is_global(site)) return;
  for (u64 offset = 0; offset < bytes; offset += kLine)
    hint(builder_.CreateConstGEP1_64(builder_.getInt8Ty(), at, offset), false, kFirstLevel);
}

void Vectorizer::prefetch(const llvm::CallInst& call, const Group& group, u64 distance) {
  const Site& site = site_of(call);
  if (!is_global(site)) return;
  if (group.way == Way::scattered || group.way == Way::spread || group.way == Way::pattern ||
      group.way == Way::only)
    return;
  const llvm::Loop* loop = shapes_.loops.getLoopFor(call.getParent());
  const bool writes = machine_op(call) == MachineOp::store;
  if (loop && writes) return;  // a loop often writes where it has read, or waits for no store
  const Step step = step_of(call.getArgOperand(1), loop);
  if (!step.known || !step.value || !shapes_.of(step.value).is_uniform()) return;
  if (const auto* number = llvm::dyn_cast<llvm::ConstantInt>(step.value);
      number && std::abs(number->getSExtValue() * step.times) < (loop ? kNear : kNearCta))
    return;
  const u64 rounds = loop ? rounds_ahead(*loop) : 1;
  if (loop && bounds_.most_rounds(loop->getHeader()) <= rounds) return;
  llvm::Value* bytes =
      builder_.CreateMul(builder_.CreateSExtOrTrunc(first(step.value), builder_.getInt64Ty()),
                         builder_.getInt64(static_cast<u64>(step.times) * rounds));
  const Shape shape = shapes_.of(group.root);
  const u64 extent =
      static_cast<u64>(std::abs(shapes_.reach(shape))) + u64{site.bytes} * site.count;
  for (unsigned h = 0; h < halves_; h += shapes_.halves_of(shape)) {
    llvm::Value* at = builder_.CreateAdd(group.at[h], bytes);
    for (u64 offset = 0; offset < extent; offset += kLine)
      hint(pointer(at, distance + offset), writes, kSecondLevel);
  }
}

}  // namespace heddle::jit
