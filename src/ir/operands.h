// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The operands and slots of one instruction, by the names that its form gives them.
#pragma once

#include <span>
#include <string_view>

#include "ir/module.h"

namespace heddle::ir {

inline const Operand& operand_of(const Function& function, const Inst& inst, u32 index) {
  return function.operands[inst.operands.first + index];
}
/// The operand that the form calls `name`, or one of kind none.
const Operand& operand_of(const Function& function, const Inst& inst, std::string_view name);
/// The value of the slot that the form calls `name`; 0: the form has no such slot.
u8 slot_of(const Inst& inst, std::string_view name);

/// The elements of a vector operand; of any other operand, the operand itself.
inline std::span<const Operand> elements_of(const Function& function, const Operand& operand) {
  if (operand.kind == OperandKind::vector)
    return std::span(function.operands).subspan(operand.id, operand.value);
  return {&operand, 1};
}

}  // namespace heddle::ir
