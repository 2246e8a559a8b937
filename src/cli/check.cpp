// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// heddle check: what is wrong with PTX files.
#include "check/check.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <memory>
#include <nlohmann/json.hpp>

#include "cli/commands.h"
#include "diag/report.h"
#include "ir/print.h"
#include "syntax/parser.h"
#include "syntax/preprocess.h"

namespace heddle::cli {
namespace {

struct Options {
  std::vector<std::string> files;
  std::string format = "text";
  std::string dump;
};

int check(const Options& options) {
  if (options.format == "json" && !options.dump.empty())
    return fail("--dump and --format json exclude each other");
  bool errors = false, unreadable = false;
  nlohmann::ordered_json all = nlohmann::ordered_json::array();
  for (const std::string& path : options.files) {
    auto source = syntax::load(path);
    if (!source.ok()) {
      unreadable = true;
      fail(source.error().message);
      continue;
    }
    diag::Report report;
    const syntax::Tree tree = syntax::parse(*source, report);
    const auto module = check::check(tree, *source, report);
    report.sort();
    errors |= report.has_errors();
    if (options.format == "json") {
      for (auto& diagnostic : nlohmann::ordered_json::parse(diag::render_json(report, *source)))
        all.push_back(std::move(diagnostic));
    } else {
      fmt::print("{}", diag::render_text(report, *source, wants_colour(stdout)));
    }
    if (options.dump == "ir" && !report.has_errors()) fmt::print("{}", ir::print(*module));
  }
  if (options.format == "json") fmt::print("{}\n", all.dump(2));
  return unreadable ? kUsage : errors ? kBadPtx : kOk;
}

}  // namespace

void add_check(CLI::App& app, int& status) {
  const auto options = std::make_shared<Options>();
  CLI::App* command = app.add_subcommand("check", "Say what is wrong with PTX files");
  command->add_option("FILE", options->files, "PTX files; - is the standard input")->required();
  command->add_option("--format", options->format, "text, or json: one array for all files")
      ->check(CLI::IsMember({"text", "json"}))
      ->capture_default_str();
  command->add_option("--dump", options->dump, "ir: print the checked module")
      ->check(CLI::IsMember({"ir"}));
  command->footer(
      "Exit status: 0 no errors, 1 errors in the PTX, 2 wrong usage or a file that cannot be "
      "read.");
  command->callback([options, &status] { status = check(*options); });
}

}  // namespace heddle::cli
