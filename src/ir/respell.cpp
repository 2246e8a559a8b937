// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ir/respell.h"

#include "isa/match.h"

namespace heddle::ir {

std::vector<std::string_view> modifiers(const Inst& inst) {
  const isa::Form& form = inst.get_form();
  std::vector<std::string_view> words;
  for (std::size_t i = 0; i < form.slots.size(); ++i) {
    const isa::Slot& slot = form.slots[i];
    if (slot.kind == isa::SlotKind::at_operand) continue;
    for (const isa::Choice& choice : slot.choices) {
      if (choice.value == inst.slots[i] && choice.word != isa::kNoWord)
        words.push_back(isa::word_text(choice.word));
    }
  }
  return words;
}

bool respell(Inst& inst, std::string_view opcode, std::span<const std::string_view> modifiers) {
  std::vector<u16> words;
  for (const std::string_view modifier : modifiers) {
    const int word = isa::find_word(modifier);
    words.push_back(word < 0 ? isa::kNoWord : static_cast<u16>(word));
  }
  for (const isa::Candidate& candidate : isa::match(opcode, words).candidates) {
    if (candidate.form->operands.size() != inst.operands.count) continue;
    inst.form = candidate.form->id;
    inst.slots = candidate.values;
    return true;
  }
  return false;
}

}  // namespace heddle::ir
