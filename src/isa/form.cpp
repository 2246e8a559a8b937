// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Look-ups in the form table, and the properties of a form's operands for given slot values.

#include "isa/form.h"

#include <algorithm>

#include "base/check.h"
#include "isa/tables.h"

namespace heddle::isa {

std::span<const Form> forms_of(std::string_view opcode) {
  int index = tables::find_in(tables::opcode_hash(), opcode, [](int i) { return opcodes()[i]; });
  if (index < 0) return {};
  std::span<const u16> first = tables::opcode_first();
  return forms().subspan(first[index], first[index + 1] - first[index]);
}

int find_word(std::string_view text) {
  return tables::find_in(tables::word_hash(), text, [](int i) { return tables::words()[i]; });
}

std::string_view word_text(u16 word) {
  return word < tables::words().size() ? tables::words()[word] : std::string_view();
}

Type find_type(std::string_view name) {
  int index =
      tables::find_in(tables::type_hash(), name, [](int i) { return kTypeInfos[i + 1].name; });
  return static_cast<Type>(index + 1);
}

Type operand_type(const OperandSpec& operand, std::span<const u8> slot_values) {
  return operand.type_slot < 0 ? operand.type : static_cast<Type>(slot_values[operand.type_slot]);
}

namespace {

std::string_view written_word(const Slot& slot, u8 value) {
  for (const Choice& choice : slot.choices)
    if (choice.value == value) return word_text(choice.word);
  return {};
}

}  // namespace

u8 vector_length(const Form& form, const OperandSpec& operand, std::span<const u8> slot_values) {
  if (operand.vector_slot < 0) return operand.vector_length;
  const Slot& slot = form.slots[operand.vector_slot];
  u8 value = slot_values[operand.vector_slot];
  if (slot.kind == SlotKind::derived) return value;
  int length = 0;
  for (char c : written_word(slot, value))
    if (c >= '0' && c <= '9') length = length * 10 + (c - '0');
  return length == 0 ? 1 : static_cast<u8>(length);
}

bool is_vector(const Form& form, const OperandSpec& operand, std::span<const u8> slot_values) {
  if (operand.vector_slot < 0) return operand.vector;
  return form.slots[operand.vector_slot].kind == SlotKind::derived ||
         slot_values[operand.vector_slot] != 0;
}

bool holds(const Condition& condition, std::span<const u8> slot_values) {
  bool found =
      std::ranges::find(condition.values, slot_values[condition.slot]) != condition.values.end();
  return found != condition.negated;
}

bool all_hold(std::span<const Condition> conditions, std::span<const u8> slot_values) {
  return std::ranges::all_of(conditions, [&](const Condition& c) { return holds(c, slot_values); });
}

bool is_present(const OperandSpec& operand, std::span<const u8> slot_values) {
  return all_hold(operand.present, slot_values);
}

u32 dispatch_index(const Form& form, std::span<const u8> slot_values) {
  const bool has_function =
      form.sem_kind == SemKind::lane || form.sem_kind == SemKind::warp || !form.applies.empty();
  if (!has_function) return kNoDispatch;
  u32 index = 0;
  for (u8 slot_index : form.dispatch_slots) {
    const Slot& slot = form.slots[slot_index];
    u8 value = slot_values[slot_index];
    auto choice = std::ranges::find(slot.choices, value, &Choice::value);
    bool absent = !slot.required && value == 0;
    HEDDLE_CHECK(absent || choice != slot.choices.end());
    u32 position =
        absent ? 0 : static_cast<u32>(choice - slot.choices.begin()) + (slot.required ? 0 : 1);
    index = index * static_cast<u32>(slot.choices.size() + (slot.required ? 0 : 1)) + position;
  }
  return form.dispatch_base + index;
}

}  // namespace heddle::isa
