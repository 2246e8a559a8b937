// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <algorithm>
#include <array>
#include <optional>

#include "isa/sem/warp_shuffle.h"
#include "jit/llvm/scalar.h"

namespace heddle::jit {

using ShuffleSources = std::array<sem::ShuffleSource, kLanes>;

/// The source of each lane of a shfl (9.7.9.5). Nothing where a source is not a constant, or the
/// warp_op is another instruction.
inline std::optional<ShuffleSources> shuffle_sources(const llvm::CallInst& call, const Site& site) {
  if (!is_shuffle(site)) return std::nullopt;
  const auto* b = llvm::dyn_cast<llvm::ConstantInt>(call.getArgOperand(2));
  const auto* c = llvm::dyn_cast<llvm::ConstantInt>(call.getArgOperand(3));
  if (!b || !c) return std::nullopt;
  ShuffleSources sources;
  for (u32 lane = 0; lane < kLanes; ++lane)
    sources[lane] = sem::shuffle_source(static_cast<sem::Shflmode>(site.runtime[0]), lane,
                                        static_cast<u32>(b->getZExtValue()),
                                        static_cast<u32>(c->getZExtValue()));
  return sources;
}

/// The lane whose value a shfl gives to all lanes of the warp. Nothing where there are several, or
/// the compiler does not know it.
inline std::optional<u32> broadcast_lane(const llvm::CallInst& call, const Site& site) {
  const auto sources = shuffle_sources(call, site);
  if (!sources) return std::nullopt;
  const u32 lane = sources->front().lane;
  const auto is_same = [&](const sem::ShuffleSource& source) {
    return source.lane == lane && source.in_range;
  };
  return std::ranges::all_of(*sources, is_same) ? std::optional(lane) : std::nullopt;
}

}  // namespace heddle::jit
