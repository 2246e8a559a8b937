// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See host_sync.h.
#include "driver/core/memory/host_sync.h"

#include "driver/core/context/context.h"
#include "driver/core/memory/allocation.h"

namespace heddle::driver {

bool is_pageable(u64 address) {
  return !is_device_address(address) && !allocations().find(address);
}

bool is_host_memory(u64 address) {
  const auto found = allocations().find(address);
  return found ? found->is_host() : !is_device_address(address);
}

bool waits_for(const Context& context, u64 address) {
  if (context.flags() & CU_CTX_SYNC_MEMOPS) return true;
  const auto found = describe_memory(address);
  return found ? found->is_host() || found->is_managed() || found->sync_memops
               : !is_device_address(address);
}

}  // namespace heddle::driver
