// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "isa/spell.h"

#include <fmt/format.h>

#include <algorithm>

namespace heddle::isa {
namespace {

/// The word that a slot holds, or kNoWord.
u16 word_of(const Slot& slot, u8 value) {
  if (slot.kind == SlotKind::derived) return kNoWord;
  if (slot.kind == SlotKind::word) return slot.choices[0].word;
  const auto choice = std::ranges::find(slot.choices, value, &Choice::value);
  return value == 0 || choice == slot.choices.end() ? kNoWord : choice->word;
}

bool names_type(const Form& form, std::span<const u8> values, Type type) {
  for (std::size_t i = 0; i < form.slots.size(); ++i) {
    const u16 word = word_of(form.slots[i], values[i]);
    if (word != kNoWord && find_type(word_text(word)) == type) return true;
  }
  return false;
}

std::string spell_operand(const Form& form, const OperandSpec& operand,
                          std::span<const u8> values) {
  std::string text(operand.name);
  if (operand.kind == OperandKind::list) return fmt::format("({})", text);
  if (operand.kind == OperandKind::sink) return "_";
  if (is_vector(form, operand, values)) {
    const u32 length = vector_length(form, operand, values);
    constexpr u32 kShown = 4;
    text = "{";
    for (u32 i = 0; i < std::min(length, kShown); ++i)
      text += fmt::format("{}{}{}", i ? ", " : "", operand.name, i);
    if (length > kShown) text += fmt::format(", ... {}{}", operand.name, length - 1);
    text += "}";
  }
  if (operand.kind != OperandKind::value) return text;
  const Type type = operand_type(operand, values);
  if (type != Type::none && !names_type(form, values, type))
    text += fmt::format(":{}", type_info(type).name);
  return text;
}

}  // namespace

std::string spell_mnemonic(const Form& form, std::span<const u8> slot_values) {
  std::string text(form.opcode);
  for (std::size_t i = 0; i < form.slots.size(); ++i) {
    if (form.slots[i].kind == SlotKind::at_operand) continue;
    const u16 word = word_of(form.slots[i], slot_values[i]);
    if (word != kNoWord) text += fmt::format(".{}", word_text(word));
  }
  return text;
}

std::string spell(const Form& form, std::span<const u8> slot_values) {
  std::string text = spell_mnemonic(form, slot_values);
  bool first = true, in_address = false;
  std::string closing;  // closing braces of optional operands
  for (const OperandSpec& operand : form.operands) {
    if (operand.kind == OperandKind::lanes || !is_present(operand, slot_values)) continue;
    const std::string one = spell_operand(form, operand, slot_values);
    if (in_address && !operand.bracketed) {
      text += ']';
      in_address = false;
    }
    if (operand.pair_second) {
      text += operand.optional ? fmt::format("{{|{}}}", one) : '|' + one;
      continue;
    }
    text += operand.optional ? (first ? " {" : "{, ") : (first ? " " : ", ");
    if (operand.optional) closing += '}';
    first = false;
    if (operand.kind == OperandKind::address) {
      text += '[';
      in_address = true;
    }
    text += one;
  }
  if (in_address) text += ']';
  return text + closing;
}

}  // namespace heddle::isa
