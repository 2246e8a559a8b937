// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Turns an instruction into another one by its modifiers, so that a pass says `fma.rn.f32` and not
// which slots of which form that is.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "ir/module.h"

namespace heddle::ir {

/// The modifiers of the instruction, in canonical order.
std::vector<std::string_view> modifiers(const Inst& inst);

/// Makes `inst` the form of `opcode` with these modifiers that has as many operands. False, and
/// nothing changes, when there is none.
bool respell(Inst& inst, std::string_view opcode, std::span<const std::string_view> modifiers);

}  // namespace heddle::ir
