// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A form has a handful of slots and at most a dozen words are written, so the search tries and
// backtracks. Callers keep the result per distinct mnemonic; nothing here needs to be fast.

#include "isa/match.h"

#include <algorithm>

namespace heddle::isa {
namespace {

using Values = std::array<u8, kMaxSlots>;
using Words = std::span<const u16>;

bool is_type(u16 word) { return find_type(word_text(word)) != Type::none; }

bool is_typed(const Slot& slot) {
  return std::ranges::any_of(slot.choices, [](const Choice& c) { return is_type(c.word); });
}

bool in_mnemonic(const Slot& slot) {
  return slot.kind != SlotKind::derived && slot.kind != SlotKind::at_operand;
}

/// The value that `word` stands for in `slot`, or 0.
u8 value_of(const Slot& slot, u16 word) {
  if (!in_mnemonic(slot)) return 0;
  auto choice = std::ranges::find(slot.choices, word, &Choice::word);
  return choice == slot.choices.end() ? 0 : choice->value;
}

bool must_be_written(const Slot& slot) { return slot.required && in_mnemonic(slot); }

bool share_a_word(const Slot& a, const Slot& b) {
  return std::ranges::any_of(a.choices, [&](const Choice& c) { return value_of(b, c.word) != 0; });
}

/// Types, and words that mean different things in different places (`.row.col`), fill their slots
/// from left to right: `slot` takes none when such a slot after it has one already.
bool is_passed(const Form& form, std::size_t slot, const Values& values) {
  const bool typed = is_typed(form.slots[slot]);
  for (std::size_t i = slot + 1; i < form.slots.size(); ++i) {
    const Slot& later = form.slots[i];
    if (values[i] != 0 && ((typed && is_typed(later)) || share_a_word(form.slots[slot], later)))
      return true;
  }
  return false;
}

/// Index of the first slot that must be written and is not, or -1.
int first_missing(const Form& form, const Values& values) {
  for (std::size_t i = 0; i < form.slots.size(); ++i)
    if (values[i] == 0 && must_be_written(form.slots[i])) return static_cast<int>(i);
  return -1;
}

/// Finds a slot for each of `words`.
bool fill(const Form& form, Words words, Values& values) {
  if (words.empty()) return first_missing(form, values) < 0;
  for (std::size_t i = 0; i < form.slots.size(); ++i) {
    u8 value = value_of(form.slots[i], words[0]);
    if (values[i] != 0 || value == 0 || is_passed(form, i, values)) continue;
    values[i] = value;
    if (fill(form, words.subspan(1), values)) return true;
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

/// Every way in which the rows allow `values`, with the derived slots filled.
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

// --- why nothing fits ---

/// How far the words get in a form that does not take them all.
struct Attempt {
  const Form* form;
  Values values{};
  std::vector<std::size_t> left_over{};  ///< indices of words without a slot
  int missing = 0;                       ///< number of slots that should have been written
  int distance() const { return static_cast<int>(left_over.size()) * 2 + missing; }
};

Attempt attempt(const Form& form, Words words) {
  Attempt result{.form = &form};
  for (std::size_t w = 0; w < words.size(); ++w) {
    bool placed = false;
    for (std::size_t i = 0; i < form.slots.size() && !placed; ++i) {
      u8 value = value_of(form.slots[i], words[w]);
      if (value == 0 || result.values[i] != 0 || is_passed(form, i, result.values)) continue;
      result.values[i] = value;
      placed = true;
    }
    if (!placed) result.left_over.push_back(w);
  }
  for (std::size_t i = 0; i < form.slots.size(); ++i)
    result.missing += result.values[i] == 0 && must_be_written(form.slots[i]);
  return result;
}

/// The open slot that a type was probably meant for, or -1.
int open_type_slot(const Attempt& attempt) {
  for (std::size_t i = 0; i < attempt.form->slots.size(); ++i)
    if (attempt.values[i] == 0 && is_typed(attempt.form->slots[i])) return static_cast<int>(i);
  return -1;
}

Mismatch explain(const Attempt& attempt, Words words) {
  using Reason = Mismatch::Reason;
  for (std::size_t w : attempt.left_over) {
    int word = static_cast<int>(w);
    int slot = is_type(words[w]) ? open_type_slot(attempt) : -1;
    if (slot >= 0) return {Reason::type, attempt.form, word, slot};
    bool twice = std::ranges::find(words.first(w), words[w]) != words.begin() + word;
    return {twice ? Reason::repeated : Reason::not_with_others, attempt.form, word};
  }
  int slot = first_missing(*attempt.form, attempt.values);
  if (slot >= 0) return {Reason::missing, attempt.form, -1, slot};
  return {Reason::combination, attempt.form};  // only the order of the types is wrong
}

/// The words that would complete the mnemonic, in the forms that are as near as the nearest.
std::vector<u16> wanted(std::span<const Form> forms, Words words, const Attempt& nearest) {
  std::vector<u16> result;
  for (const Form& form : forms) {
    const Attempt other = attempt(form, words);
    if (!other.left_over.empty() || other.missing != nearest.missing) continue;
    const Slot& slot = form.slots[static_cast<std::size_t>(first_missing(form, other.values))];
    for (const Choice& choice : slot.choices) {
      if (std::ranges::find(result, choice.word) == result.end()) result.push_back(choice.word);
    }
  }
  return result;
}

bool has_word(std::span<const Form> forms, u16 word) {
  for (const Form& form : forms)
    for (const Slot& slot : form.slots)
      if (value_of(slot, word) != 0) return true;
  return false;
}

/// A form takes all the words, but a row or a rule of it forbids the combination.
std::optional<Mismatch> forbidden(std::span<const Form> forms, Words words) {
  std::optional<Mismatch> result;
  for (const Form& form : forms) {
    Values values{};
    if (!fill(form, words, values)) continue;
    std::vector<Values> ways = derive(form, values);
    if (!ways.empty())  // a rule says more than a row
      return Mismatch{
          .reason = Mismatch::Reason::rule, .nearest = &form, .rule = broken_rule(form, ways[0])};
    if (!result) result = Mismatch{.reason = Mismatch::Reason::combination, .nearest = &form};
  }
  return result;
}

Mismatch explain(std::span<const Form> forms, Words words) {
  using Reason = Mismatch::Reason;
  if (forms.empty()) return {Reason::unknown_opcode};
  for (std::size_t w = 0; w < words.size(); ++w)
    if (words[w] == kNoWord) return {Reason::unknown_modifier, nullptr, static_cast<int>(w)};
  for (std::size_t w = 0; w < words.size(); ++w)
    if (!is_type(words[w]) && !has_word(forms, words[w]))
      return {Reason::not_of_opcode, nullptr, static_cast<int>(w)};
  if (auto mismatch = forbidden(forms, words)) return *mismatch;
  Attempt best = attempt(forms[0], words);
  for (const Form& form : forms.subspan(1)) {
    Attempt next = attempt(form, words);
    if (next.distance() < best.distance()) best = std::move(next);
  }
  Mismatch mismatch = explain(best, words);
  if (mismatch.reason == Reason::missing) mismatch.wanted = wanted(forms, words, best);
  return mismatch;
}

}  // namespace

Match match(std::string_view opcode, Words words) {
  Match result;
  std::span<const Form> forms = forms_of(opcode);
  for (const Form& form : forms) {
    Values values{};
    if (!fill(form, words, values)) continue;
    for (const Values& way : derive(form, values))
      if (!broken_rule(form, way)) result.candidates.push_back({&form, way});
  }
  if (result.candidates.empty()) result.mismatch = explain(forms, words);
  return result;
}

}  // namespace heddle::isa
