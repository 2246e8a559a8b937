// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The special registers (PTX ISA chapter 10) as lanes of a warp. Those that never change are filled
// in when a warp starts; clocks and counters are read anew by each instruction that names them.
#pragma once

#include "interp/program.h"
#include "machine/engine.h"

namespace heddle::interp {

/// What the special registers of one warp depend on.
struct WarpIdentity {
  const machine::Launch* launch;
  machine::Dim3 cta;
  u64 cta_index = 0;
  u32 warp = 0;
  u32 worker = 0;
};

/// True for registers that change while a warp runs.
bool is_dynamic(isa::SpecialRegister reg);

/// Writes the 32 lanes of one special register to `out` (`bytes` a lane; 0: predicate bits).
void fill_special(const WarpIdentity& identity, isa::SpecialRegister reg, u32 component, u32 bytes,
                  u8* out);

}  // namespace heddle::interp
