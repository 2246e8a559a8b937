// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// heddle check: what is wrong with PTX files.
#include "check/check.h"

#include <fmt/format.h>

#include <memory>
#include <set>

#include "cli/commands.h"
#include "cli/output.h"
#include "diag/report.h"
#include "ir/print.h"
#include "machine/device_runtime.h"
#include "syntax/parser.h"
#include "syntax/preprocess.h"

namespace heddle::cli {
namespace {

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

}  // namespace

int check_files(const CheckOptions& options) {
  const machine::Profile* const profile = chosen_profile();
  if (!profile) return kUsage;
  const auto versions =
      profile->any_target && !options.strict ? check::Versions::newer : check::Versions::known;
  const bool text = options.format == "text", json = options.format == "json";
  if (!text && !options.dump.empty())
    return fail(fmt::format("--dump and --format {} exclude each other", options.format));
  bool errors = false, unreadable = false;
  std::set<diag::Kind> kinds;
  std::vector<diag::Checked> checked;  // for tools, who want one list
  const auto show = [&](const diag::Source& source, const diag::Report& report) {
    errors |= report.has_errors();
    if (text) {
      print("{}", diag::render_text(report, source, wants_colour(stdout)));
    } else {
      checked.push_back({source, report});
    }
    for (const diag::Diagnostic& diagnostic : report.diagnostics()) kinds.insert(diagnostic.kind);
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
    const auto module = check::check(tree, *source, report,
                                     alone ? check::Want::report : check::Want::module, versions);
    report.sort();
    if (!options.remarks) report.drop_remarks();
    show(*source, report);
    if (options.dump == "ir" && !report.has_errors()) print("{}", ir::print(*module));
    if (!options.link) continue;
    parts.push_back({module, diag::Source::join_offset(sources)});
    sources.push_back(std::move(*source));
  }
  if (options.link && !errors && !unreadable) {
    diag::Report report;
    check::link(parts, &machine::provides, report);
    if (!report.diagnostics().empty()) show(diag::Source::join(sources), report);
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
