// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A form as one would write it in PTX: `shfl.sync.down.b32 d|p, a, b, c, m`.
#pragma once

#include <span>
#include <string>

#include "isa/form.h"

namespace heddle::isa {

/// The opcode and the modifiers that the slots hold, in canonical order.
std::string spell_mnemonic(const Form& form, std::span<const u8> slot_values);

/// The mnemonic and the operands by name. An operand whose type is none of the mnemonic's has it
/// behind a colon; what may be missing stands in braces.
std::string spell(const Form& form, std::span<const u8> slot_values);

}  // namespace heddle::isa
