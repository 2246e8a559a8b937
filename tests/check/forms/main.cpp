// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// heddle_form_instances FILE: checks every instruction of gen/isa/form_instances.txt, which
// scripts/isagen.py makes from the instruction tables. What is legal must check without an error;
// what is not must give one of the right family: P3xxx for a version or target that is too old,
// P2xxx for all else.
#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <fstream>
#include <string>
#include <string_view>
#include <vector>

#include "check/check.h"
#include "diag/report.h"
#include "syntax/parser.h"

namespace heddle {
namespace {

struct Instance {
  bool legal = false;
  std::string version, target, instruction, declarations, reason, where;
};

std::vector<std::string> split(const std::string& line) {
  std::vector<std::string> columns(1);
  for (const char c : line) {
    if (c == '\t') {
      columns.emplace_back();
    } else {
      columns.back() += c;
    }
  }
  return columns;
}

bool at_least(std::string_view version, int major, int minor) {
  const int have_major = version[0] - '0', have_minor = version[2] - '0';
  return have_major != major ? have_major > major : have_minor >= minor;
}

/// Functions, prototypes and lists of targets come in four kinds: bit 0 of the number says that
/// there is a .b32 parameter, bit 1 that there is a .b32 result.
struct Signature {
  int number;
  std::string result(std::string_view name, std::string_view space) const {
    return number & 2 ? fmt::format("({} .b32 {}) ", space, name) : "";
  }
  std::string params(std::string_view name, std::string_view space) const {
    return number & 1 ? fmt::format("({} .b32 {})", space, name) : "()";
  }
};

/// The module that holds the instruction, with what its names stand for; nothing that it does not
/// name, so that no other gate is in the way.
std::string module_of(const Instance& instance) {
  const auto uses = [&](std::string_view name) {
    return instance.instruction.find(name) != std::string::npos;
  };
  const char* const space = at_least(instance.version, 2, 0) ? ".param" : ".reg";
  const bool is_branch = instance.instruction.starts_with("brx");
  std::string globals, locals;
  for (const char* type : {"texref", "samplerref", "surfref"}) {
    if (!uses(fmt::format("{}_0", type))) continue;
    const bool is_old = std::string_view(type) == "texref" && !at_least(instance.version, 1, 5);
    globals += is_old ? ".tex .u32 texref_0;\n" : fmt::format(".global .{0} {0}_0;\n", type);
  }
  for (const Signature signature : {Signature{0}, {1}, {2}, {3}}) {
    const int n = signature.number;
    const bool targets = uses(fmt::format("targets_{}", n)) && !is_branch;
    if (targets || uses(fmt::format("function_{}", n))) {
      globals += fmt::format(".func {}function_{}{} {{\nret;\n}}\n", signature.result("r", space),
                             n, signature.params("a", space));
    }
    if (targets) locals += fmt::format("targets_{0}: .calltargets function_{0};\n", n);
    if (uses(fmt::format("proto_{}", n))) {
      locals +=
          fmt::format("proto_{}: .callprototype {}_ {};\n", n,
                      n & 2 ? signature.result("_", space) : "", signature.params("_", space));
    }
  }
  if (uses("targets_0") && is_branch) locals += "targets_0: .branchtargets label_0;\n";
  if (uses("param_0")) locals += fmt::format("{} .b32 param_0;\n", space);
  if (uses("label_0") || is_branch) locals += "label_0:\n";
  return fmt::format(
      ".version {}\n.target {}\n{}{}.entry kernel {{\n{}\n{}{}\nexit;\n}}\n", instance.version,
      instance.target, at_least(instance.version, 2, 3) ? ".address_size 64\n" : "", globals,
      instance.declarations == "-" ? "" : instance.declarations, locals, instance.instruction);
}

/// What is wrong with the checker's opinion; empty: nothing.
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

struct Totals {
  std::size_t legal = 0, illegal = 0, failed = 0;
};

void check_line(const std::string& line, Totals& totals, std::size_t most_shown) {
  const auto columns = split(line);
  if (columns.size() != 7) {
    fmt::print("a line has {} columns: {}\n", columns.size(), line);
    ++totals.failed;
    return;
  }
  const Instance instance{columns[0] == "accept",
                          columns[1],
                          columns[2],
                          columns[3],
                          columns[4],
                          columns[5],
                          columns[6]};
  ++(instance.legal ? totals.legal : totals.illegal);
  diag::Source source("instance.ptx", module_of(instance));
  diag::Report report;
  const syntax::Tree tree = syntax::parse(source, report);
  check::check(tree, source, report);
  const std::string complaint = judge(instance, report);
  if (complaint.empty()) return;
  if (++totals.failed > most_shown) return;
  fmt::print("{}: ptx {}, {}: {} {}\n{}\n", instance.where, instance.version, instance.target,
             instance.instruction, complaint, diag::render_text(report, source));
}

int run(const char* path, std::size_t most_shown) {
  std::ifstream file(path);
  Totals totals;
  for (std::string line; std::getline(file, line);) {
    if (!line.empty() && line[0] != '#') check_line(line, totals, most_shown);
  }
  fmt::print("{} legal and {} illegal instructions checked; {} failed\n", totals.legal,
             totals.illegal, totals.failed);
  return totals.failed == 0 && totals.legal > 0 && totals.illegal > 0 ? 0 : 1;
}

}  // namespace
}  // namespace heddle

int main(int argc, char** argv) {
  const bool all = argc == 3 && std::strcmp(argv[2], "--all") == 0;
  if (argc != 2 && !all) {
    fmt::print(stderr, "usage: heddle_form_instances FILE [--all]\n");
    return 2;
  }
  return heddle::run(argv[1], all ? ~std::size_t{0} : 50);
}
