// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Turns an instruction into another one given by its modifiers, so that a pass can write
// `fma.rn.f32` instead of a form and its slots.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "ir/module.h"

namespace heddle::ir {

/// The modifiers of the instruction, in canonical order.
std::vector<std::string_view> modifiers(const Inst& inst);

/// Makes `inst` the form of `opcode` with these modifiers and the same number of operands. False,
/// and `inst` does not change, when there is no such form.
bool respell(Inst& inst, std::string_view opcode, std::span<const std::string_view> modifiers);

}  // namespace heddle::ir
