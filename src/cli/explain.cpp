// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// heddle explain: explains a diagnostic.
#include <fmt/format.h>

#include <memory>

#include "base/spelling.h"
#include "cli/commands.h"
#include "cli/output.h"
#include "diag/explanation.h"

namespace heddle::cli {
namespace {

using diag::Kind;

constexpr std::size_t kWidth = 80;

/// `text` in lines of at most kWidth characters, unless a word is longer.
std::string wrap(std::string_view text) {
  std::string lines;
  while (text.size() > kWidth) {
    std::size_t end = text.rfind(' ', kWidth);
    if (end == text.npos) end = text.find(' ');
    if (end == text.npos) break;
    lines += fmt::format("{}\n", text.substr(0, end));
    text.remove_prefix(end + 1);
  }
  return lines.append(text).append("\n");
}

std::string indent(std::string_view text) {
  std::string lines;
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    lines += end ? fmt::format("    {}\n", text.substr(0, end)) : "\n";
    text.remove_prefix(end + 1);
  }
  return lines;
}

int list() {
  for (std::size_t i = 0; i < diag::kind_count(); ++i) {
    const Kind kind = static_cast<Kind>(i);
    print("{}  {}\n", diag::info(kind).code, diag::title(kind));
  }
  return kOk;
}

int unknown(const std::string& code) {
  Spelling spelling(code);
  for (std::size_t i = 0; i < diag::kind_count(); ++i) {
    const std::string_view known = diag::info(static_cast<Kind>(i)).code;
    // A code that differs in two digits is a different code, not a misspelling.
    if (edit_distance(code, known, 1) <= 1) spelling.consider(known);
  }
  return fail(fmt::format("there is no diagnostic '{}'; {}", code,
                          spelling.question_or("`heddle explain` lists all")));
}

}  // namespace

int explain(const std::vector<std::string>& codes) {
  if (codes.empty()) return list();
  std::vector<Kind> kinds;
  for (const std::string& code : codes) {
    const auto kind = diag::find_kind(code);
    if (!kind) return unknown(code);
    kinds.push_back(*kind);
  }
  const bool colour = wants_colour(stdout);
  const std::string_view bold = colour ? "\x1b[1m" : "", off = colour ? "\x1b[0m" : "";
  std::string_view between;
  for (const Kind kind : kinds) {
    const diag::Explanation& more = diag::explanation(kind);
    print("{}{}{}: {}{}\n\n{}\n{}Wrong:{}\n\n{}\n{}Right:{}\n\n{}", between, bold,
          diag::info(kind).code, diag::title(kind), off, wrap(more.why), bold, off,
          indent(more.wrong.text), bold, off, indent(more.right.text));
    between = "\n";
  }
  return kOk;
}

}  // namespace heddle::cli
