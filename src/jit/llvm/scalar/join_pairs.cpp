// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "jit/llvm/scalar/join_pairs.h"

#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/PatternMatch.h>
#include <llvm/Transforms/Utils/Local.h>

#include <map>
#include <optional>
#include <set>
#include <vector>

#include "base/types.h"

namespace heddle::jit {
namespace {

using namespace llvm::PatternMatch;

/// The halves of one word: values of 16 bits, or results of comparisons.
struct Pair {
  llvm::Value* low;
  llvm::Value* high;
  auto operator<=>(const Pair&) const = default;
};

class Joiner {
 public:
  explicit Joiner(llvm::Instruction& root) : root_(root), builder_(&root) {}

  /// Whether anything was joined.
  bool join() {
    llvm::Value *low = half_of(root_.getOperand(0), 0), *high = half_of(root_.getOperand(1), 16);
    if (!low || !high) {
      low = half_of(root_.getOperand(1), 0), high = half_of(root_.getOperand(0), 16);
    }
    const std::optional<int> gain = low && high ? gain_of({low, high}) : std::nullopt;
    const bool pays = gain && *gain > 0 && operations_;
    if (pays)
      root_.replaceAllUsesWith(builder_.CreateBitCast(joined({low, high}), root_.getType()));
    for (llvm::Value* made : made_) llvm::RecursivelyDeleteTriviallyDeadInstructions(made);
    if (pays) llvm::RecursivelyDeleteTriviallyDeadInstructions(&root_);
    return pays;
  }

 private:
  template <class T>
  T* keep(T* value) {
    made_.emplace_back(value);
    return value;
  }

  /// The 16 bits of a word from bit `at`, if its other bits are zero; null: they may not be.
  llvm::Value* half_of(llvm::Value* word, unsigned at) {
    llvm::Value *half = nullptr, *condition = nullptr, *other = nullptr;
    llvm::ConstantInt* number = nullptr;
    if (at == 0 && match(word, m_ZExt(m_Value(half))) && half->getType()->isIntegerTy(16))
      return half;
    if (at == 16 && match(word, m_Shl(m_Value(half), m_SpecificInt(16)))) {
      llvm::Value* inner = nullptr;
      if (match(half, m_ZExt(m_Value(inner))) && inner->getType()->isIntegerTy(16)) return inner;
      return keep(builder_.CreateTrunc(half, builder_.getInt16Ty()));
    }
    if (match(word, m_And(m_Value(half), m_SpecificInt(u64{0xffff} << at)))) {
      if (at) half = keep(builder_.CreateLShr(half, at));
      return keep(builder_.CreateTrunc(half, builder_.getInt16Ty()));
    }
    if (!match(word, m_Select(m_Value(condition), m_ConstantInt(number), m_Value(other))))
      return nullptr;
    const u64 bits = number->getZExtValue();
    llvm::Value* rest = bits & ~(u64{0xffff} << at) ? nullptr : half_of(other, at);
    if (!rest) return nullptr;
    return keep(
        builder_.CreateSelect(condition, builder_.getInt16(static_cast<u16>(bits >> at)), rest));
  }

  /// The word whose halves they are; null: none.
  static llvm::Value* word_of(const Pair& pair) {
    llvm::Value* word = nullptr;
    const bool halves = match(pair.low, m_Trunc(m_Value(word))) &&
                        match(pair.high, m_Trunc(m_Shr(m_Specific(word), m_SpecificInt(16))));
    return halves && word->getType()->isIntegerTy(32) && pair.low->getType()->isIntegerTy(16)
               ? word
               : nullptr;
  }

