// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "jit/llvm/vector/accesses.h"

#include <llvm/Analysis/VectorUtils.h>
#include <llvm/IR/Instructions.h>

#include <bit>

#include "base/check.h"
#include "jit/llvm/analysis/branch_weights.h"

namespace heddle::jit {
namespace {

/// Whether the host has one instruction for all elements of a strong access.
bool is_single_access(const Site& site) {
  const unsigned bytes = u32{site.bytes} * site.count;
  return bytes <= 8 && std::has_single_bit(bytes);
}

}  // namespace

/// Branches to one of two pieces of code, and joins their results.
Halves Accesses::either(llvm::Value* condition, const std::function<Halves()>& fast,
                        const std::function<Halves()>& slow) {
  Block* fast_block = new_block("straight");
  Block* slow_block = new_block("wrapped");
  Block* behind = new_block("behind");
  expect(builder_.CreateCondBr(condition, fast_block, slow_block));
  go_to(fast_block);
  const Halves a = fast();
  Block* fast_end = builder_.GetInsertBlock();
  builder_.CreateBr(behind);
  go_to(slow_block);
  const Halves b = slow();
  Block* slow_end = builder_.GetInsertBlock();
  builder_.CreateBr(behind);
  go_to(behind);
  Halves both{};
  for (unsigned h = 0; h < halves_ && a[h]; ++h) {
    llvm::PHINode* phi = builder_.CreatePHI(a[h]->getType(), 2);
    phi->addIncoming(a[h], fast_end);
    phi->addIncoming(b[h], slow_end);
    both[h] = phi;
  }
  return both;
}

/// Makes the access where its lanes are consecutive; the run-time makes it where they are not, or
/// where it is not legal.
Halves Accesses::if_consecutive(const llvm::CallInst& call, const AccessGroup& group, u64 distance,
                                const std::function<Halves()>& access,
                                const std::function<Halves()>& by_run_time) {
  const auto likely = [&] {
    prefetcher_.prefetch(call, group, distance);
    return access();
  };
  return group.consecutive ? either(group.consecutive, likely, by_run_time) : likely();
}

void Accesses::load(llvm::CallInst& call, const Site& site, const ActiveLanes& active) {
  const Halves& mask = active.mask;
  llvm::Type* element = builder_.getIntNTy(site.bytes * 8u);
  const unsigned count = site.count;
  if (site.ordered && !shapes_.of(&call).is_uniform()) {
    if (is_single_access(site))
      return values_.define(call, scattered_.access_lane_by_lane(call, mask));
    runtime_.pass_addresses(call);
    runtime_.call(HelperId::load, call.getArgOperand(0), mask);
    return runtime_.take_results(call);
  }
  const auto [group, distance] = checks_.checked(call, active);
  if (site.ordered) {
    const llvm::Align align(site.bytes);
    llvm::LoadInst* loaded = builder_.CreateAlignedLoad(
        element, windows_.pointer(group->host[0], distance), align, /*isVolatile=*/true);
    loaded->setAtomic(llvm::AtomicOrdering::Acquire);
    return values_.define_uniform(call, record_of({loaded}));
  }
  if (site.space == ir::Space::local) return local_.load(call, *group, distance, mask);
  if (group->layout != Layout::consecutive) prefetcher_.prefetch(call, *group, distance);
  const auto scalar = [&](llvm::Value* address) {
    std::vector<llvm::Value*> parts;
    for (unsigned i = 0; i < count; ++i)
      parts.push_back(builder_.CreateAlignedLoad(
          element, windows_.pointer(address, distance + u64{i} * site.bytes), llvm::Align(1)));
    return record_of(parts);
  };
  const auto consecutive = [&] { return vectors_.load_consecutive(call, *group, distance, mask); };
  const auto by_run_time = [&] {
    Halves both{};
    function_.for_each_warp([&](unsigned warp) {
      runtime_.pass_addresses(call, warp);
      runtime_.call(HelperId::load, call.getArgOperand(0), mask, warp);
      for (unsigned h = 0; h < kHalves; ++h) {
        std::vector<llvm::Value*> parts;
        for (unsigned i = 0; i < count; ++i) parts.push_back(runtime_.take_result(element, i, h));
        both[warp * kHalves + h] = record_of(parts);
      }
    });
    return both;
  };
  switch (group->layout) {
    case Layout::uniform:
      return values_.define_uniform(call, scalar(group->host[0]));
    case Layout::known_lanes:
      return values_.define(call, masks_.from_known_lanes(
                                      active, [&](unsigned i) { return scalar(group->host[i]); }));
    case Layout::uniform_parts: {
      LaneValue lanes;
      lanes.shape = shapes_.of(&call);
      for (unsigned h = 0; h < halves_; h += shapes_.halves_of(lanes.shape))
        lanes.scalars[h] = scalar(group->host[h]);
      values_.define(call, lanes);
      return;
    }
    case Layout::consecutive:
      return values_.define(call, if_consecutive(call, *group, distance, consecutive, by_run_time));
    case Layout::interleaved:
      return values_.define(call, vectors_.load_interleaved(*group, distance, mask));
    case Layout::permuted:
      return values_.define(call, vectors_.load_permuted(*group, distance, mask));
    case Layout::strided:
      return values_.define(call, vectors_.load_strided(call, *group, distance, mask));
    case Layout::scattered: {
      const auto scattered = [&] { return scattered_.access(call, *group, distance, mask); };
      return values_.define(call, group->consecutive
                                      ? either(group->consecutive, consecutive, scattered)
                                      : scattered());
    }
  }
}

void Accesses::store(llvm::CallInst& call, const Site& site, const ActiveLanes& active) {
  const Halves& mask = active.mask;
  const unsigned count = site.count;
  const auto value = [&](unsigned i) { return call.getArgOperand(2 + i); };
  const auto by_run_time = [&] {
    function_.for_each_warp([&](unsigned warp) {
      runtime_.pass_addresses(call, warp);
      for (u32 i = 0; i < count; ++i) runtime_.pass_operand(value(i), i, warp);
      runtime_.call(HelperId::store, call.getArgOperand(0), mask, warp);
    });
    return Halves{};
  };
  if (site.ordered) {
    if (is_single_access(site))
      scattered_.access_lane_by_lane(call, mask);
    else
      by_run_time();
    return;
  }
  const auto [group, distance] = checks_.checked(call, active);
  if (site.space == ir::Space::local) return local_.store(call, *group, distance, mask);
  if (group->layout != Layout::consecutive) prefetcher_.prefetch(call, *group, distance);
  const auto consecutive = [&] {
    vectors_.store_consecutive(call, *group, distance, mask);
    return Halves{};
  };
  const auto scalar = [&](llvm::Value* address, auto of) {
    for (unsigned i = 0; i < count; ++i)
      builder_.CreateAlignedStore(
          of(value(i)), windows_.pointer(address, distance + u64{i} * site.bytes), llvm::Align(1));
  };
  switch (group->layout) {
    case Layout::uniform:
      return scalar(group->host[0], [&](llvm::Value* stored) { return values_.scalar(stored); });
    case Layout::known_lanes:
      for (std::size_t i = 0; i < active.known.size(); ++i)
        scalar(group->host[i],
               [&](llvm::Value* stored) { return values_.lane(stored, active.known[i]); });
      return;
    case Layout::consecutive:
      if_consecutive(call, *group, distance, consecutive, by_run_time);
      return;
    case Layout::permuted:
      return vectors_.store_permuted(*group, distance, value(0), mask);
    case Layout::strided:
      return vectors_.store_strided(call, *group, distance, mask);
    case Layout::uniform_parts:
    case Layout::interleaved:
      HEDDLE_UNREACHABLE();
    case Layout::scattered: {
      const auto scattered = [&] { return scattered_.access(call, *group, distance, mask); };
      group->consecutive ? either(group->consecutive, consecutive, scattered) : scattered();
    }
  }
}

}  // namespace heddle::jit
