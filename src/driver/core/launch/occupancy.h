// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How many blocks of a kernel the device profile lets live on one multiprocessor. Driver API 6.25.
// Heddle's own speed does not depend on it; programs choose block and grid sizes by it, and a
// cooperative launch must fit.
#pragma once

#include <functional>

#include "driver/core/module/module.h"

namespace heddle::driver {

/// 0 when not even one block fits.
int blocks_per_multiprocessor(const Function& function, u64 threads, u64 dynamic_shared);

struct BlockChoice {
  u64 threads = 0;
  int blocks_per_multiprocessor = 0;
};
/// The largest block of whole warps that keeps most threads on a multiprocessor. `limit` 0: as
/// large as the kernel allows. `dynamic_shared(threads)`: bytes that a block of that size asks for.
BlockChoice best_block(const Function& function, u64 limit,
                       const std::function<u64(u64)>& dynamic_shared);

/// Bytes of dynamic shared memory that each of `blocks` blocks on a multiprocessor may have.
u64 dynamic_shared_for(const Function& function, u64 blocks);

}  // namespace heddle::driver
