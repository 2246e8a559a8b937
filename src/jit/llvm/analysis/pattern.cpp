// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "jit/llvm/analysis/pattern.h"

#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/Module.h>

#include <algorithm>

#include "jit/extent.h"

namespace heddle::jit {
namespace {

constexpr unsigned kPatternDepth = 8;
constexpr s64 kMostFactor = 1 << 20;

u64 sum(u64 a, u64 b) { return a > Pattern::kUnknown - b ? Pattern::kUnknown : a + b; }

/// The pattern of an affine value: distances from the first lane.
std::optional<Pattern> of_line(const llvm::Value* value, const Shapes& shapes) {
  const Shape shape = shapes.of(value);
  if (!shape.is_affine() || !shape.widened.empty()) return std::nullopt;
  Pattern pattern;
  for (u32 lane = 0; lane < shapes.team(); ++lane)
    pattern.offsets.push_back(shape.stride * (lane % (shapes.halves_of(shape) * kHalf)));
  const auto* inst = llvm::dyn_cast<llvm::Instruction>(value);
  if (inst && machine_op(*inst) == MachineOp::lane) {
    pattern.most = 0;
  } else if (inst) {
    const llvm::KnownBits known = llvm::computeKnownBits(value, inst->getDataLayout());
    if (known.isNonNegative()) pattern.most = known.getMaxValue().getLimitedValue();
  }
  return pattern;
}

std::optional<Pattern> compute(const llvm::Value* value, const Shapes& shapes, unsigned depth) {
  if (const auto* number = llvm::dyn_cast<llvm::ConstantInt>(value)) {
    if (number->getBitWidth() > 64) return std::nullopt;
    return Pattern{std::vector<s64>(shapes.team(), number->getSExtValue()), 0};
  }
  if (auto line = of_line(value, shapes)) return line;
  const auto* inst = llvm::dyn_cast<llvm::Instruction>(value);
  if (!inst || depth == kPatternDepth) return std::nullopt;
  const auto operand = [&](unsigned i) { return compute(inst->getOperand(i), shapes, depth + 1); };
  const auto* number = inst->getNumOperands() == 2
                           ? llvm::dyn_cast<llvm::ConstantInt>(inst->getOperand(1))
                           : nullptr;
  const auto each = [&](Pattern pattern, auto change) {
    for (s64& offset : pattern.offsets) offset = change(offset);
    return pattern;
  };
  switch (inst->getOpcode()) {
    case llvm::Instruction::And:
    case llvm::Instruction::Xor: {
      // The first lane has no bits below `align`. Only these bits change, remain, or are cleared.
      const Shape shape = shapes.of(inst->getOperand(0));
      const auto line = number ? of_line(inst->getOperand(0), shapes) : std::nullopt;
      if (!line || shape.stride < 0) return std::nullopt;
      const auto is_low = [&](s64 some) { return static_cast<u64>(some) < shape.align; };
      const bool masks = inst->getOpcode() == llvm::Instruction::And;
      llvm::APInt number_or_zeros = number->getValue();
      if (masks && !is_low(number->getSExtValue()))  // LLVM drops bits that are zero anyway
        number_or_zeros |= llvm::computeKnownBits(inst->getOperand(0), inst->getDataLayout()).Zero;
      const s64 bits = number_or_zeros.getSExtValue();
      if (!masks && is_low(bits)) return each(*line, [&](s64 offset) { return offset ^ bits; });
      if (!masks || (!is_low(bits) && !is_low(~bits))) return std::nullopt;
      Pattern masked = each(*line, [&](s64 offset) { return offset & bits; });
      if (is_low(bits)) masked.most = 0;
      return masked;
    }
    case llvm::Instruction::Or:
    case llvm::Instruction::Add:
    case llvm::Instruction::Sub: {
      const auto* disjoint = llvm::dyn_cast<llvm::PossiblyDisjointInst>(inst);
      if (disjoint && !disjoint->isDisjoint()) return std::nullopt;
      auto a = operand(0);
      const auto b = a ? operand(1) : std::nullopt;
      const bool adds = inst->getOpcode() != llvm::Instruction::Sub;
      if (!b || (!adds && b->most)) return std::nullopt;
      for (std::size_t lane = 0; lane < a->offsets.size(); ++lane)
        a->offsets[lane] += adds ? b->offsets[lane] : -b->offsets[lane];
      a->most = sum(a->most, b->most);
      return a;
    }
    case llvm::Instruction::Shl:
    case llvm::Instruction::Mul: {
      const auto a = number ? operand(0) : std::nullopt;
      const bool shifts = inst->getOpcode() == llvm::Instruction::Shl;
      if (!a || number->getValue().uge(shifts ? 20 : kMostFactor) ||
          !std::ranges::all_of(a->offsets, is_near))
        return std::nullopt;
      const s64 factor =
          shifts ? s64{1} << number->getZExtValue() : static_cast<s64>(number->getZExtValue());
      Pattern scaled = each(*a, [&](s64 offset) { return offset * factor; });
      if (a->most > Pattern::kUnknown / static_cast<u64>(std::max<s64>(factor, 1)))
        scaled.most = Pattern::kUnknown;
      else
        scaled.most = a->most * static_cast<u64>(factor);
      return scaled;
    }
    case llvm::Instruction::ZExt:
    case llvm::Instruction::SExt: {
      const auto a = operand(0);
      const bool widens = inst->getOperand(0)->getType()->isIntegerTy(32);
      return widens && a && !a->wraps() ? a : std::nullopt;
    }
    default:
      return std::nullopt;
  }
}

}  // namespace

bool Pattern::wraps() const {
  const auto [least, largest] = std::ranges::minmax(offsets);
  return least < 0 || sum(most, static_cast<u64>(largest)) >= u64{1} << 31;
}

std::optional<Pattern> pattern_of(const llvm::Value* value, const Shapes& shapes) {
  return compute(value, shapes, 0);
}

}  // namespace heddle::jit
