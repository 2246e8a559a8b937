// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What looks across the lanes of a warp (PTX ISA 9.7.9.5, 9.7.13), and how operands go to
// the run-time, and results come back, through Context.
#include <llvm/IR/Instructions.h>

#include "base/check.h"
#include "jit/llvm/analysis/branches.h"
#include "jit/llvm/vector/shuffles.h"
#include "jit/llvm/vector/vectorizer.h"

namespace heddle::jit {

llvm::Value* Vectorizer::operand_address(u32 number) {
  HEDDLE_CHECK(number < kHelperOperands);
  return field_address(offsetof(Context, operands) + number * sizeof(u64) * kLanes);
}

/// Writes a value to the given place of an array in Context.
void Vectorizer::hand_over(llvm::Value* value, std::size_t offset, unsigned place) {
  const u64 bytes = value->getType()->getPrimitiveSizeInBits() / 8;
  builder_.CreateAlignedStore(value, field_address(offset + place * bytes),
                              llvm::Align(std::min<u64>(bytes, 64)));
}

/// The addresses of a warp's lanes: in Context::addresses, or where they lie in a line that begins
/// somewhere, with an index perhaps that wraps around before it is widened, what the run-time finds
/// them by.
void Vectorizer::pass_addresses(llvm::CallInst& call, unsigned warp) {
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
      hand_over(all_here(address, warp * kHalves + h), offsetof(Context, addresses), h);
    return;
  }
  Site& site = jit::site_of(call, kernel_.sites);
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
    hand_over(first(address, half), offsetof(Context, lines), half / shared);
    if (widening)
      hand_over(first(widening->getOperand(0), half), offsetof(Context, indices), half / shared);
  }
}

/// A predicate as a word: bit i is lane i. Of lanes that did not come this way nothing is known,
/// which shall not be said of the whole word.
llvm::Value* Vectorizer::lane_bits(llvm::Value* predicate, unsigned warp) {
  Halves bits{};
  for (unsigned h = 0; h < halves_; ++h) bits[h] = builder_.CreateFreeze(all(predicate, h));
  return lane_mask(bits, warp);
}

void Vectorizer::pass_operand(llvm::Value* value, u32 number, unsigned warp) {
  llvm::Value* at = operand_address(number);
  if (value->getType()->isIntegerTy(1)) {
    builder_.CreateStore(lane_bits(value, warp), at);
    return;
  }
  for (unsigned h = 0; h < kHalves; ++h) {
    llvm::Value* half = builder_.CreateConstInBoundsGEP1_32(value->getType(), at, h * kHalf);
    builder_.CreateAlignedStore(all(value, warp * kHalves + h), half, llvm::Align(16));
  }
}

llvm::Value* Vectorizer::take_result(llvm::Type* type, u32 number, unsigned half) {
  llvm::Value* at = operand_address(number);
  if (type->isIntegerTy(1)) {
    llvm::Value* bits = builder_.CreateLoad(builder_.getInt32Ty(), at);
    bits = builder_.CreateTrunc(builder_.CreateLShr(bits, half * kHalf), builder_.getIntNTy(kHalf));
    return builder_.CreateBitCast(bits, vector_of(type));
  }
  at = builder_.CreateConstInBoundsGEP1_32(type, at, half * kHalf);
  return builder_.CreateAlignedLoad(vector_of(type), at, llvm::Align(16));
}

/// The results of the helper, as the call has them: one or several.
void Vectorizer::take_results(llvm::CallInst& call) {
  auto* record = llvm::dyn_cast<llvm::StructType>(call.getType());
  if (shapes_.of(&call).is_uniform()) {
    // The same in all lanes.
    const auto one = [&](llvm::Type* type, u32 number) -> llvm::Value* {
      llvm::Value* word = builder_.CreateLoad(type->isIntegerTy(1) ? builder_.getInt32Ty() : type,
                                              operand_address(number));
      return type->isIntegerTy(1) ? builder_.CreateICmpNE(word, builder_.getInt32(0)) : word;
    };
    llvm::Value* result = record ? llvm::PoisonValue::get(record) : one(call.getType(), 0);
    for (unsigned i = 0; record && i < record->getNumElements(); ++i)
      result = builder_.CreateInsertValue(result, one(record->getElementType(i), i), i);
    return define_uniform(call, result);
  }
  Halves both{};
  for (unsigned h = 0; h < halves_; ++h) {
    both[h] =
        record ? llvm::PoisonValue::get(vector_of(record)) : take_result(call.getType(), 0, h);
    for (unsigned i = 0; record && i < record->getNumElements(); ++i)
      both[h] =
          builder_.CreateInsertValue(both[h], take_result(record->getElementType(i), i, h), i);
  }
  define(call, both);
}

