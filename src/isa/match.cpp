// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A form has a handful of slots, and a mnemonic at most a dozen words, so the search backtracks.
// Callers keep the result per distinct mnemonic, so the search need not be fast.

#include "isa/match_impl.h"

#include <algorithm>

namespace heddle::isa {

bool is_type(u16 word) { return find_type(word_text(word)) != Type::none; }

bool is_typed(const Slot& slot) {
  return std::ranges::any_of(slot.choices, [](const Choice& c) { return is_type(c.word); });
}

bool in_mnemonic(const Slot& slot) {
  return slot.kind != SlotKind::derived && slot.kind != SlotKind::at_operand;
}

u8 value_of(const Slot& slot, u16 word) {
  if (!in_mnemonic(slot)) return 0;
  auto choice = std::ranges::find(slot.choices, word, &Choice::word);
  return choice == slot.choices.end() ? 0 : choice->value;
}

bool must_be_written(const Slot& slot) { return slot.required && in_mnemonic(slot); }

bool is_passed(const Form& form, std::size_t slot, const Values& values) {
  const auto share_a_word = [](const Slot& a, const Slot& b) {
    return std::ranges::any_of(a.choices,
                               [&](const Choice& c) { return value_of(b, c.word) != 0; });
  };
  const bool typed = is_typed(form.slots[slot]);
  for (std::size_t i = slot + 1; i < form.slots.size(); ++i) {
    const Slot& later = form.slots[i];
    if (values[i] != 0 && (form.slots[slot].head || (typed && is_typed(later)) ||
                           share_a_word(form.slots[slot], later)))
      return true;
  }
  return false;
}

int first_missing(const Form& form, const Values& values) {
  for (std::size_t i = 0; i < form.slots.size(); ++i)
    if (values[i] == 0 && must_be_written(form.slots[i])) return static_cast<int>(i);
  return -1;
}

namespace {

bool place_words(const Form& form, Words words, bool complete, Values& values) {
  if (words.empty()) return !complete || first_missing(form, values) < 0;
  for (std::size_t i = 0; i < form.slots.size(); ++i) {
    u8 value = value_of(form.slots[i], words[0]);
    if (values[i] != 0 || value == 0 || is_passed(form, i, values)) continue;
    values[i] = value;
    if (place_words(form, words.subspan(1), complete, values)) return true;
    values[i] = 0;
  }
  return false;
}

bool row_fits(const Form& form, std::span<const u8> row, const Values& values) {
  for (std::size_t i = 0; i < row.size(); ++i) {
    u8 slot = form.row_slots[i];
    bool open = form.slots[slot].kind == SlotKind::derived;
    if (!open && row[i] != kAnyValue && row[i] != values[slot]) return false;
  }
  return true;
}

}  // namespace

bool place(const Form& form, Words words, Values& values) {
  return place_words(form, words, false, values);
}

bool fill(const Form& form, Words words, Values& values) {
  return place_words(form, words, true, values);
}

std::vector<Values> derive(const Form& form, const Values& values) {
  if (form.row_slots.empty()) return {values};
  std::vector<Values> ways;
  std::size_t width = form.row_slots.size();
  for (std::size_t at = 0; at < form.rows.size(); at += width) {
    std::span<const u8> row = form.rows.subspan(at, width);
    if (!row_fits(form, row, values)) continue;
    Values way = values;
    for (std::size_t i = 0; i < width; ++i)
      if (form.slots[form.row_slots[i]].kind == SlotKind::derived) way[form.row_slots[i]] = row[i];
    if (std::ranges::find(ways, way) == ways.end()) ways.push_back(way);
  }
  return ways;
}

const Rule* broken_rule(const Form& form, const Values& values) {
  for (const Rule& rule : form.rules)
    if (all_hold(rule.when, values) && !all_hold(rule.then, values)) return &rule;
  return nullptr;
}

Match match(std::string_view opcode, Words words) {
  Match result;
  std::span<const Form> forms = forms_of(opcode);
  for (const Form& form : forms) {
    Values values{};
    if (words.size() > form.slots.size() || !fill(form, words, values)) continue;
    for (const Values& way : derive(form, values))
      if (!broken_rule(form, way)) result.candidates.push_back({&form, way});
  }
  if (result.candidates.empty()) result.mismatch = explain(forms, words);
  return result;
}

}  // namespace heddle::isa
