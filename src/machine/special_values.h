// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The special registers (PTX ISA chapter 10) that are uniform in a warp.
#pragma once

#include "isa/special_registers.h"
#include "machine/engine.h"

namespace heddle::machine {

/// The place of a warp, on which its special registers depend.
struct WarpIdentity {
  const Launch* launch;
  Dim3 cta;
  u64 cta_index = 0;
  u32 warp = 0;
  u32 worker = 0;
};

/// The value of a special register that is uniform in the warp.
u64 uniform_value(const WarpIdentity& identity, isa::SpecialRegister reg, u32 component);

}  // namespace heddle::machine
