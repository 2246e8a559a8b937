// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// For every text that parses without a diagnostic: the formatted text parses to the same tree,
// except for the order of modifiers, and keeps its comments; and formatting it again changes
// nothing.
#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "base/check.h"
#include "syntax/equal.h"
#include "syntax/format.h"
#include "syntax/parser.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace heddle;
  const auto parse = [](diag::Source& source, syntax::Tree& tree) {
    diag::Report report;
    tree = syntax::parse(source, report);
    return !report.has_errors();
  };
  diag::Source source("fuzz.ptx", std::string(reinterpret_cast<const char*>(data), size));
  syntax::Tree tree, copy, again;
  if (!parse(source, tree)) return 0;
  sort_modifiers(tree);
  HEDDLE_CHECK(parse(source, copy));
  diag::Source formatted("formatted.ptx", format(source, std::move(copy)));
  HEDDLE_CHECK(parse(formatted, again));
  sort_modifiers(again);
  HEDDLE_CHECK(equal(tree, again));
  HEDDLE_CHECK(std::ranges::count(formatted.text(), '/') >= std::ranges::count(source.text(), '/'));
  HEDDLE_CHECK(format(formatted, std::move(again)) == formatted.text());
  return 0;
}
