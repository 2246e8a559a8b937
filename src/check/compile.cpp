// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The steps of the front end, in order.
#include <algorithm>

#include "base/config.h"
#include "check/check.h"
#include "check/link.h"
#include "check/module_checker.h"
#include "ir/contract.h"
#include "syntax/parser.h"
#include "syntax/preprocess.h"

namespace heddle::check {

bool CompileOptions::contracts_by_default() { return config().contract; }

Result<Unit> check_input(Input input, Want want, Versions versions) {
  auto source = syntax::preprocess(diag::Source(std::move(input.name), std::move(input.text)));
  if (!source.ok()) return source.error();
  Unit unit{std::move(*source), {}, nullptr, input.overrides, input.contract};
  const syntax::Tree tree = syntax::parse(unit.source, unit.report);
  unit.module = check(tree, unit.source, unit.report, want, versions);
  unit.report.sort();
  return unit;
}

Linked link(std::vector<Unit> units, Provides provides, const CompileOptions& options) {
  std::vector<diag::Source> sources;
  std::vector<Part> parts;
  for (Unit& unit : units) {
    if (!options.for_sm_1x) {
      fuse_mad(*unit.module);
      if (options.contract && unit.contract) ir::contract(*unit.module);
    }
    parts.push_back({std::move(unit.module), diag::Source::join_offset(sources), unit.overrides});
    sources.push_back(std::move(unit.source));
  }
  diag::Report report;
  auto module = link(parts, provides, report, options.complete, options.program);
  if (report.has_errors()) module = nullptr;
  // Only a report needs the joined text.
  diag::Source joined =
      report.diagnostics().empty() ? diag::Source("", "") : diag::Source::join(sources);
  return {std::move(module), {std::move(joined), std::move(report)}};
}

bool Compiled::has(diag::Kind kind) const {
  return std::ranges::any_of(reports, [&](const diag::Checked& checked) {
    return std::ranges::any_of(checked.report.diagnostics(),
                               [&](const diag::Diagnostic& one) { return one.kind == kind; });
  });
}

std::string Compiled::messages(bool colour) const {
  std::string text;
  for (const Error& failure : failures) text += failure.message + "\n";
  for (const diag::Checked& checked : reports)
    text += diag::render_text(checked.report, checked.source, colour);
  return text;
}

Compiled compile(const std::vector<Input>& inputs, Provides provides,
                 const CompileOptions& options) {
  Compiled result;
  std::vector<Unit> units;
  bool failed = inputs.empty();
  for (const Input& input : inputs) {
    auto unit = check_input(input, Want::module, options.versions);
    if (!unit.ok()) {
      result.failures.push_back(unit.error());
      failed = true;
      continue;
    }
    unit->report.drop_remarks();
    failed |= unit->report.has_errors();
    if (!unit->report.diagnostics().empty())
      result.reports.push_back({unit->source, std::move(unit->report)});
    units.push_back(std::move(*unit));
  }
  if (failed) return result;
  Linked linked = link(std::move(units), provides, options);
  result.module = std::move(linked.module);
  if (!linked.checked.report.diagnostics().empty())
    result.reports.push_back(std::move(linked.checked));
  return result;
}

}  // namespace heddle::check
