// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "jit/llvm/vector/warp_operations.h"

#include <llvm/IR/Instructions.h>

#include <algorithm>

#include "base/check.h"
#include "jit/llvm/analysis/branch_weights.h"
#include "jit/llvm/vector/matrix_accesses.h"
#include "jit/llvm/vector/shuffles.h"

namespace heddle::jit {

/// A shfl by which all lanes of a warp get the value of one. That lane may be inactive and its
/// value poison, and a branch may depend on the result.
void WarpOperations::emit_broadcast(llvm::CallInst& call, u32 lane) {
  LaneValue all{shapes_.of(&call), {}, {}};
  for (unsigned h = 0; h < halves_; h += kHalves) {
    llvm::Value* half = values_.vector(call.getArgOperand(1), h + lane / kHalf);
    all.scalars[h] = builder_.CreateFreeze(builder_.CreateExtractElement(half, lane % kHalf));
    if (!call.getType()->isStructTy()) continue;
    llvm::Value* pair = llvm::PoisonValue::get(call.getType());
    pair = builder_.CreateInsertValue(pair, all.scalars[h], 0);
    all.scalars[h] = builder_.CreateInsertValue(pair, builder_.getTrue(), 1);
  }
  values_.define(call, all);
}

/// A shfl whose source lanes are constants.
bool WarpOperations::emit_shuffle(llvm::CallInst& call, const Site& site) {
  if (const auto lane = broadcast_lane(call, site)) {
    emit_broadcast(call, *lane);
    return true;
  }
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
    both[h] =
        builder_.CreateShuffleVector(values_.vector(a, begin), values_.vector(a, begin + 1), from);
    if (!call.getType()->isStructTy()) continue;
    llvm::Value* pair = llvm::PoisonValue::get(vector_of(call.getType()));
    pair = builder_.CreateInsertValue(pair, both[h], 0);
    both[h] = builder_.CreateInsertValue(pair, llvm::ConstantVector::get(inside), 1);
  }
  values_.define(call, both);
  return true;
}

void WarpOperations::emit_movmatrix(llvm::CallInst& call) {
  Halves both{};
  for (unsigned h = 0; h < halves_; h += kHalves) {
    const auto source = [&](unsigned half) {
      return builder_.CreateFreeze(values_.vector(call.getArgOperand(1), h + half));
    };
    const MatrixRegister transposed = transposed_matrix(builder_, {source(0), source(1)});
    std::copy(transposed.begin(), transposed.end(), both.begin() + h);
  }
  values_.define(call, both);
}

void WarpOperations::check_members(llvm::CallInst& call, const Halves& mask) {
  llvm::Value* members = call.getArgOperand(call.arg_size() - 1);
  if (const auto* known = llvm::dyn_cast<llvm::Constant>(members); known && known->isAllOnesValue())
    return;
  Halves strangers{};
  for (unsigned h = 0; h < halves_; ++h) {
    std::vector<llvm::Constant*> own;
    for (unsigned lane = 0; lane < kHalf; ++lane)
      own.push_back(builder_.getInt32(1u << (h % kHalves * kHalf + lane)));
    llvm::Value* named = builder_.CreateAnd(builder_.CreateFreeze(values_.vector(members, h)),
                                            llvm::ConstantVector::get(own));
    llvm::Value* stranger =
        builder_.CreateICmpEQ(named, llvm::Constant::getNullValue(named->getType()));
    strangers[h] = builder_.CreateAnd(mask[h], stranger);
  }
  Block *ask = new_block("strangers"), *next = new_block("named");
  expect(builder_.CreateCondBr(builder_.CreateNot(masks_.any(strangers)), next, ask));
  go_to(ask);
  function_.for_each_warp([&](unsigned warp) {
    runtime_.pass_operand(members, 0, warp);
    runtime_.call(HelperId::members, call.getArgOperand(0), mask, warp);
  });
  builder_.CreateBr(next);
  go_to(next);
}

void WarpOperations::emit(llvm::CallInst& call, const Site& site, const Halves& mask) {
  using isa::SemId;
  const bool uniform = shapes_.of(&call).is_uniform();
  llvm::Value* here = masks_.warp_bits(mask);
  llvm::Value* takes_part = here;
  // In other cases the run-time checks the membermask with the rest.
  if (site.has_members && (uniform || shuffle_sources(call, site))) {
    check_members(call, mask);
    if (uniform && !is_shuffle(site))
      takes_part =
          builder_.CreateAnd(here, values_.scalar(call.getArgOperand(call.arg_size() - 1)));
  }
  switch (site.sem) {
    case SemId::activemask:
      return values_.define_uniform(call, here);
    case SemId::ballot:
      if (!uniform) break;
      return values_.define_uniform(
          call, builder_.CreateAnd(takes_part, runtime_.lane_bits(call.getArgOperand(1))));
    case SemId::vote: {
      if (!uniform) break;
      llvm::Value* set = builder_.CreateAnd(takes_part, runtime_.lane_bits(call.getArgOperand(1)));
      llvm::Value* all = builder_.CreateICmpEQ(set, takes_part);
      llvm::Value* some = builder_.CreateICmpNE(set, builder_.getInt32(0));
      const auto mode = static_cast<sem::Votemode>(site.runtime[0]);
      return values_.define_uniform(call, mode == sem::Votemode::all ? all
                                          : mode == sem::Votemode::any
                                              ? some
                                              : builder_.CreateOr(all, builder_.CreateNot(some)));
    }
    case SemId::movmatrix:
      return emit_movmatrix(call);
    case SemId::shuffle:
      if (emit_shuffle(call, site)) return;
      break;
    default:
      break;
  }
  for (u32 i = 1; i < call.arg_size(); ++i) runtime_.pass_operand(call.getArgOperand(i), i - 1);
  runtime_.call(HelperId::warp_op, call.getArgOperand(0), mask);
  runtime_.take_results(call, site.first_result);
}

}  // namespace heddle::jit
