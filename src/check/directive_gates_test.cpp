// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Each directive with a gate is refused one version and one target too early, and accepted after
// that.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <string>

#include "check/check.h"
#include "isa/entry.h"
#include "syntax/parser.h"

namespace heddle::check {
namespace {

constexpr std::string_view kKernel = ".entry k() { exit; }";

/// For each directive: the text of a module with it.
const std::map<std::string_view, std::string> kUses = {
    {".address_size", ".address_size 32"},
    {".alias", ".func f() { ret; } .func g(); .alias g, f;"},
    {".branchtargets", ".entry j() { t: .branchtargets l; l: exit; }"},
    {".calltargets", ".func f() { ret; } .entry j() { t: .calltargets f; exit; }"},
    {".callprototype", ".entry j() { p: .callprototype _ (); exit; }"},
    {".maxnreg", ".entry j() .maxnreg 32 { exit; }"},
    {".maxntid", ".entry j() .maxntid 32 { exit; }"},
    {".reqntid", ".entry j() .reqntid 32 { exit; }"},
    {".minnctapersm", ".entry j() .minnctapersm 2 { exit; }"},
    {".maxnctapersm", ".entry j() .maxnctapersm 2 { exit; }"},
    {".noreturn", ".func f() .noreturn { exit; }"},
    {".pragma", ".pragma \"nounroll\";"},
    {".abi_preserve", ".func f() .abi_preserve 8 { ret; }"},
    {".abi_preserve_control", ".func f() .abi_preserve_control 8 { ret; }"},
    {"@@DWARF", "@@DWARF .byte 0x2b\n"},
    {".section", ".section .debug_info { .b8 1 }"},
    {".weak", ".weak .global .b32 x; .weak .func f() { ret; }"},
    {".common", ".common .global .b32 x;"},
    {".reqnctapercluster", ".entry j() .reqnctapercluster 2 { exit; }"},
    {".explicitcluster", ".entry j() .explicitcluster { exit; }"},
    {".maxclusterrank", ".entry j() .maxclusterrank 2 { exit; }"},
    {".blocksareclusters",
     ".entry j() .reqntid 2 .reqnctapercluster 2 .blocksareclusters { exit; }"},
    {".tex", ".tex .u32 t;"},
    {".b128", ".global .b128 x;"},
    {".f16x2", ".global .f16x2 x;"},
    {".texref", ".global .texref t;"},
    {".samplerref", ".global .samplerref t;"},
    {".surfref", ".global .surfref t;"},
    {".ptr", ".entry j(.param .u32 .ptr .global .align 4 p) { exit; }"},
    {".attribute", ".global .attribute(.managed) .b32 x;"},
    {".managed", ".global .attribute(.managed) .b32 x;"},
    {".unified", ".global .attribute(.unified(1, 2)) .b32 x;"},
};

/// Parts of directives, which are not in the tables: a text that uses the part, and its gates.
struct Part {
  const char* use;
  isa::PtxVersion since;
  isa::PtxVersion until = {9, 9};
};
const Part kParts[] = {
    {".file 1 \"a.cu\", 1, 2", {3, 2}},
    {".entry j() { .loc 1 2 3\n.loc 1 3 4, function_name f, inlined_at 1 2 3\nexit; }", {7, 2}},
    {".section .debug_str { f: .b8 0 }", {7, 0}},
    {".global .b8 x; .global .u32 y = x;", {2, 1}},
    {".func f() { ret; } .global .u32 y = f;", {2, 1}},
    {".global .b8 x; .global .u32 y = generic(x);", {3, 1}},
    {".global .b8 x; .global .u8 y = 0xff(x);", {7, 1}},
    {".extern .const[2] .b32 x[];", {1, 5}, {2, 1}},
    {".func f(.param .b32 a) { ret; }", {2, 0}},
    {".entry j() { .param .b32 a; exit; }", {2, 0}},
};

/// The messages of `heddle check` for a module of that version and target.
std::string messages(isa::PtxVersion version, isa::Target target, std::string_view use) {
  std::string text = fmt::format(".version {}\n.target {}, texmode_independent\n{}\n{}\n",
                                 isa::to_string(version), isa::to_string(target), use, kKernel);
  diag::Source source("module.ptx", std::move(text));
  diag::Report report;
  const syntax::Tree tree = syntax::parse(source, report);
  check(tree, source, report, Want::report);
  return report.has_errors() ? diag::render_text(report, source) : "";
}

isa::PtxVersion before(isa::PtxVersion version) {
  constexpr u8 kLastMinor[] = {0, 5, 3, 2, 3, 1, 5, 8, 8};
  if (version.minor) return {version.major, static_cast<u8>(version.minor - 1)};
  const u8 major = static_cast<u8>(version.major - 1);
  return {major, kLastMinor[major]};
}

/// The newest target of a version that is not architecture- or family-specific.
isa::Target newest_target(isa::PtxVersion version, isa::Target below = {999, 0}) {
  isa::Target newest{10, 0};
  for (const isa::Entry& entry : isa::targets()) {
    const auto target = isa::parse_target(entry.name);
    if (target->suffix || target->sm >= below.sm || target->sm < newest.sm) continue;
    if (!isa::refuse(entry.gates, version, *target)) newest = *target;
  }
  return newest;
}

isa::PtxVersion last_version(const isa::Entry& entry) {
  isa::PtxVersion last{9, 0};
  for (const isa::Gate& gate : entry.gates) {
    if (gate.until.ptx > isa::PtxVersion{}) last = std::min(last, gate.until.ptx);
  }
  return last;
}

TEST(DirectiveGates, EachIsApplied) {
  for (const isa::Entry& entry : isa::directives()) {
    if (entry.gates.empty()) continue;
    const auto use = kUses.find(entry.name);
    ASSERT_NE(use, kUses.end()) << entry.name << " has a gate and no test here";
    for (const isa::Gate& gate : entry.gates) {
      for (const isa::GateAlternative& since : gate.since) {
        const isa::PtxVersion version =
            std::min(std::max(since.ptx, isa::PtxVersion{5, 0}), last_version(entry));
        SCOPED_TRACE(fmt::format("{} since {}", entry.name, isa::to_string(since.ptx)));
        EXPECT_EQ(messages(version, newest_target(version), use->second), "");
        if (since.ptx > isa::PtxVersion{1, 0}) {
          const isa::PtxVersion old = before(since.ptx);
          EXPECT_NE(messages(old, newest_target(old), use->second).find("P3005"),
                    std::string::npos);
        }
        if (since.target.sm > 10) {
          const isa::Target old = newest_target(version, since.target);
          EXPECT_NE(messages(version, old, use->second).find("P3005"), std::string::npos)
              << isa::to_string(old);
        }
      }
      if (gate.until.ptx == isa::PtxVersion{}) continue;
      SCOPED_TRACE(fmt::format("{} until {}", entry.name, isa::to_string(gate.until.ptx)));
      const isa::PtxVersion last = gate.until.ptx, after{9, 0};
      EXPECT_EQ(messages(last, newest_target(last), use->second), "");
      EXPECT_NE(messages(after, newest_target(after), use->second).find("P3005"),
                std::string::npos);
    }
  }
}

TEST(DirectiveGates, PartsAreOfAVersion) {
  for (const Part& part : kParts) {
    SCOPED_TRACE(part.use);
    EXPECT_EQ(messages(part.since, newest_target(part.since), part.use), "");
    const isa::PtxVersion old = before(part.since);
    EXPECT_NE(messages(old, newest_target(old), part.use).find("P3005"), std::string::npos);
    const bool ends = part.until < isa::PtxVersion{9, 0};
    if (!ends) continue;
    EXPECT_EQ(messages(part.until, newest_target(part.until), part.use), "");
    EXPECT_NE(messages({9, 0}, newest_target({9, 0}), part.use).find("P3005"), std::string::npos);
  }
}

}  // namespace
}  // namespace heddle::check
