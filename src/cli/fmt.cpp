// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// heddle fmt: PTX files in canonical layout.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <memory>

#include "cli/commands.h"
#include "cli/files.h"
#include "diag/report.h"
#include "syntax/format.h"
#include "syntax/parser.h"
#include "syntax/preprocess.h"

namespace heddle::cli {
namespace {

struct Options {
  std::vector<std::string> files;
  bool check = false;
};

/// One file; the exit status.
int format_file(const std::string& path, bool check) {
  auto text = read_file(path);
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
    fmt::print(stderr, "{}", diag::render_text(report, source, wants_colour(stderr)));
    return kBadPtx;
  }
  const std::string formatted = syntax::format(source, std::move(tree));
  if (check) {
    if (formatted == source.text()) return kOk;
    fmt::print("{}\n", path);
    return kBadPtx;
  }
  if (path == "-") {
    fmt::print("{}", formatted);
  } else if (formatted != source.text()) {
    const auto written = replace_file(path, formatted);
    if (!written.ok()) return fail(written.error().message);
  }
  return kOk;
}

}  // namespace

void add_fmt(CLI::App& app, int& status) {
  const auto options = std::make_shared<Options>();
  CLI::App* command = app.add_subcommand("fmt", "Write PTX files anew in canonical layout");
  command
      ->add_option("FILE", options->files,
                   "PTX files, changed in place; - reads the standard input and prints")
      ->required();
  command->add_flag("--check", options->check,
                    "change nothing, name the files that are not formatted");
  command->footer(
      "Exit status: 0 done, 1 errors in the PTX or, with --check, a file that is not formatted, 2 "
      "wrong usage or a file that cannot be read or written.");
  command->callback([options, &status] {
    for (const std::string& path : options->files)
      status = std::max(status, format_file(path, options->check));
  });
}

}  // namespace heddle::cli
