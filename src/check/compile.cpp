// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "base/config.h"
#include "check/check.h"
#include "check/module_checker.h"
#include "ir/contract.h"
#include "syntax/parser.h"
#include "syntax/preprocess.h"

namespace heddle::check {

bool CompileOptions::contracts_by_default() { return config().contract; }

Compiled compile(const std::vector<Input>& inputs, Provides provides,
                 const CompileOptions& options) {
  Compiled result;
  std::vector<diag::Source> sources;
  std::vector<Part> parts;
  bool failed = false;
  for (const Input& input : inputs) {
    auto source_or = syntax::preprocess(diag::Source(input.name, input.text));
    if (!source_or.ok()) {
      result.messages += fmt::format("{}: error: {}\n", input.name, source_or.error().message);
      failed = true;
      continue;
    }
    const u32 base = diag::Source::join_offset(sources);
    diag::Source& source = sources.emplace_back(std::move(*source_or));
    diag::Report report;
    const syntax::Tree tree = syntax::parse(source, report);
    std::shared_ptr<ir::Module> module =
        check(tree, source, report, Want::module, options.versions);
    report.sort();
    report.drop_remarks();
    result.messages += diag::render_text(report, source);
    failed |= report.has_errors();
    if (!failed && !options.for_sm_1x) {
      fuse_mad(*module);
      if (options.contract) ir::contract(*module);
    }
    parts.push_back({std::move(module), base, input.overrides});
  }
  if (failed || parts.empty()) return result;
  diag::Report report;
  std::shared_ptr<const ir::Module> module =
      link(parts, provides, report, options.complete, options.program);
  if (!report.diagnostics().empty()) {
    result.messages += diag::render_text(report, diag::Source::join(sources));
  }
  if (!report.has_errors()) result.module = std::move(module);
  return result;
}

}  // namespace heddle::check
