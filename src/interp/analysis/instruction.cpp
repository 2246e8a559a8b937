// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "interp/analysis/instruction.h"

#include "ir/strength.h"

namespace heddle::interp {

std::string_view space_of(const ir::Function& function, const ir::Inst& inst,
                          const Operand& operand) {
  if (!operand.is_address) return {};
  const isa::Form& form = inst.get_form();
  const auto index = static_cast<std::size_t>(&operand - &function.operands[inst.operands.first]);
  if (index >= form.operands.size()) return {};
  const isa::OperandSpec& spec = form.operands[index];
  if (spec.space_slot < 0) return spec.space;
  const auto slot = static_cast<u8>(spec.space_slot);
  for (const isa::Choice& choice : form.slots[slot].choices) {
    if (choice.value == inst.slots[slot] && choice.word != isa::kNoWord)
      return isa::word_text(choice.word);
  }
  return {};
}

bool is_usual_access(const ir::Function& function, const ir::Inst& inst) {
  const Operand& a = ir::operand_of(function, inst, "a");
  const auto space = static_cast<ir::Space>(inst.space);
  return space != ir::Space::local && space != ir::Space::param && a.kind != OperandKind::local &&
         a.kind != OperandKind::special && a.kind != OperandKind::parameter &&
         !ir::is_strong_beyond_cluster(inst) && space_of(function, inst, a) != "shared::cluster";
}

}  // namespace heddle::interp
