// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The messages for undeclared names. This is the slow path of the checker: it may search all names
// of the module, but only for the first mistakes of a report.
#include <algorithm>
#include <string>

#include "base/spelling.h"
#include "check/body_checker.h"

namespace heddle::check {

using diag::Kind;

namespace {

constexpr std::size_t kMostSearched = 50;  // reports longer than this get no suggestions

bool is_digit(char c) { return c >= '0' && c <= '9'; }

std::string_view without_number(std::string_view name) {
  while (!name.empty() && is_digit(name.back())) name.remove_suffix(1);
  return name;
}

/// Names that differ in a number were numbered on purpose; that is not a misspelling.
bool same_digits(std::string_view a, std::string_view b) {
  std::size_t i = 0, j = 0;
  for (;; ++i, ++j) {
    while (i < a.size() && !is_digit(a[i])) ++i;
    while (j < b.size() && !is_digit(b[j])) ++j;
    if (i >= a.size() || j >= b.size()) return i >= a.size() && j >= b.size();
    if (a[i] != b[j]) return false;
  }
}

}  // namespace

bool BodyChecker::broken_declaration(std::string_view base) const {
  const NameId id = module_.tree_.names.find(base);
  if (id && module_.scopes_[id].kind == SymbolKind::error) return true;
  // An instruction that does not parse may have swallowed a label.
  const auto declares = [&](std::string_view text) {
    std::size_t at = text.find(base);
    if (text.starts_with('.') || text.starts_with("/*")) return at != text.npos;
    for (; at != text.npos; at = text.find(base, at + 1)) {
      const std::size_t colon = text.find_first_not_of("0123456789 \t", at + base.size());
      if (colon != text.npos && text[colon] == ':') return true;
    }
    return false;
  };
  return std::any_of(module_.broken_.begin(), module_.broken_.end(),
                     [&](Span span) { return declares(module_.source_.text(span)); });
}

void BodyChecker::undeclared(NameId name, Span span, diag::Report& report) {
  const std::string_view written = text(name);
  const std::string_view base = without_number(written);
  if (!base.empty() && broken_declaration(base)) return;
  const bool searches = report.error_count() < kMostSearched;
  auto& diagnostic = report.add(Kind::undeclared, span, written);
  if (report.is_trial()) return;  // the form is one of several candidates
  const auto numbers = [](std::string_view family, u32 count) {
    return count ? fmt::format("declares {0}0 to {0}{1}", family, count - 1)
                 : std::string("declares no register");
  };
  const auto family_of = [&](NameId id) -> const RegisterFamily* {
    return id ? module_.scopes_.family(id) : nullptr;
  };
  // Is `name` one of the numbered registers of a family?
  const auto is_member = [&](std::string_view name) {
    const std::string_view family_name = without_number(name);
    const std::string_view number = name.substr(family_name.size());
    const RegisterFamily* family = family_of(tree_.names.find(family_name));
    return family && !number.empty() && number.size() <= 10 &&
           (number.size() == 1 || number[0] != '0') &&
           std::stoull(std::string(number)) < family->count;
  };
  for (const std::string_view stem : {written, base}) {
    if (const RegisterFamily* family = family_of(tree_.names.find(stem))) {
      diagnostic.label(family->declared, numbers(stem, family->count));
      if (base != written) module_.scopes_.declare(name, {SymbolKind::error, 1, 0, span});
      return;
    }
  }
  module_.scopes_.declare(name, {SymbolKind::error, 1, 0, span});
  if (!searches) return;
  for (const syntax::Function& function : tree_.functions) {
    if (function.name == name) {
      diagnostic.label(function.name_span, "declared here, after its use");
      return;
    }
  }
  const std::string with_sigil = fmt::format("%{}", written);
  const NameId sigil_name = tree_.names.find(with_sigil);
  if ((sigil_name && module_.scopes_[sigil_name].kind == SymbolKind::reg) ||
      isa::find_special_register(with_sigil) || is_member(with_sigil)) {
    diagnostic.help(fmt::format("did you mean '{}'?", with_sigil));
    return;
  }
  Spelling spelling(written);
  const std::string_view number = written.substr(base.size());
  for (u32 i = 0; i < tree_.names.size(); ++i) {
    const NameId id(i);
    if (family_of(id)) {
      const std::string member = std::string(text(id)) += number;
      if (is_member(member)) spelling.consider(member);
    }
    const SymbolKind kind = module_.scopes_[id].kind;
    if (kind == SymbolKind::none || kind == SymbolKind::error) continue;
    if (same_digits(text(id), written)) {
      spelling.consider(text(id));
    }
  }
  if (written.starts_with('%')) {
    for (const auto& info : isa::special_registers()) {
      if (same_digits(info.name, written)) spelling.consider(info.name);
    }
  }
  spelling.consider("WARP_SZ");
  diagnostic.ask(spelling.question());
}

}  // namespace heddle::check
