// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// heddle check: what is wrong with PTX files.
#include "check/check.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <memory>
#include <nlohmann/json.hpp>
#include <set>

#include "cli/commands.h"
#include "diag/report.h"
#include "ir/print.h"
#include "machine/device_runtime.h"
#include "syntax/parser.h"
#include "syntax/preprocess.h"

namespace heddle::cli {
namespace {

struct Options {
  std::vector<std::string> files;
  std::string format = "text";
  std::string dump;
  bool link = false;
};

/// "for more about an error: heddle explain P2010 P2024": where to read on.
std::string footer(const std::set<diag::Kind>& kinds) {
  constexpr std::size_t kMostShown = 5;
  std::string codes;
  std::size_t shown = 0;
  for (const diag::Kind kind : kinds) {
    if (shown++ == kMostShown) break;
    codes += fmt::format(" {}", diag::info(kind).code);
  }
  return codes.empty() ? "" : fmt::format("for more about an error: heddle explain{}\n", codes);
}

int check(const Options& options) {
  const bool text = options.format == "text", json = options.format == "json";
  if (!text && !options.dump.empty())
    return fail(fmt::format("--dump and --format {} exclude each other", options.format));
  bool errors = false, unreadable = false;
  std::set<diag::Kind> kinds;
  nlohmann::ordered_json all = nlohmann::ordered_json::array();
  std::vector<diag::Checked> checked;  // for SARIF, which names the rules before the results
  const auto show = [&](const diag::Source& source, const diag::Report& report) {
    errors |= report.has_errors();
    if (json) {
      for (auto& diagnostic : nlohmann::ordered_json::parse(diag::render_json(report, source)))
        all.push_back(std::move(diagnostic));
    } else if (text) {
      fmt::print("{}", diag::render_text(report, source, wants_colour(stdout)));
    }
    for (const diag::Diagnostic& diagnostic : report.diagnostics()) kinds.insert(diagnostic.kind);
    if (options.format == "sarif") checked.push_back({source, report});
  };
  std::vector<diag::Source> sources;  // of what is to be linked
  std::vector<check::Part> parts;
  for (const std::string& path : options.files) {
    auto source = syntax::load(path);
    if (!source.ok()) {
      unreadable = true;
      fail(source.error().message);
      continue;
    }
    diag::Report report;
    const syntax::Tree tree = syntax::parse(*source, report);
    const bool alone = options.dump.empty() && !options.link;  // what it says is all that is wanted
    const auto module =
        check::check(tree, *source, report, alone ? check::Want::report : check::Want::module);
    report.sort();
    show(*source, report);
    if (options.dump == "ir" && !report.has_errors()) fmt::print("{}", ir::print(*module));
    if (!options.link) continue;
    parts.push_back({module, diag::Source::join_offset(sources)});
    sources.push_back(std::move(*source));
  }
  if (options.link && !errors && !unreadable) {
    diag::Report report;
    check::link(parts, &machine::provides, report);
    if (!report.diagnostics().empty()) show(diag::Source::join(sources), report);
  }
  if (json) {
    fmt::print("{}\n", all.dump(2));
  } else if (text) {
    fmt::print("{}", footer(kinds));
  } else {
    fmt::print("{}", diag::render_sarif(checked, !unreadable));
  }
  return unreadable ? kUsage : errors ? kBadPtx : kOk;
}

}  // namespace

void add_check(CLI::App& app, int& status) {
  const auto options = std::make_shared<Options>();
  CLI::App* command = app.add_subcommand("check", "Say what is wrong with PTX files");
  command->add_option("FILE", options->files, "PTX files; - is the standard input")->required();
  command
      ->add_option("--format", options->format,
                   "text; json: one array for all files; sarif: one SARIF 2.1.0 log")
      ->check(CLI::IsMember({"text", "json", "sarif"}))
      ->capture_default_str();
  command->add_option("--dump", options->dump, "ir: print the checked module")
      ->check(CLI::IsMember({"ir"}));
  command->add_flag("--link", options->link,
                    "The files are all of a program: check that they fit together");
  command->footer(
      "Exit status: 0 no errors, 1 errors in the PTX, 2 wrong usage or a file that cannot be "
      "read. Text is coloured on a terminal, unless NO_COLOR is set.");
  command->callback([options, &status] { status = check(*options); });
}

}  // namespace heddle::cli
