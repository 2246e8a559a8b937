// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The registers that one instruction reads and writes; an engine passes them to the fallback
// engine.
#pragma once

#include "ir/module.h"

namespace heddle::ir {

/// Each register occurs once, in the order of the operands.
struct InstRegisters {
  std::vector<RegId> read, written;
};
/// The result does not contain the guard.
InstRegisters registers_of(const Function& function, const Inst& inst);

}  // namespace heddle::ir
