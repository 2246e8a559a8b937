// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// heddle fmt: rewrites PTX files in canonical layout.
#include <fmt/format.h>

#include <algorithm>

#include <memory>

#include "cli/commands.h"
#include "cli/files.h"
#include "cli/output.h"
#include "diag/report.h"
#include "syntax/format.h"
#include "syntax/parser.h"
#include "syntax/preprocess.h"

namespace heddle::cli {
namespace {

/// Formats one file; returns the exit status.
int format_file(const std::string& path, bool check) {
  auto text = syntax::load_text(path);
  if (!text.ok()) return fail(text.error().message);
  if (syntax::needs_preprocessing(*text)) {
    return fail(fmt::format(
        "{}: has directives for the C preprocessor; fmt formats what comes out of it", path));
  }
  diag::Source source(path, std::move(*text));
  diag::Report report;
  syntax::Tree tree = syntax::parse(source, report);
  if (report.has_errors()) {
    report.sort();
    say("{}", diag::render_text(report, source, wants_colour(stderr)));
    return kBadPtx;
  }
  const std::string formatted = syntax::format(source, std::move(tree));
  if (check) {
    if (formatted == source.text()) return kOk;
    print("{}\n", path);
    return kBadPtx;
  }
  if (path == "-") {
    print("{}", formatted);
  } else if (formatted != source.text()) {
    const auto written = replace_file(path, formatted);
    if (!written.ok()) return fail(written.error().message);
  }
  return kOk;
}

}  // namespace

int format_files(const FormatOptions& options) {
  int status = kOk;
  for (const std::string& path : options.files)
    status = std::max(status, format_file(path, options.check));
  return status;
}

}  // namespace heddle::cli
