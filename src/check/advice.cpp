// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "check/advice.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "base/spelling.h"
#include "isa/entry.h"
namespace heddle::check {
namespace {

struct ForeignType {
  std::string_view name, ptx;
};
constexpr ForeignType kForeignTypes[] = {
    {"bool", ".pred"},   {"char", ".s8"},     {"short", ".s16"}, {"int", ".s32"},
    {"integer", ".s32"}, {"uint", ".u32"},    {"long", ".s64"},  {"unsigned", ".u32"},
    {"half", ".f16"},    {"bfloat", ".bf16"}, {"float", ".f32"}, {"double", ".f64"},
    {"ptr", ".u64"},     {"pointer", ".u64"}, {"i1", ".pred"},
};

bool has(std::span<const u16> words, std::string_view text) {
  return std::ranges::any_of(words, [&](u16 word) { return isa::word_text(word) == text; });
}

}  // namespace

std::string about_foreign_type(std::string_view word) {
  for (const std::string_view size : {"8", "16", "32", "64"}) {
    if (word.size() == size.size() + 1 && word[0] == 'i' && word.ends_with(size))
      return fmt::format("the PTX types are .s{0} and .u{0}", size);
  }
  const auto found = std::ranges::find(kForeignTypes, word, &ForeignType::name);
  return found == std::end(kForeignTypes) ? "" : fmt::format("the PTX type is {}", found->ptx);
}

std::string like_a_type(std::string_view word) {
  Spelling spelling(word, true);
  for (const std::string_view name :
       {"b8",    "b16", "b32", "b64",  "b128",   "s8",         "s16",
        "s32",   "s64", "u8",  "u16",  "u32",    "u64",        "f16",
        "f16x2", "f32", "f64", "pred", "texref", "samplerref", "surfref"})
    spelling.consider(name);
  return spelling.question(".");
}

std::string like_a_modifier(std::string_view opcode, std::string_view word, bool types) {
  Spelling spelling(word, true);
  for (const isa::Form& form : isa::forms_of(opcode)) {
    for (const isa::Slot& slot : form.slots) {
      for (const isa::Choice& choice : slot.choices) {
        if (choice.word == isa::kNoWord) continue;
        const std::string_view known = isa::word_text(choice.word);
        if (types || isa::find_type(known) == isa::Type::none) spelling.consider(known);
      }
    }
  }
  return spelling.question(".");
}

std::string about_target(std::string_view name) {
  Spelling spelling(name);
  for (const isa::Entry& known : isa::targets()) spelling.consider(known.name);
  if (std::string question = spelling.question(); !question.empty()) return question;
  const auto target = isa::parse_target(name);
  if (!target) return {};
  std::string_view below, above;
  u32 low = 0, high = 0xffffffffu;
  for (const isa::Entry& known : isa::targets()) {
    const auto one = isa::parse_target(known.name);
    if (!one || one->suffix) continue;
    if (one->sm < target->sm && one->sm >= low) below = known.name, low = one->sm;
    if (one->sm > target->sm && one->sm <= high) above = known.name, high = one->sm;
  }
  if (below.empty()) return {};
  return above.empty() ? fmt::format("the newest target known here is {}", below)
                       : fmt::format("the targets beside it are {} and {}", below, above);
}

std::string_view about_choice(std::span<const u16> wanted) {
  if (has(wanted, "rzi"))
    return "a conversion to an integer says how it rounds; a cast in C++ is .rzi, toward zero";
  if (has(wanted, "rn")) return "the result is rounded; C++ rounds to the nearest, .rn";
  if (has(wanted, "lo") && has(wanted, "wide"))
    return "the product has twice the bits of its factors; C++ keeps the lower half, .lo";
  return {};
}

int conflicting_word(std::string_view opcode, std::span<const u16> words, int word) {
  if (words.size() > isa::kMaxSlots) return -1;  // leaving one out does not help
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (static_cast<int>(i) == word) continue;
    std::vector<u16> others(words.begin(), words.end());
    others.erase(others.begin() + static_cast<std::ptrdiff_t>(i));
    const isa::Match match = isa::match(opcode, others);
    // Without the word, a modifier may be missing, but no other word is wrong.
    if (!match.mismatch || match.mismatch->reason == isa::Mismatch::Reason::missing)
      return static_cast<int>(i);
  }
  return -1;
}

std::string opening_words(std::string_view opcode, std::span<const u16> words,
                          const std::function<bool(const isa::Candidate&)>& is_open) {
  constexpr std::size_t kMost = 6;
  std::vector<u16> found, tried;
  for (const isa::Form& form : isa::forms_of(opcode)) {
    for (const isa::Slot& slot : form.slots) {
      for (const isa::Choice& choice : slot.choices) {
        if (choice.word == isa::kNoWord || std::ranges::find(tried, choice.word) != tried.end() ||
            isa::find_type(isa::word_text(choice.word)) != isa::Type::none)
          continue;
        tried.push_back(choice.word);
        std::vector<u16> longer(words.begin(), words.end());
        longer.insert(slot.head ? longer.begin() : longer.end(), choice.word);
        if (std::ranges::any_of(isa::match(opcode, longer).candidates, is_open))
          found.push_back(choice.word);
      }
    }
  }
  if (found.size() > kMost) return {};
  std::string text;
  for (std::size_t i = 0; i < found.size(); ++i) {
    text += fmt::format("{}.{}",
                        i == 0                 ? ""
                        : i + 1 < found.size() ? ", "
                                               : " or ",
                        isa::word_text(found[i]));
  }
  return text;
}

}  // namespace heddle::check
