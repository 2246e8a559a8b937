// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The registers of one instruction, for who hands it to somebody else.
#pragma once

#include "ir/module.h"

namespace heddle::ir {

/// Each once, in the order of the operands.
struct InstRegisters {
  std::vector<RegId> read, written;
};
/// Without the guard.
InstRegisters registers_of(const Function& function, const Inst& inst);

}  // namespace heddle::ir
