// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ir/registers.h"

#include <algorithm>

#include "ir/operands.h"

namespace heddle::ir {

InstRegisters registers_of(const Function& function, const Inst& inst) {
  InstRegisters all;
  const isa::Form& form = inst.get_form();
  const auto add = [](std::vector<RegId>& to, u32 id) {
    if (std::find(to.begin(), to.end(), RegId(id)) == to.end()) to.push_back(RegId(id));
  };
  const auto see = [&](const Operand& one, u32 index) {
    if (one.kind != OperandKind::reg) return;
    const bool carry = index >= form.operands.size();
    const bool written = carry || form.operands[index].written;
    if (written) add(all.written, one.id);
    if (carry || !written || form.operands[index].also_read) add(all.read, one.id);
  };
  for (u32 i = 0; i < inst.operands.count; ++i) {
    for (const Operand& one : elements_of(function, operand_of(function, inst, i))) see(one, i);
  }
  return all;
}

}  // namespace heddle::ir