/// shfl from lanes that are known when compiling.
bool Vectorizer::emit_shuffle(llvm::CallInst& call, const Site& site) {
  const auto sources = shuffle_sources(call, site);
  if (!sources) return false;
  const u64 wanted = demanded_.lanes(&call);
  llvm::Value* a = call.getArgOperand(1);
  Halves both{};
  for (unsigned h = 0; h < halves_; ++h) {
    const unsigned begin = h / kHalves * kHalves;
    std::vector<int> from;
    std::vector<llvm::Constant*> inside;
    for (unsigned lane = 0; lane < kHalf; ++lane) {
      const auto& source = (*sources)[(h - begin) * kHalf + lane];
      from.push_back(wanted >> (h * kHalf + lane) & 1 ? static_cast<int>(source.lane)
                                                      : llvm::PoisonMaskElem);
      inside.push_back(builder_.getInt1(source.in_range));
    }
    both[h] = builder_.CreateShuffleVector(all(a, begin), all(a, begin + 1), from);
    if (!call.getType()->isStructTy()) continue;
    llvm::Value* pair = llvm::PoisonValue::get(vector_of(call.getType()));
    pair = builder_.CreateInsertValue(pair, both[h], 0);
    both[h] = builder_.CreateInsertValue(pair, llvm::ConstantVector::get(inside), 1);
  }
  define(call, both);
  return true;
}

/// Whether each lane is named by the membermask that is the call's last operand: the run-time knows
/// what becomes of it if not (machine/membermask.h).
void Vectorizer::check_members(llvm::CallInst& call, const Halves& mask) {
  llvm::Value* members = call.getArgOperand(call.arg_size() - 1);
  if (const auto* known = llvm::dyn_cast<llvm::Constant>(members); known && known->isAllOnesValue())
    return;
  Halves strangers{};
  for (unsigned h = 0; h < halves_; ++h) {
    std::vector<llvm::Constant*> own;
    for (unsigned lane = 0; lane < kHalf; ++lane)
      own.push_back(builder_.getInt32(1u << (h % kHalves * kHalf + lane)));
    llvm::Value* named =
        builder_.CreateAnd(builder_.CreateFreeze(all(members, h)), llvm::ConstantVector::get(own));
    llvm::Value* stranger =
        builder_.CreateICmpEQ(named, llvm::Constant::getNullValue(named->getType()));
    strangers[h] = builder_.CreateAnd(mask[h], stranger);
  }
  Block *ask = new_block("strangers"), *next = new_block("named");
  expect(builder_.CreateCondBr(builder_.CreateNot(any(strangers)), next, ask));
  go_to(ask);
  for_each_warp([&](unsigned warp) {
    pass_operand(members, 0, warp);
    call_helper(HelperId::members, call.getArgOperand(0), mask, warp);
  });
  builder_.CreateBr(next);
  go_to(next);
}

void Vectorizer::emit_warp_operation(llvm::CallInst& call, const Site& site, const Halves& mask) {
  using isa::SemId;
  const bool uniform = shapes_.of(&call).is_uniform();
  llvm::Value* here = lane_mask(mask);
  llvm::Value* takes_part = here;
  // Elsewhere the run-time does the rest, too.
  if (site.has_members && (uniform || shuffle_sources(call, site))) {
    check_members(call, mask);
    if (uniform)
      takes_part = builder_.CreateAnd(here, first(call.getArgOperand(call.arg_size() - 1)));
  }
  switch (site.sem) {
    case SemId::activemask:
      return define_uniform(call, here);
    case SemId::ballot:
    case SemId::ballot_sync:
      if (!uniform) break;
      return define_uniform(call, builder_.CreateAnd(takes_part, lane_bits(call.getArgOperand(1))));
    case SemId::vote:
    case SemId::vote_sync: {
      if (!uniform) break;
      llvm::Value* set = builder_.CreateAnd(takes_part, lane_bits(call.getArgOperand(1)));
      llvm::Value* all = builder_.CreateICmpEQ(set, takes_part);
      llvm::Value* some = builder_.CreateICmpNE(set, builder_.getInt32(0));
      const auto mode = static_cast<sem::Votemode>(site.runtime[0]);
      return define_uniform(call, mode == sem::Votemode::all ? all
                                  : mode == sem::Votemode::any
                                      ? some
                                      : builder_.CreateOr(all, builder_.CreateNot(some)));
    }
    case SemId::shuffle:
    case SemId::shuffle_sync:
      if (emit_shuffle(call, site)) return;
      break;
    default:
      break;
  }
  for (u32 i = 1; i < call.arg_size(); ++i) pass_operand(call.getArgOperand(i), i - 1);
  call_helper(HelperId::warp_op, call.getArgOperand(0), mask);
  take_results(call);
}

}  // namespace heddle::jit
