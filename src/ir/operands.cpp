// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ir/operands.h"

namespace heddle::ir {

const Operand& operand_of(const Function& function, const Inst& inst, std::string_view name) {
  const auto specs = inst.get_form().operands;
  for (u32 i = 0; i < specs.size() && i < inst.operands.count; ++i) {
    if (specs[i].name == name) return operand_of(function, inst, i);
  }
  static const Operand none;
  return none;
}

u8 slot_of(const Inst& inst, std::string_view name) {
  const auto slots = inst.get_form().slots;
  for (u32 i = 0; i < slots.size(); ++i) {
    if (slots[i].name == name) return inst.slots[i];
  }
  return 0;
}

}  // namespace heddle::ir
