// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a warp function may know beside its operands: the device, the warp and its shared memory.
#pragma once

#include "base/types.h"
#include "isa/tensor_core.h"

namespace heddle::isa {

struct WarpContext {
  const TensorCore& core;
  u32 warp;  ///< number in the CTA
  const u8* shared;
  u32 shared_bytes;
  /// Set by fail(): the access that is not legal; the instruction has no results.
  bool failed = false;
  u32 address = 0;

  void fail(u32 where) {
    if (!failed) address = where;
    failed = true;
  }
};

}  // namespace heddle::isa
