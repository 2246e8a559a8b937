// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "check/check.h"
#include "syntax/parser.h"
#include "syntax/preprocess.h"

namespace heddle::check {

Compiled compile(const std::vector<Input>& inputs) {
  Compiled result;
  std::vector<std::shared_ptr<const ir::Module>> modules;
  bool failed = false;
  for (const Input& input : inputs) {
    auto source_or = syntax::preprocess(diag::Source(input.name, input.text));
    if (!source_or.ok()) {
      result.messages += fmt::format("{}: error: {}\n", input.name, source_or.error().message);
      failed = true;
      continue;
    }
    diag::Source& source = *source_or;
    diag::Report report;
    const syntax::Tree tree = syntax::parse(source, report);
    std::shared_ptr<ir::Module> module = check(tree, source, report);
    report.sort();
    result.messages += diag::render_text(report, source);
    failed |= report.has_errors();
    modules.push_back(std::move(module));
  }
  if (failed || modules.empty()) return result;
  if (modules.size() == 1) {
    result.module = modules[0];
    return result;
  }
  diag::Report report;
  auto linked = link(modules, report);
  for (const diag::Diagnostic& problem : report.diagnostics()) {  // of no single place
    result.messages +=
        fmt::format("error[{}]: {}\n", diag::info(problem.kind).code, problem.message);
  }
  if (!report.has_errors()) result.module = std::move(linked);
  return result;
}

}  // namespace heddle::check
