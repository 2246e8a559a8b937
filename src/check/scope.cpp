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

std::optional<Scopes::Member> Scopes::member(NameId name) const {
  const std::string_view text = names_[name];
  std::size_t digits = text.size();
  while (digits > 0 && text[digits - 1] >= '0' && text[digits - 1] <= '9') --digits;
  // `%r1<10>` has members %r10 to %r19: every split of the trailing digits may be a family, the
  // shortest base first.
  for (std::size_t split = std::max<std::size_t>(digits, 1); split < text.size(); ++split) {
    if (text[split] == '0' && split + 1 < text.size()) continue;  // no leading zeros
    if (text.size() - split > 9) continue;
    const NameId base = names_.find(text.substr(0, split));
    if (!base) continue;
    if (!family(base)) continue;
    u32 number = 0;
    for (std::size_t i = split; i < text.size(); ++i)
      number = number * 10 + static_cast<u32>(text[i] - '0');
    if (number < family(base)->count) return Member{family_[base.value] - 1, number};
  }
  return std::nullopt;
}

}  // namespace heddle::check
