// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See table.h.
#include "driver/core/table.h"

#include <atomic>

namespace heddle::driver {

std::uintptr_t next_handle() {
  static std::atomic<std::uintptr_t> next{0x100000};
  return next.fetch_add(16, std::memory_order_relaxed);
}

}  // namespace heddle::driver
