// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// For every text that parses without a diagnostic: the printed text parses to the same tree, and is
// canonical: printing it again changes nothing.
#include <cstddef>
#include <cstdint>

#include "base/check.h"
#include "syntax/equal.h"
#include "syntax/parser.h"
#include "syntax/printer.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace heddle;
  diag::Source source("fuzz.ptx", std::string(reinterpret_cast<const char*>(data), size));
  diag::Report report;
  const syntax::Tree tree = syntax::parse(source, report);
  const std::string text = print(tree);
  if (report.has_errors()) return 0;
  diag::Source printed("printed.ptx", text);
  diag::Report again;
  const syntax::Tree copy = syntax::parse(printed, again);
  HEDDLE_CHECK(!again.has_errors());
  HEDDLE_CHECK(equal(tree, copy));
  HEDDLE_CHECK(print(copy) == text);
  return 0;
}
