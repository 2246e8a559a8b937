// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// heddle_form_instances FILE: checks every instruction of gen/isa/form_instances.txt, which
// scripts/isagen.py makes from the instruction tables. A legal instruction must have no error; an
// illegal one must have an error of the right family: P3xxx for a version or target that is too
// old, P2xxx otherwise. With --verdicts: prints the checker's verdicts, for scripts/ptxas_agree.py.
#include <fmt/format.h>

#include <cstring>
#include <string>
#include <string_view>

#include "check/check.h"
#include "diag/report.h"
#include "instance.h"
#include "syntax/parser.h"

namespace heddle::forms {
namespace {

/// Why the checker's verdict is wrong; empty: it is right.
std::string judge(const Instance& instance, const diag::Report& report) {
  if (instance.legal) return report.has_errors() ? "is legal, but has errors" : "";
  if (!report.has_errors())
    return fmt::format("is illegal ({}), but has no errors", instance.reason);
  const bool is_gate = instance.reason == "version" || instance.reason == "target";
  const std::string_view family = is_gate ? "P3" : "P2";
  for (const diag::Diagnostic& diagnostic : report.diagnostics()) {
    if (diagnostic.severity == diag::Severity::error &&
        !diag::info(diagnostic.kind).code.starts_with(family)) {
      return fmt::format("is illegal ({}): expected {}xxx", instance.reason, family);
    }
  }
  return "";
}

diag::Report report_of(diag::Source& source) {
  diag::Report report;
  const syntax::Tree tree = syntax::parse(source, report);
  check::check(tree, source, report);
  return report;
}

/// One line for each instruction: `accept`, or `reject` and the code of the first error.
void print_verdict(const Instance& instance) {
  diag::Source source("instance.ptx", module_of(instance));
  const diag::Report report = report_of(source);
  for (const diag::Diagnostic& diagnostic : report.diagnostics()) {
    if (diagnostic.severity != diag::Severity::error) continue;
    fmt::print("reject {}\n", diag::info(diagnostic.kind).code);
    return;
  }
  fmt::print("accept\n");
}

struct Totals {
  std::size_t legal = 0, illegal = 0, failed = 0;
};

void check_one(const Instance& instance, Totals& totals, std::size_t most_shown) {
  ++(instance.legal ? totals.legal : totals.illegal);
  diag::Source source("instance.ptx", module_of(instance));
  const diag::Report report = report_of(source);
  const std::string complaint = judge(instance, report);
  if (complaint.empty()) return;
  if (++totals.failed > most_shown) return;
  fmt::print("{}: ptx {}, {}: {} {}\n{}\n", instance.where, instance.version, instance.target,
             instance.instruction, complaint, diag::render_text(report, source));
}

int run(const char* path, std::size_t most_shown) {
  Totals totals;
  for (const Instance& instance : read_instances(path)) check_one(instance, totals, most_shown);
  fmt::print("{} legal and {} illegal instructions checked; {} failed\n", totals.legal,
             totals.illegal, totals.failed);
  return totals.failed == 0 && totals.legal > 0 && totals.illegal > 0 ? 0 : 1;
}

}  // namespace
}  // namespace heddle::forms

int main(int argc, char** argv) {
  const auto has = [&](const char* option) {
    return argc == 3 && std::strcmp(argv[2], option) == 0;
  };
  const bool all = has("--all");
  if (has("--verdicts")) {
    for (const auto& instance : heddle::forms::read_instances(argv[1]))
      heddle::forms::print_verdict(instance);
    return 0;
  }
  if (argc != 2 && !all) {
    fmt::print(stderr, "usage: heddle_form_instances FILE [--all | --verdicts]\n");
    return 2;
  }
  return heddle::forms::run(argv[1], all ? ~std::size_t{0} : 50);
}
