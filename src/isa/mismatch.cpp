// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Why no form matches the written modifiers, and which forms are near. Only wrong programs reach
// this code, so it need not be fast.
#include <algorithm>
#include <optional>

#include "isa/match_impl.h"

namespace heddle::isa {
namespace {

/// A partial match of the words with a form.
struct Attempt {
  const Form* form;
  Values values{};
  std::vector<std::size_t> left_over{};  ///< indices of words without a slot
  int missing = 0;                       ///< number of required slots without a word
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

/// The empty slot that a type was probably meant for, or -1.
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

/// The words that complete the mnemonic in one of the nearest forms.
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

/// The mismatch if a form has all the words, but one of its rows or rules forbids the combination.
std::optional<Mismatch> forbidden(std::span<const Form> forms, Words words) {
  std::optional<Mismatch> result;
  for (const Form& form : forms) {
    Values values{};
    if (!fill(form, words, values)) continue;
    std::vector<Values> ways = derive(form, values);
    if (!ways.empty())  // a rule has a better message than a row
      return Mismatch{
          .reason = Mismatch::Reason::rule, .nearest = &form, .rule = broken_rule(form, ways[0])};
    if (!result) result = Mismatch{.reason = Mismatch::Reason::combination, .nearest = &form};
  }
  return result;
}

/// The words, except types, any one of which makes the combination of the others legal.
std::vector<u16> completing(std::span<const Form> forms, Words words) {
  std::vector<u16> found;
  for (const Form& form : forms) {
    for (const Slot& slot : form.slots) {
      for (const Choice& choice : slot.choices) {
        if (choice.word == kNoWord || is_type(choice.word) ||
            std::ranges::find(found, choice.word) != found.end())
          continue;
        std::vector<u16> longer(words.begin(), words.end());
        longer.insert(slot.head ? longer.begin() : longer.end(), choice.word);
        Values values{};
        if (!fill(form, longer, values)) continue;
        const std::vector<Values> ways = derive(form, values);
        if (std::ranges::any_of(ways, [&](const Values& way) { return !broken_rule(form, way); }))
          found.push_back(choice.word);
      }
    }
  }
  return found;
}

/// The mismatch if the only mistake is that a word of the opcode stands after others.
std::optional<Mismatch> misplaced(std::span<const Form> forms, Words words) {
  const auto is_of_opcode = [](const Form& form, u16 word) {
    return std::ranges::any_of(
        form.slots, [&](const Slot& slot) { return slot.head && value_of(slot, word) != 0; });
  };
  for (std::size_t w = 1; w < words.size(); ++w) {
    std::vector<u16> moved(words.begin(), words.end());
    std::rotate(moved.begin(), moved.begin() + static_cast<std::ptrdiff_t>(w),
                moved.begin() + static_cast<std::ptrdiff_t>(w) + 1);
    for (const Form& form : forms) {
      Values values{};
      if (is_of_opcode(form, words[w]) && fill(form, moved, values) &&
          !derive(form, values).empty()) {
        return Mismatch{
            .reason = Mismatch::Reason::misplaced, .nearest = &form, .word = static_cast<int>(w)};
      }
    }
  }
  return std::nullopt;
}

/// The mismatch if the only mistake is that a word stands twice in succession.
std::optional<Mismatch> doubled(std::span<const Form> forms, Words words) {
  for (std::size_t w = 1; w < words.size(); ++w) {
    if (words[w] != words[w - 1]) continue;
    std::vector<u16> once(words.begin(), words.end());
    once.erase(once.begin() + static_cast<std::ptrdiff_t>(w));
    for (const Form& form : forms) {
      Values values{};
      if (fill(form, once, values) && !derive(form, values).empty())
        return Mismatch{
            .reason = Mismatch::Reason::repeated, .nearest = &form, .word = static_cast<int>(w)};
    }
  }
  return std::nullopt;
}

// --- the differences from legal forms ---

constexpr int kFarthestType = 3;

/// The distance between two types: a different size is nearer than a different kind of number, and
/// predicates are farthest from numbers.
int type_distance(Type from, Type to) {
  if ((from == Type::pred) != (to == Type::pred)) return kFarthestType;
  const auto whole = [](Type type) {
    const TypeClass cls = type_info(type).cls;
    return cls == TypeClass::bits || cls == TypeClass::signed_ || cls == TypeClass::unsigned_;
  };
  return (whole(from) == whole(to) ? 0 : 2) + (type_info(from).bits == type_info(to).bits ? 0 : 1);
}

/// Completes `values` to legal ones: words for the required slots, and one more word if that is not
/// enough. `replaced`: the type that was removed, or none.
class Completion {
 public:
  Completion(const Form& form, Type replaced, const Fits& fits)
      : form_(form), replaced_(replaced), fits_(fits) {}

