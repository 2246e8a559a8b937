// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The special registers (PTX ISA chapter 10) as lanes of a warp. Those that do not change while a
// warp runs are filled in once for their scope; clocks and counters are read anew by each
// instruction that names them.
#pragma once

#include "isa/special_registers.h"
#include "machine/special_values.h"

namespace heddle::interp {

using machine::uniform_value;
using machine::WarpIdentity;

/// For how much of a launch a value is one and the same.
enum class Scope : u8 {
  launch,
  cta,
  warp,     ///< the lanes differ or the warps do, but it does not change while the warp runs
  instant,  ///< it may change at any time
};

Scope scope_of(isa::SpecialRegister reg);

/// Writes the 32 lanes of one special register to `out` (`bytes` a lane; 0: predicate bits).
void fill_special(const WarpIdentity& identity, isa::SpecialRegister reg, u32 component, u32 bytes,
                  u8* out);

}  // namespace heddle::interp
