// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Occupancy: the number of blocks of a kernel that fit on one multiprocessor of the device profile.
// Driver API 6.25. Heddle's speed does not depend on it. Programs choose block and grid sizes by
// it, and it limits cooperative launches.
#pragma once

#include <functional>

#include "driver/core/module/module.h"

namespace heddle::driver {

/// The number of blocks that fit on a multiprocessor; 0 when not even one does.
int blocks_per_multiprocessor(const Function& function, u64 threads, u64 dynamic_shared);

struct BlockChoice {
  u64 threads = 0;
  int blocks_per_multiprocessor = 0;
};
/// The largest block of whole warps with which a multiprocessor holds most threads. `limit`:
/// threads per block; 0: as many as the kernel allows. `dynamic_shared(threads)`: bytes of dynamic
/// shared memory of a block with that many threads.
BlockChoice best_block(const Function& function, u64 limit,
                       const std::function<u64(u64)>& dynamic_shared);

/// Bytes of dynamic shared memory that each of `blocks` blocks on a multiprocessor may have.
u64 dynamic_shared_for(const Function& function, u64 blocks);

}  // namespace heddle::driver
