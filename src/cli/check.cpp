// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// heddle check: reports the mistakes in PTX files.
#include "check/check.h"

#include <fmt/format.h>

#include <memory>
#include <set>

#include "cli/commands.h"
#include "cli/output.h"
#include "diag/report.h"
#include "ir/print.h"
#include "machine/device_runtime.h"
#include "machine/front_end.h"
#include "syntax/preprocess.h"

namespace heddle::cli {
namespace {

/// The last line of the text: "for more about an error: heddle explain P2010 P2024".
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

}  // namespace

int check_files(const CheckOptions& options) {
  const machine::Profile* const profile = chosen_profile();
  if (!profile) return kUsage;
  check::CompileOptions how = machine::options_for(*profile);
  if (options.strict) how.versions = check::Versions::known;
  const bool text = options.format == "text", json = options.format == "json";
  if (!text && !options.dump.empty())
    return fail(fmt::format("--dump and --format {} exclude each other", options.format));
  bool errors = false, unreadable = false;
  std::set<diag::Kind> kinds;
  std::vector<diag::Checked> checked;  // for JSON and SARIF, which are one list
  const auto show = [&](const diag::Source& source, const diag::Report& report) {
    errors |= report.has_errors();
    if (text) {
      print("{}", diag::render_text(report, source, wants_colour(stdout)));
    } else {
      checked.push_back({source, report});
    }
    for (const diag::Diagnostic& diagnostic : report.diagnostics()) kinds.insert(diagnostic.kind);
  };
  const bool alone = options.dump.empty() && !options.link;  // only the report is needed
  std::vector<check::Unit> units;
  for (const std::string& path : options.files) {
    auto contents = syntax::load_text(path);
    auto unit = contents.ok() ? check::check_input(
                                    {path == "-" ? "<stdin>" : path, std::move(*contents)},
                                    alone ? check::Want::report : check::Want::module, how.versions)
                              : Result<check::Unit>(contents.error());
    if (!unit.ok()) {
      unreadable = true;
      fail(unit.error().message);
      continue;
    }
    if (!options.remarks) unit->report.drop_remarks();
    show(unit->source, unit->report);
    if (options.dump == "ir" && !unit->report.has_errors()) print("{}", ir::print(*unit->module));
    if (options.link) units.push_back(std::move(*unit));
  }
  if (options.link && !errors && !unreadable) {
    const auto [source, report] = check::link(std::move(units), &machine::provides, how).checked;
    if (!report.diagnostics().empty()) show(source, report);
  }
  if (text) {
    print("{}", footer(kinds));
  } else if (json) {
    print("{}", diag::render_json(checked));
  } else {
    print("{}", diag::render_sarif(checked, !unreadable));
  }
  return unreadable ? kUsage : errors ? kBadPtx : kOk;
}

}  // namespace heddle::cli
