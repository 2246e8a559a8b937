// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "check/scope.h"

#include <algorithm>

namespace heddle::check {

void Scopes::leave() {
  const Mark mark = marks_.back();
  for (; undo_.size() > mark.undo; undo_.pop_back()) {
    const Undo& undo = undo_.back();
    current_[undo.name.value] = undo.before;
    depth_[undo.name.value] = undo.depth_before;
  }
  for (; family_undo_.size() > mark.family_undo; family_undo_.pop_back())
    family_[family_undo_.back().base.value] = family_undo_.back().before;
  families.resize(mark.families);
  for (; numbered_bases_.size() > mark.numbered; numbered_bases_.pop_back())
    numbered_[numbered_bases_.back().value].pop_back();
  marks_.pop_back();
  deepest_family_ = std::min(deepest_family_, depth());
}

std::optional<Symbol> Scopes::declare(NameId name, Symbol symbol) {
  const u32 depth = this->depth();
  Symbol& now = current_[name.value];
  if (now.kind != SymbolKind::none && depth_[name.value] == depth) return now;
  undo_.push_back({name, now, depth_[name.value]});
  now = symbol;
  depth_[name.value] = depth;
  return std::nullopt;
}

const RegisterFamily* Scopes::declare_family(NameId base, RegisterFamily family) {
  const RegisterFamily* before = this->family(base);
  if (before && before->depth == depth()) return before;
  family.depth = deepest_family_ = depth();
  family_undo_.push_back({base, family_[base.value]});
  families.push_back(std::move(family));
  family_[base.value] = static_cast<u32>(families.size());
  return nullptr;
}

namespace {

/// The place where the digits at the end of a name begin; at least one character is before them.
std::size_t first_digit(std::string_view text) {
  std::size_t at = text.size();
  while (at > 1 && text[at - 1] >= '0' && text[at - 1] <= '9') --at;
  return at;
}

}  // namespace

/// The name as a member of a family whose name ends at `at`; no base when there is no such name.
Scopes::Numbered Scopes::split(std::string_view text, std::size_t at) const {
  Numbered result;
  result.is_known = true;
  constexpr std::size_t kMostDigits = 10;  // digits of a number below 2^32
  if (at >= text.size() || text.size() - at > kMostDigits) return result;
  u64 number = 0;
  for (const char c : text.substr(at)) number = number * 10 + static_cast<u64>(c - '0');
  result.number = static_cast<u32>(number);
  if (result.number == number) result.base = names_.find(text.substr(0, at));
  return result;
}

void Scopes::note_numbered(NameId name) {
  const std::string_view text = names_[name];
  for (std::size_t at = first_digit(text); at < text.size(); ++at) {
    const NameId base = split(text, at).base;
    if (!base) continue;
    numbered_[base.value].push_back(name);
    numbered_bases_.push_back(base);
  }
}

std::optional<Scopes::Member> Scopes::member_of(const Numbered& numbered) const {
  const RegisterFamily* family = numbered.base ? this->family(numbered.base) : nullptr;
  if (!family || numbered.number >= family->count) return std::nullopt;
  return Member{family_[numbered.base.value] - 1, numbered.number};
}

std::optional<Scopes::Member> Scopes::member(NameId name) {
  const std::string_view text = names_[name];
  Numbered& shortest = shortest_[name.value];
  if (!shortest.is_known) shortest = split(text, first_digit(text));
  if (const auto found = member_of(shortest)) return found;
  // `%r1<10>` has members %r10 to %r19: every split of the trailing digits may be a family, the
  // shortest base first.
  for (std::size_t at = first_digit(text) + 1; at < text.size(); ++at) {
    if (const auto found = member_of(split(text, at))) return found;
  }
  return std::nullopt;
}

}  // namespace heddle::check