  /// Whether one instruction on a vector can replace both.
  static bool is_alike(const Pair& pair) {
    const auto* low = llvm::dyn_cast<llvm::Instruction>(pair.low);
    const auto* high = llvm::dyn_cast<llvm::Instruction>(pair.high);
    if (!low || !high || low == high || !low->isSameOperationAs(high)) return false;
    if (const auto* call = llvm::dyn_cast<llvm::IntrinsicInst>(low))
      return call->getIntrinsicID() == llvm::Intrinsic::fma ||
             call->getIntrinsicID() == llvm::Intrinsic::fabs;
    const auto narrow = [](const llvm::Value* operand) {
      const unsigned bits = operand->getType()->getPrimitiveSizeInBits();
      return bits == 16 || bits == 1;
    };
    return (low->isBinaryOp() && !low->isIntDivRem()) || low->isUnaryOp() ||
           ((llvm::isa<llvm::CmpInst, llvm::SelectInst>(low) ||
             low->getOpcode() == llvm::Instruction::BitCast) &&
            llvm::all_of(low->operand_values(), narrow));
  }
  static std::vector<Pair> operands_of(const Pair& pair) {
    const auto* low = llvm::cast<llvm::Instruction>(pair.low);
    const auto* high = llvm::cast<llvm::Instruction>(pair.high);
    const auto* call = llvm::dyn_cast<llvm::CallBase>(low);
    std::vector<Pair> pairs;
    for (unsigned i = 0; i < (call ? call->arg_size() : low->getNumOperands()); ++i)
      pairs.push_back({low->getOperand(i), high->getOperand(i)});
    return pairs;
  }

  /// The number of instructions that are saved; null: the pair cannot be joined.
  std::optional<int> gain_of(const Pair& pair) {
    if (pair.low->getType() != pair.high->getType()) return std::nullopt;
    if (const auto known = gains_.find(pair); known != gains_.end())
      return known->second ? std::optional(0) : std::nullopt;
    return gains_[pair] = first_gain_of(pair);
  }
  std::optional<int> first_gain_of(const Pair& pair) {
    if (llvm::isa<llvm::Constant>(pair.low) && llvm::isa<llvm::Constant>(pair.high)) return 0;
    if (word_of(pair)) return 2;
    if (const auto gain = is_alike(pair) ? gain_of_operation(pair) : std::nullopt) return gain;
    apart_.insert(pair);  // these halves have to be combined
    return pair.low->getType()->getPrimitiveSizeInBits() == 16 ? std::optional(-3) : std::nullopt;
  }
  std::optional<int> gain_of_operation(const Pair& pair) {
    int sum = llvm::isa<llvm::CastInst>(pair.low) ? 0 : 1;
    operations_ += sum;
    for (const Pair& operand : operands_of(pair)) {
      const std::optional<int> gain = gain_of(operand);
      if (!gain) return std::nullopt;
      sum += *gain;
    }
    return sum;
  }

  llvm::Value* joined(const Pair& pair) {
    llvm::Value*& made = vectors_[pair];
    if (!made) made = join(pair);
    return made;
  }
  llvm::Value* join(const Pair& pair) {
    auto* type = llvm::FixedVectorType::get(pair.low->getType(), 2);
    if (auto* low = llvm::dyn_cast<llvm::Constant>(pair.low)) {
      if (auto* high = llvm::dyn_cast<llvm::Constant>(pair.high))
        return llvm::ConstantVector::get({low, high});
    }
    if (llvm::Value* word = word_of(pair)) return builder_.CreateBitCast(word, type);
    if (apart_.count(pair)) {
      const auto bits = [&](llvm::Value* half) {
        return builder_.CreateZExt(builder_.CreateBitCast(half, builder_.getInt16Ty()),
                                   builder_.getInt32Ty());
      };
      llvm::Value* low = bits(pair.low);
      llvm::Value* high = pair.high == pair.low ? low : bits(pair.high);
      return builder_.CreateBitCast(builder_.CreateOr(low, builder_.CreateShl(high, 16)), type);
    }
    std::vector<llvm::Value*> operands;
    for (const Pair& operand : operands_of(pair)) operands.push_back(joined(operand));
    auto* low = llvm::cast<llvm::Instruction>(pair.low);
    if (auto* call = llvm::dyn_cast<llvm::IntrinsicInst>(low))
      return builder_.CreateIntrinsic(call->getIntrinsicID(), {type}, operands);
    if (auto* compare = llvm::dyn_cast<llvm::CmpInst>(low))
      return builder_.CreateCmp(compare->getPredicate(), operands[0], operands[1]);
    if (llvm::isa<llvm::SelectInst>(low))
      return builder_.CreateSelect(operands[0], operands[1], operands[2]);
    if (llvm::isa<llvm::CastInst>(low)) return builder_.CreateBitCast(operands[0], type);
    if (low->isUnaryOp())
      return builder_.CreateUnOp(static_cast<llvm::Instruction::UnaryOps>(low->getOpcode()),
                                 operands[0]);
    return builder_.CreateBinOp(static_cast<llvm::Instruction::BinaryOps>(low->getOpcode()),
                                operands[0], operands[1]);
  }

