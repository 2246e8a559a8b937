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

/// The mnemonic and the operands by name. An operand whose type is not in the mnemonic is followed
/// by a colon and its type; optional operands are in braces.
std::string spell(const Form& form, std::span<const u8> slot_values);

}  // namespace heddle::isa