  bool run(Values& values) {
    const int slot = first_missing(form_, values);
    if (slot >= 0) return try_slot(static_cast<std::size_t>(slot), values);
    if (legal(values)) return true;
    if (extra_used_) return false;
    extra_used_ = true;
    for (std::size_t i = 0; i < form_.slots.size(); ++i) {
      if (values[i] == 0 && in_mnemonic(form_.slots[i]) && try_slot(i, values)) return true;
    }
    extra_used_ = false;
    return false;
  }
  const std::vector<u16>& added() const { return added_; }

 private:
  bool legal(Values& values) const {
    for (const Values& way : derive(form_, values)) {
      if (broken_rule(form_, way) || (fits_ && !fits_({&form_, way}))) continue;
      values = way;
      return true;
    }
    return false;
  }

  bool try_slot(std::size_t slot, Values& values) {
    for (int distance = 0; distance <= kFarthestType; ++distance) {
      for (const Choice& choice : form_.slots[slot].choices) {
        if (choice.word == kNoWord || distance_of(choice.word) != distance) continue;
        if (tries_++ > kMostTries) return false;
        values[slot] = choice.value;
        added_.push_back(choice.word);
        if (run(values)) return true;
        added_.pop_back();
        values[slot] = 0;
      }
    }
    return false;
  }
  int distance_of(u16 word) const {
    if (replaced_ == Type::none) return 0;
    return is_type(word) ? type_distance(replaced_, find_type(word_text(word))) : kFarthestType;
  }