  llvm::Instruction& root_;
  llvm::IRBuilder<> builder_;
  std::vector<llvm::WeakTrackingVH> made_;
  std::map<Pair, std::optional<int>> gains_;
  std::set<Pair> apart_;
  std::map<Pair, llvm::Value*> vectors_;
  int operations_ = 0;
};

/// The half of which an f32 value is the extension; null: it may be another value.
llvm::Value* as_half(llvm::IRBuilder<>& builder, llvm::Value* value) {
  llvm::Type* type = builder.getHalfTy();
  if (auto* widening = llvm::dyn_cast<llvm::FPExtInst>(value))
    return widening->getSrcTy() == type ? widening->getOperand(0) : nullptr;
  if (auto* number = llvm::dyn_cast<llvm::ConstantFP>(value)) {
    llvm::APFloat half = number->getValueAPF();
    bool inexact = false;
    half.convert(llvm::APFloat::IEEEhalf(), llvm::APFloat::rmNearestTiesToEven, &inexact);
    return inexact && !half.isNaN() ? nullptr : llvm::ConstantFP::get(builder.getContext(), half);
  }
  auto* select = llvm::dyn_cast<llvm::SelectInst>(value);
  if (!select) return nullptr;
  llvm::Value* yes = as_half(builder, select->getTrueValue());
  llvm::Value* no = yes ? as_half(builder, select->getFalseValue()) : nullptr;
  return no ? builder.CreateSelect(select->getCondition(), yes, no) : nullptr;
}

/// A sum or product of halves that is rounded to f32 and then to a half has the same result as when
/// it is rounded once (isa/sem/half.h says why), NaNs included. True: the operation has no uses
/// left.
bool narrow(llvm::Instruction& inst) {
  switch (inst.getOpcode()) {
    case llvm::Instruction::FAdd:
    case llvm::Instruction::FSub:
    case llvm::Instruction::FMul:
      break;
    default:
      return false;
  }
  const auto is_narrowed = [](const llvm::User* user) {
    if (const auto* compare = llvm::dyn_cast<llvm::FCmpInst>(user))
      return compare->getPredicate() == llvm::FCmpInst::FCMP_UNO &&
             llvm::isa<llvm::ConstantFP>(compare->getOperand(1));
    return llvm::isa<llvm::FPTruncInst>(user) && user->getType()->isHalfTy();
  };
  if (!inst.getType()->isFloatTy() || !llvm::all_of(inst.users(), is_narrowed)) return false;
  llvm::IRBuilder<> builder(&inst);
  llvm::Value* a = as_half(builder, inst.getOperand(0));
  llvm::Value* b = a ? as_half(builder, inst.getOperand(1)) : nullptr;
  if (!b) return false;
  llvm::Value* half =
      builder.CreateBinOp(static_cast<llvm::Instruction::BinaryOps>(inst.getOpcode()), a, b);
  for (llvm::User* user : llvm::make_early_inc_range(inst.users())) {
    auto* old = llvm::cast<llvm::Instruction>(user);
    builder.SetInsertPoint(old);
    llvm::Value* fresh = half;
    if (llvm::isa<llvm::FCmpInst>(old))
      fresh = builder.CreateFCmpUNO(half, llvm::ConstantFP::getZero(half->getType()));
    old->replaceAllUsesWith(fresh);
    old->eraseFromParent();
  }
  return true;
}

}  // namespace

void join_pairs(llvm::Function& function) {
  std::vector<llvm::WeakTrackingVH> sums, roots;
  for (llvm::Instruction& inst : llvm::instructions(function)) {
    if (narrow(inst)) sums.emplace_back(&inst);
  }
  for (llvm::WeakTrackingVH& sum : sums) llvm::RecursivelyDeleteTriviallyDeadInstructions(sum);
  for (llvm::Instruction& inst : llvm::instructions(function)) {
    if (inst.getOpcode() == llvm::Instruction::Or && inst.getType()->isIntegerTy(32))
      roots.emplace_back(&inst);
  }
  // Users first: their operands may have no uses afterwards.
  for (const llvm::WeakTrackingVH& root : llvm::reverse(roots)) {
    if (root) Joiner(*llvm::cast<llvm::Instruction>(root)).join();
  }
}

}  // namespace heddle::jit
