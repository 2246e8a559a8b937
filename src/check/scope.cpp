// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "check/scope.h"

namespace heddle::check {

void Scopes::leave() {
  for (const std::size_t mark = marks_.back(); undo_.size() > mark; undo_.pop_back()) {
    const Undo& undo = undo_.back();
    current_[undo.name.value] = undo.before;
    depth_[undo.name.value] = undo.depth_before;
  }
  marks_.pop_back();
}

std::optional<Symbol> Scopes::declare(NameId name, Symbol symbol) {
  const u32 depth = static_cast<u32>(marks_.size());
  Symbol& now = current_[name.value];
  if (now.kind != SymbolKind::none && depth_[name.value] == depth) return now;
  undo_.push_back({name, now, depth_[name.value]});
  now = symbol;
  depth_[name.value] = depth;
  return std::nullopt;
}

std::optional<Scopes::Member> Scopes::member(NameId name) const {
  const std::string_view text = names_[name];
  std::size_t digits = text.size();
  while (digits > 0 && text[digits - 1] >= '0' && text[digits - 1] <= '9') --digits;
  // `%r1<10>` has members %r10 to %r19: every split of the trailing digits may be a family, the
  // longest base first.
  for (std::size_t split = text.size() - 1; split + 1 > digits && split > 0; --split) {
    if (text[split] == '0' && split + 1 < text.size()) continue;  // no leading zeros
    if (text.size() - split > 9) break;
    const NameId base = names_.find(text.substr(0, split));
    if (!base) continue;
    const Symbol& family = current_[base.value];
    if (family.kind != SymbolKind::registers) continue;
    u32 number = 0;
    for (std::size_t i = split; i < text.size(); ++i)
      number = number * 10 + static_cast<u32>(text[i] - '0');
    if (number < families[family.id].count) return Member{family, number};
  }
  return std::nullopt;
}

}  // namespace heddle::check
