// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See occupancy.h.
#include "driver/core/launch/occupancy.h"

#include <algorithm>

#include "driver/core/context/context.h"
#include "driver/core/context/device.h"
#include "driver/core/module/module.h"

namespace heddle::driver {
namespace {

constexpr u64 kWarp = 32;

u64 whole_warps(u64 threads) { return (threads + kWarp - 1) / kWarp * kWarp; }

}  // namespace

int blocks_per_multiprocessor(const Function& function, u64 threads, u64 dynamic_shared) {
  const auto& profile = function.context()->device().profile;
  const u64 shared = function.static_shared_bytes() + dynamic_shared;
  if (threads == 0 || threads > function.max_threads() || shared > profile.shared_per_block_optin) {
    return 0;
  }
  const u64 by_threads = profile.max_threads_per_multiprocessor / whole_warps(threads);
  const u64 by_shared = profile.shared_per_multiprocessor /
                        std::max<u64>(shared + profile.reserved_shared_per_block, 1);
  return static_cast<int>(
      std::min({by_threads, by_shared, u64{profile.max_blocks_per_multiprocessor}}));
}

BlockChoice best_block(const Function& function, u64 limit,
                       const std::function<u64(u64)>& dynamic_shared) {
  const u64 most = limit ? std::min<u64>(limit, function.max_threads()) : function.max_threads();
  BlockChoice best;
  for (u64 size = whole_warps(most); size >= kWarp; size -= kWarp) {
    const u64 threads = std::min(size, most);
    const int blocks = blocks_per_multiprocessor(function, threads, dynamic_shared(threads));
    if (threads * static_cast<u64>(blocks) >
        best.threads * static_cast<u64>(best.blocks_per_multiprocessor)) {
      best = {threads, blocks};
    }
  }
  return best;
}

u64 dynamic_shared_for(const Function& function, u64 blocks) {
  const auto& profile = function.context()->device().profile;
  const u64 each = profile.shared_per_multiprocessor / blocks;
  const u64 taken = function.static_shared_bytes() + profile.reserved_shared_per_block;
  const u64 room = each > taken ? each - taken : 0;
  const u64 most = profile.shared_per_block_optin;
  return std::min(
      room, most > function.static_shared_bytes() ? most - function.static_shared_bytes() : 0);
}

}  // namespace heddle::driver
