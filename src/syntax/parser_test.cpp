// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tests that everything except instructions is parsed and printed.
#include "syntax/parser.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "syntax/equal.h"
#include "syntax/printer.h"

namespace heddle::syntax {
namespace {

struct Parsed {
  std::string text;
  std::string diagnostics;
};

Parsed print_of(std::string_view input) {
  diag::Source source("t.ptx", std::string(input));
  diag::Report report;
  const Tree tree = parse(source, report);
  return {print(tree), render_text(report, source)};
}

struct Case {
  std::string_view input;
  std::string_view printed = {};  ///< empty: the input itself
};

void expect_prints(const Case& test) {
  const std::string_view expected = test.printed.empty() ? test.input : test.printed;
  const Parsed once = print_of(test.input);
  EXPECT_EQ(once.diagnostics, "") << test.input;
  EXPECT_EQ(once.text, expected) << test.input;
  EXPECT_EQ(print_of(once.text).text, once.text) << test.input;
}

TEST(Parser, ModuleDirectives) {
  const Case cases[] = {
      {".version 8.5\n"},
      {".version 1.4 .target sm_10 , map_f64_to_f32",
       ".version 1.4\n.target sm_10, map_f64_to_f32\n"},
      {".version 0009.10", ".version 9.10\n"},
      {".target sm_90a, debug\n.address_size 64\n"},
      {".file 1 \"a b.cu\"\n"},
      {".file 2 \"c:\\x.cu\" , 1339013327, 64118", ".file 2 \"c:\\x.cu\", 1339013327, 64118\n"},
      {".file 3 \"\", 5", ".file 3 \"\", 5, 0\n"},
      {".alias a , b ;", ".alias a, b;\n"},
      {".pragma \"nounroll\" , \"x\";", ".pragma \"nounroll\", \"x\";\n"},
      {"@@DWARF .section .debug_pubnames,  \"\", @progbits // c\n@@dwarf  .4byte 0x1, 0x2 \n",
       "@@DWARF .section .debug_pubnames, \"\", @progbits\n@@DWARF .4byte 0x1, 0x2\n"},
      {".section .debug_str {\nL0:\n.b8 95 // _\n.b8 -1,0x2b , 0 .b16 65535\n"
       ".b32 .debug_loc+0x4, L0 + 12 .b64 L1-L0 L1: }",
       ".section .debug_str {\nL0:\n    .b8 95\n    .b8 -1, 0x2b, 0\n    .b16 65535\n"
       "    .b32 .debug_loc+0x4, L0+12\n    .b64 L1-L0\nL1:\n}\n"},
      {".section .debug_loc { }", ".section .debug_loc {\n}\n"},
      {"", ""},
  };
  for (const Case& test : cases) expect_prints(test);
}

TEST(Parser, Variables) {
  const Case cases[] = {
      {".global .u32 x;\n"},
      {".reg.v4.f32 a;", ".reg .v4 .f32 a;\n"},
      {".reg .b32 %r<100>, q, %p3;", ".reg .b32 %r<100>;\n.reg .b32 q;\n.reg .b32 %p3;\n"},
      {".visible .global .attribute(.managed) .align 8 .b8 m[16];\n"},
      {".global .attribute(.unified(19,0x5F)) .f32 f;",
       ".global .attribute(.unified(19, 0x5f)) .f32 f;\n"},
      {".global .align 4 .attribute(.managed, .managed) .u32 x;",
       ".global .attribute(.managed) .attribute(.managed) .align 4 .u32 x;\n"},
      {".extern .shared .align 16 .b8 dyn[];\n"},
      {".extern .const[2] .b32 buffer[];\n"},
      {".weak .const .s32 y = -5;\n"},
      {".common .global .u32 c;\n"},
      {".tex .u32 a, b;", ".tex .u32 a;\n.tex .u32 b;\n"},
      {".sreg .v4 .u32 %foo;\n"},
      {".global .texref t;\n.global .surfref s;\n"},
      {".global .samplerref s = { addr_mode_0 = clamp_to_border,\n filter_mode=nearest };",
       ".global .samplerref s = {addr_mode_0 = clamp_to_border, filter_mode = nearest};\n"},
      {".global .s32 o[][2] = { {-1, 0}, {0, -1} };",
       ".global .s32 o[][2] = {{-1, 0}, {0, -1}};\n"},
      {".global .u32 e[3] = {};\n"},
      {".global .u32 a[N*2+1][WARP_SZ];", ".global .u32 a[N * 2 + 1][WARP_SZ];\n"},
      {".global .u64 p = generic(q)+8, r = q + 4;",
       ".global .u64 p = generic(q) + 8;\n.global .u64 r = q + 4;\n"},
      {".global .u8 m[] = {0xff(q), 0xFF00(q+4), 0xff0000 (generic(q)+4), 0xFF(1000 + 546)};",
       ".global .u8 m[] = {0xff(q), 0xff00(q + 4), 0xff0000(generic(q) + 4), "
       "0xff(1000 + 546)};\n"},
      {".const .f32 v[2] = {0F3f800000, .5};", ".const .f32 v[2] = {0f3f800000, 0.5};\n"},
      {".global .u32 reg, global, add, ld;",
       ".global .u32 reg;\n.global .u32 global;\n.global .u32 add;\n.global .u32 ld;\n"},
      {".global .u32 $str, _a, a$b, %x;",
       ".global .u32 $str;\n.global .u32 _a;\n.global .u32 a$b;\n.global .u32 %x;\n"},
  };
  for (const Case& test : cases) expect_prints(test);
}

TEST(Parser, Functions) {
  const Case cases[] = {
      {".func foo;\n"},
      {".visible .func abort\n.entry e { }", ".visible .func abort;\n\n.entry e\n{\n}\n"},
      {".visible .func (.param .u32 %value_out) f (.param .u64 %in_ar0);",
       ".visible .func (.param .u32 %value_out) f(.param .u64 %in_ar0);\n"},
      {".func (.reg .b32 a, .reg .b32 b) two ( ) { ret; }",
       ".func (.reg .b32 a, .reg .b32 b) two()\n{\n    ret;\n}\n"},
      {".entry k(.param .u64 .ptr.global.align 16 p, .param .align 8 .b8 s[12], "
       ".param .u32 .ptr .align 4 q, .param .u64 .ptr .const r, .param .u64 .ptr t)\n"
       ".maxntid 16,16,4 .minnctapersm 2 .pragma \"nounroll\"; .reqnctapercluster 2, 1 {}",
       ".entry k(\n    .param .u64 .ptr .global .align 16 p,\n    .param .align 8 .b8 s[12],\n"
       "    .param .u32 .ptr .align 4 q,\n    .param .u64 .ptr .const r,\n"
       "    .param .u64 .ptr t\n)\n.maxntid 16, 16, 4\n.minnctapersm 2\n.pragma \"nounroll\";\n"
       ".reqnctapercluster 2, 1\n{\n}\n"},
      {".entry k(.param .u64 .ptr.texref t, .param .u64 .ptr .surfref .align 8 s, "
       ".param.b8.align 8 b[64], .hidden.param .align 64 .b8 d[128])",
       ".entry k(\n    .param .u64 .ptr .texref t,\n    .param .u64 .ptr .surfref .align 8 s,\n"
       "    .param .align 8 .b8 b[64],\n    .hidden .param .align 64 .b8 d[128]\n);\n"},
      {".entry k .reqntid 0x20, 2 .blocksareclusters .explicitcluster .maxclusterrank 8 "
       ".maxnreg 32 .maxnctapersm 1 { { } }",
       ".entry k\n.reqntid 0x20, 2\n.blocksareclusters\n.explicitcluster\n.maxclusterrank 8\n"
       ".maxnreg 32\n.maxnctapersm 1\n{\n    {\n    }\n}\n"},
      {".func .attribute(.unified(0xAB, 0xCD)) bar() .noreturn .abi_preserve 8 "
       ".abi_preserve_control 14;",
       ".func .attribute(.unified(0xab, 0xcd)) bar()\n.noreturn\n.abi_preserve 8\n"
       ".abi_preserve_control 14;\n"},
      {".func f(.reg .u32 b, .param .align 4 .b8 a[]);",
       ".func f(\n    .reg .u32 b,\n    .param .align 4 .b8 a[]\n);\n"},
      {".entry t(.param .texref a, .param .samplerref b) {}",
       ".entry t(\n    .param .texref a,\n    .param .samplerref b\n)\n{\n}\n"},
  };
  for (const Case& test : cases) expect_prints(test);
}

TEST(Parser, BodyDirectives) {
  const Case cases[] = {
      {"L: M:ret;", "L:\nM:\n    ret;\n"},
      {"ts: .branchtargets L1, L2, N<5>;", "ts:\n    .branchtargets L1, L2, N<5>;\n"},
      {"ct : .calltargets f, g;", "ct:\n    .calltargets f, g;\n"},
      {"P: .callprototype _ ;", "P:\n    .callprototype _;\n"},
      {"P: .callprototype (.param .u32 _) _ (.param .f32 _, .param .b8 _[12]) .noreturn "
       ".abi_preserve 10;",
       "P:\n    .callprototype (.param .u32 _) _(.param .f32 _, .param .b8 _[12]) .noreturn "
       ".abi_preserve 10;\n"},
      {".loc 1 20 3\n.loc 1 9 3, function_name info0, inlined_at 1 21 3 "
       ".loc 1 15 3, function_name .debug_str + 16, inlined_at 1 10 5",
       "    .loc 1 20 3\n    .loc 1 9 3, function_name info0, inlined_at 1 21 3\n"
       "    .loc 1 15 3, function_name .debug_str+16, inlined_at 1 10 5\n"},
      {".pragma \"nounroll\";", "    .pragma \"nounroll\";\n"},
      {".param .align 8 .b8 s[12]; { .reg .u32 a; }",
       "    .param .align 8 .b8 s[12];\n    {\n        .reg .u32 a;\n    }\n"},
      {"version: target: ret;", "version:\ntarget:\n    ret;\n"},
  };
  for (const Case& test : cases) {
    const std::string input = ".entry k {\n" + std::string(test.input) + "\n}\n";
    const std::string printed = ".entry k\n{\n" + std::string(test.printed) + "}\n";
    expect_prints({input, printed});
  }
}

TEST(Parser, TreeOfAFunction) {
  diag::Source source("t.ptx", ".visible .entry k(.param .u32 n) { { L: @!p bra L; } } .func f;");
  diag::Report report;
  const Tree tree = parse(source, report);
  ASSERT_FALSE(report.has_errors());
  std::vector<StmtKind> kinds;
  for (const Stmt& stmt : tree.stmts) kinds.push_back(stmt.kind);
  using enum StmtKind;
  EXPECT_THAT(kinds, testing::ElementsAre(function, block_begin, block_begin, label, instruction,
                                          block_end, block_end, function));
  const Function& k = tree.functions[tree.stmts[0].data];
  EXPECT_EQ(k.kind, FunctionKind::entry);
  EXPECT_EQ(tree.names[k.linkage], "visible");
  EXPECT_TRUE(k.has_body && k.has_params && !k.has_return);
  EXPECT_EQ(k.body.first, 2u);
  EXPECT_EQ(k.body.count, 4u);
  EXPECT_EQ(source.text(tree.variables[k.params.first].name_span), "n");
  EXPECT_EQ(source.text(k.span), ".visible .entry k(.param .u32 n)");
  const Instruction& bra = tree.instructions[tree.stmts[4].data];
  EXPECT_EQ(source.text(tree.stmts[4].span), "@!p bra L;");
  EXPECT_EQ(source.text(bra.mnemonic_span), "bra");
  EXPECT_EQ(source.text(bra.guard.span), "@!p");
  EXPECT_TRUE(bra.guard.negated);
  EXPECT_FALSE(tree.functions[tree.stmts[7].data].has_body);
}

TEST(Parser, EqualSeesEachDifference) {
  const auto tree_of = [](std::string_view text) {
    diag::Source source("t.ptx", std::string(text));
    diag::Report report;
    return parse(source, report);
  };
  const std::string_view base =
      ".version 8.0 .target sm_80 .global .align 4 .u32 x[2] = {1, 2}; .alias a, b;"
      ".func (.reg .u32 r) f(.reg .u32 a) { @p add.u32 a, b, 3; L: ts: .branchtargets L<2>; }";
  EXPECT_TRUE(equal(tree_of(base), tree_of(base)));
  const std::pair<std::string_view, std::string_view> changes[] = {
      {"8.0", "8.1"},
      {"sm_80", "sm_90"},
      {"align 4", "align 8"},
      {".u32 x", ".s32 x"},
      {"x[2]", "x[3]"},
      {"{1, 2}", "{1}"},
      {"a, b;", "b, a;"},
      {".reg .u32 r", ".reg .u32 s"},
      {"@p", "@!p"},
      {"@p", "@q"},
      {"add", "sub"},
      {"b, 3", "b, 4"},
      {"b, 3", "b, 3U"},
      {"L<2>", "L<3>"},
      {"L<2>", "L"},
      {"L:", "M:"},
      {".func", ".visible .func"},
  };
  for (const auto& [from, to] : changes) {
    std::string changed(base);
    changed.replace(changed.find(from), from.size(), to);
    EXPECT_FALSE(equal(tree_of(base), tree_of(changed))) << from << " -> " << to;
  }
  EXPECT_TRUE(equal(tree_of(".global .u32 x = 0x10;"), tree_of(".global  .u32 x = 16 ;")));
}

}  // namespace
}  // namespace heddle::syntax
