// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Rules for copies and memsets that make the host wait. Driver API 2 (API synchronization
// behavior):
//
//   function      from                to                   returns
//   synchronous   host memory         device memory        when the source may be changed
//                 device memory       host memory          when the copy is done
//                 device memory       device memory        at once
//                 host memory         host memory          when the copy is done
//   asynchronous  pageable memory     device memory        when the source may be changed
//                 device memory       pageable memory      when the copy is done
//                 host memory         host memory          when the copy is done
//                 anything else                            at once
//   memset                            page-locked or       when it is done
//                                     managed memory
//                                     device memory        at once
//   memset, asynchronous                                   at once
//
// A synchronous copy from or to managed memory is also done when it returns, because the host may
// access managed memory at any time. CU_CTX_SYNC_MEMOPS and CU_POINTER_ATTRIBUTE_SYNC_MEMOPS make
// every synchronous function wait.
#pragma once

#include "base/types.h"

namespace heddle::driver {

class Context;

/// Whether the address lies in memory that the program has neither allocated by the driver nor
/// registered.
bool is_pageable(u64 address);
/// Whether the address lies in memory of the host, pageable or page-locked.
bool is_host_memory(u64 address);
/// Whether a synchronous function that reads or writes memory at `address` waits for its end.
bool waits_for(const Context& context, u64 address);

}  // namespace heddle::driver
