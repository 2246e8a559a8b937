// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tests the examples of src/diag/explanations.md: the wrong one breaks this rule and no other, the
// right one is accepted.
#include <gtest/gtest.h>

#include <charconv>
#include <set>
#include <sstream>

#include "check/check.h"
#include "check/link.h"
#include "diag/explanation.h"
#include "syntax/parser.h"

namespace heddle::check {
namespace {

using diag::Example;
using diag::ExampleScope;
using diag::Kind;

constexpr std::string_view kHeader = ".version 8.5\n.target sm_75\n.address_size 64\n";
constexpr std::string_view kKernel =
    ".visible .entry kernel(.param .u64 p)\n{\n"
    ".reg .pred %p<8>;\n.reg .b16 %h<8>;\n.reg .b32 %r<8>;\n.reg .b64 %rd<8>;\n"
    ".reg .f32 %f<8>;\n.reg .f64 %fd<8>;\n";

/// The complete modules of an example: with the text around it, and with repeated lines expanded.
std::vector<std::string> modules_of(const Example& example) {
  std::vector<std::string> modules(1);
  std::istringstream lines{std::string(example.text)};
  for (std::string line; std::getline(lines, line);) {
    constexpr std::string_view kRepeated = "// repeated ";
    int times = 1;
    if (line == "// ---") {
      modules.emplace_back();
      continue;
    }
    if (const auto at = line.find(kRepeated); at != line.npos) {
      std::from_chars(line.data() + at + kRepeated.size(), line.data() + line.size(), times);
    }
    while (times--) modules.back() += line + "\n";
  }
  for (std::string& text : modules) {
    if (example.scope == ExampleScope::body) {
      text = fmt::format("{}{}{}ret;\n}}\n", kHeader, kKernel, text);
    } else if (example.scope == ExampleScope::declarations) {
      text = fmt::format("{}{}", kHeader, text);
    }
  }
  return modules;
}

bool is_about_linking(Kind kind) { return diag::info(kind).code.starts_with("P4"); }

/// The codes of all messages for an example. If the kind is about linking, its modules are linked.
std::set<std::string_view> codes_of(const Example& example, Kind kind) {
  const bool program = is_about_linking(kind);
  const Versions versions = kind == Kind::newer_version ? Versions::newer : Versions::known;
  std::set<std::string_view> codes;
  std::vector<Part> parts;
  const auto take = [&](const diag::Report& report) {
    for (const auto& diagnostic : report.diagnostics()) {
      codes.insert(diag::info(diagnostic.kind).code);
    }
  };
  for (const std::string& text : modules_of(example)) {
    diag::Source source("example.ptx", text);  // without the C preprocessor: P1008
    diag::Report report;
    const syntax::Tree tree = syntax::parse(source, report);
    parts.push_back({check(tree, source, report, Want::module, versions), 0});
    take(report);
  }
  if (codes.empty() && program) {
    diag::Report report;
    link(
        parts, [](std::string_view) { return Provided::no; }, report, Complete::everything,
        Program::whole);
    take(report);
  }
  return codes;
}

}  // namespace

TEST(Explanations, TheWrongExampleBreaksThisRuleOnly) {
  for (std::size_t i = 0; i < diag::kind_count(); ++i) {
    const Kind kind = static_cast<Kind>(i);
    std::set<std::string_view> expected{diag::info(kind).code};
    if (kind == Kind::too_many_errors) expected.insert("P1010");  // the kind of the repeated errors
    EXPECT_EQ(codes_of(diag::explanation(kind).wrong, kind), expected) << diag::info(kind).code;
  }
}

TEST(Explanations, TheRightExampleIsAccepted) {
  for (std::size_t i = 0; i < diag::kind_count(); ++i) {
    const Kind kind = static_cast<Kind>(i);
    EXPECT_EQ(codes_of(diag::explanation(kind).right, kind), std::set<std::string_view>{})
        << diag::info(kind).code;
  }
}

}  // namespace heddle::check