  static constexpr int kMostTries = 500;
  const Form& form_;
  const Type replaced_;
  const Fits& fits_;
  std::vector<u16> added_;
  bool extra_used_ = false;
  int tries_ = 0;
};

/// The nearest legal form with all words except those at `removed`; one for which `fits` holds, if
/// it is given.
std::optional<Nearest> complete(const Form& form, Words words, const std::vector<int>& removed,
                                const Fits& fits) {
  std::vector<u16> kept;
  Type replaced = Type::none;
  for (std::size_t w = 0; w < words.size(); ++w) {
    const bool keep = std::ranges::find(removed, static_cast<int>(w)) == removed.end();
    if (keep && words[w] == kNoWord) return std::nullopt;
    if (keep) kept.push_back(words[w]);
    if (!keep && words[w] != kNoWord && is_type(words[w]))
      replaced = find_type(word_text(words[w]));
  }
  Values values{};
  Completion completion(form, replaced, fits);
  if (!place(form, kept, values) || !completion.run(values)) return std::nullopt;
  return Nearest{{&form, values}, completion.added(), removed};
}

/// Adds the nearest legal forms with all words except those at `removed`.
void keep_all_but(std::span<const Form> forms, Words words, const std::vector<int>& removed,
                  std::vector<Nearest>& found) {
  for (const Form& form : forms)
    if (auto one = complete(form, words, removed, nullptr)) found.push_back(std::move(*one));
}

/// Keeps only forms for which `fits` holds, with a different completion if necessary; keeps all
/// forms when it holds for none.
void prefer_fitting(Words words, const Fits& fits, std::vector<Nearest>& found) {
  std::vector<Nearest> fitting;
  for (const Nearest& one : found) {
    const auto other = complete(*one.candidate.form, words, one.removed, fits);
    if (other && other->added.size() == one.added.size()) fitting.push_back(*other);
  }
  if (!fitting.empty()) found = std::move(fitting);
}

}  // namespace

Mismatch explain(std::span<const Form> forms, Words words) {
  using Reason = Mismatch::Reason;
  if (forms.empty()) return {Reason::unknown_opcode};
  // No form has more slots, so one of the first words is too many already.
  words = words.first(std::min(words.size(), kMaxSlots + 1));
  for (std::size_t w = 0; w < words.size(); ++w)
    if (words[w] == kNoWord) return {Reason::unknown_modifier, nullptr, static_cast<int>(w)};
  for (std::size_t w = 0; w < words.size(); ++w)
    if (!is_type(words[w]) && !has_word(forms, words[w]))
      return {Reason::not_of_opcode, nullptr, static_cast<int>(w)};
  if (auto mismatch = doubled(forms, words)) return *mismatch;
  if (auto mismatch = forbidden(forms, words)) {
    if (mismatch->reason == Reason::combination) {
      if (auto wanted = completing(forms, words); !wanted.empty()) {
        mismatch->reason = Reason::missing;
        mismatch->wanted = std::move(wanted);
      }
    }
    return *mismatch;
  }
  if (auto mismatch = misplaced(forms, words)) return *mismatch;
  Attempt best = attempt(forms[0], words);
  for (const Form& form : forms.subspan(1)) {
    Attempt next = attempt(form, words);
    if (next.distance() < best.distance()) best = std::move(next);
  }
  Mismatch mismatch = explain(best, words);
  if (mismatch.reason == Reason::missing) mismatch.wanted = wanted(forms, words, best);
  return mismatch;
}

std::vector<Nearest> nearest(std::string_view opcode, Words words, const Fits& fits) {
  const std::span<const Form> forms = forms_of(opcode);
  const int count = static_cast<int>(words.size());
  std::vector<Nearest> found;
  if (words.size() > kMaxSlots) return found;
  keep_all_but(forms, words, {}, found);
  for (int a = 0; a < count; ++a) keep_all_but(forms, words, {a}, found);
  for (int a = 0; a < count; ++a) {
    for (int b = a + 1; b < count; ++b) keep_all_but(forms, words, {a, b}, found);
  }
  if (found.empty()) {  // no written word can be kept
    std::vector<int> all;
    for (int a = 0; a < count; ++a) all.push_back(a);
    keep_all_but(forms, words, all, found);
  }
  const auto distance = [](const Nearest& one) { return one.added.size() + one.removed.size(); };
  if (found.empty()) return found;
  const std::size_t least = distance(*std::ranges::min_element(found, {}, distance));
  std::erase_if(found, [&](const Nearest& one) { return distance(one) > least; });
  if (fits) prefer_fitting(words, fits, found);
  // Forms with a type near the removed one come first.
  const auto is_far = [&](const Nearest& one) {
    const auto removed = std::ranges::find_if(one.removed, [&](int w) {
      const u16 word = words[static_cast<std::size_t>(w)];
      return word != kNoWord && is_type(word);
    });
    const auto added = std::ranges::find_if(one.added, is_type);
    if (removed == one.removed.end() || added == one.added.end()) return 1;
    return type_distance(find_type(word_text(words[static_cast<std::size_t>(*removed)])),
                         find_type(word_text(*added)));
  };
  std::vector<Nearest> ordered;
  for (int distance = 0; distance <= kFarthestType; ++distance) {
    for (Nearest& one : found)
      if (is_far(one) == distance) ordered.push_back(one);
  }
  return ordered;
}

}  // namespace heddle::isa
