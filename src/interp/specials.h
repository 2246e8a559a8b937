// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The special registers (PTX ISA chapter 10) as lanes of a warp. A register that does not change
// while a warp runs is filled once for its scope; each instruction that names a clock or a counter
// reads it again.
#pragma once

#include "isa/special_registers.h"
#include "machine/special_values.h"

namespace heddle::interp {

using machine::uniform_value;
using machine::WarpIdentity;

/// The part of a launch in which a value is the same.
enum class Scope : u8 {
  launch,
  cta,
  warp,     ///< lanes or warps differ, but it does not change while the warp runs
  instant,  ///< it may change at any time
};

Scope scope_of(isa::SpecialRegister reg);

/// Writes the 32 lanes of one special register to `out` (`bytes` a lane; 0: predicate bits).
void fill_special(const WarpIdentity& identity, isa::SpecialRegister reg, u32 component, u32 bytes,
                  u8* out);

}  // namespace heddle::interp
