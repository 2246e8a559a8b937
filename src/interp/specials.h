// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The special registers (PTX ISA chapter 10) as lanes of a warp. Those that do not change while a
// warp runs are filled in once for their scope; clocks and counters are read anew by each
// instruction that names them.
#pragma once

#include "isa/special_registers.h"
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

/// For how much of a launch a value is one and the same.
enum class Scope : u8 {
  launch,
  cta,
  warp,     ///< the lanes differ or the warps do, but it does not change while the warp runs
  instant,  ///< it may change at any time
};

Scope scope_of(isa::SpecialRegister reg);

/// The value of a special register that all lanes of the warp have alike.
u64 uniform_value(const WarpIdentity& identity, isa::SpecialRegister reg, u32 component);

/// Writes the 32 lanes of one special register to `out` (`bytes` a lane; 0: predicate bits).
void fill_special(const WarpIdentity& identity, isa::SpecialRegister reg, u32 component, u32 bytes,
                  u8* out);

}  // namespace heddle::interp
