// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The special registers (PTX ISA chapter 10) as far as all lanes of a warp have them alike.
#pragma once

#include "isa/special_registers.h"
#include "machine/engine.h"

namespace heddle::machine {

/// What the special registers of one warp depend on.
struct WarpIdentity {
  const Launch* launch;
  Dim3 cta;
  u64 cta_index = 0;
  u32 warp = 0;
  u32 worker = 0;
};

/// The value of a special register that all lanes of the warp have alike.
u64 uniform_value(const WarpIdentity& identity, isa::SpecialRegister reg, u32 component);

}  // namespace heddle::machine
