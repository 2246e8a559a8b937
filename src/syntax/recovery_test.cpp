// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One mistake gives one diagnostic, at the narrowest place, and the following statements are
// parsed.
#include <gtest/gtest.h>

#include <algorithm>

#include "syntax/parser.h"
#include "syntax/printer.h"

namespace heddle::syntax {
namespace {

struct Outcome {
  std::string diagnostics;  ///< "line:column code message [help]", one on each line
  std::string printed;
};

Outcome parse_text(std::string_view text) {
  diag::Source source("t.ptx", std::string(text));
  diag::Report report;
  const Tree tree = parse(source, report);
  Outcome outcome;
  for (const diag::Diagnostic& diagnostic : report.diagnostics()) {
    const diag::Place place = source.place(diagnostic.span.begin);
    outcome.diagnostics +=
        fmt::format("{}:{} {} '{}' {}", place.line, place.column, diag::info(diagnostic.kind).code,
                    source.text(diagnostic.span), diagnostic.message);
    for (const std::string& help : diagnostic.helps) outcome.diagnostics += " [" + help + "]";
    outcome.diagnostics += '\n';
  }
  outcome.printed = print(tree);
  return outcome;
}

struct Case {
  std::string_view input;
  std::string_view diagnostics;
};

TEST(Recovery, InstructionsCostOneStatement) {
  // Stands for line 2 of a function between two good instructions.
  const Case cases[] = {
      {"add.u32 a, b, c", "2:16 P1012 '' expected ';' at the end of the statement [add ';' here]"},
      {"add.u32 a b, c;", "2:11 P1010 'b' expected ',' or ';' but found 'b'"},
      {"add.u32 %a %b, %c;", "2:12 P1010 '%b' expected ',' or ';' but found '%b'"},
      {"add.u32 a, , c;", "2:12 P1010 ',' expected an operand but found ','"},
      {"add.u32 a, b,;", "2:14 P1010 ';' expected an operand but found ';'"},
      {"mov.b64 {a b}, [c], {d};", "2:12 P1010 'b' expected ',' or '}' but found 'b'"},
      {"mov.b64 {a, {b, 1 2}}, {d};", "2:19 P1010 '2' expected ',' or '}' but found '2'"},
      {"mov.b64 {a, b, [c];", "2:16 P1010 '[' expected an operand but found '['"},
      {"ld.u32 a, [b;", "2:13 P1010 ';' expected ',' or ']' but found ';'"},
      {"ld.u32 %a [b];", "2:11 P1010 '[' expected ',' or ';' but found '['"},
      {"ld.u32 a, b];", "2:12 P1010 ']' expected ',' or ';' but found ']'"},
      {"call (a, f, (b);", "2:14 P1010 'b' expected a constant but found 'b'"},
      {"mov.u32 a, (1+2;", "2:16 P1010 ';' expected ')' but found ';'"},
      {"mov.u32 a, (.s32)5;", "2:13 P1010 '.s32' expected .s64 or .u64 but found '.s32'"},
      {"mov.u32 a, 1 ? 2;", "2:17 P1010 ';' expected ':' but found ';'"},
      {"mov.u32 a, \"x\";", "2:12 P1010 '\"x\"' expected an operand but found '\"x\"'"},
      {"@ add.u32 a, b, c;", "2:6 P1010 '.u32' expected an instruction but found '.u32'"},
      {"@5 ret;", "2:2 P1010 '5' expected a predicate register but found '5'"},
      {"@p L: ret;",
       "2:5 P1010 ':' expected an instruction but found ':' [a label stands before the guard]"},
      {"add.u32: ret;", "2:1 P1010 'add.u32' expected a label but found 'add.u32'"},
      {"(a), f;", "2:1 P1010 '(' expected an instruction or a directive but found '('"},
      {";", "2:1 P1013 ';' ';' ends no statement [remove it]"},
      {".loc 1 2;", "2:9 P1010 ';' expected a column number but found ';'"},
      {".loc 1 2 3;", "2:11 P1013 ';' ';' ends no statement [remove it]"},
      {".loc 1 2 3, inlined_at 1 2 3",
       "2:13 P1010 'inlined_at' expected function_name but found 'inlined_at'"},
      {".loc 5000000000 2 3",
       "2:6 P1010 '5000000000' expected the file's number below 2^32 but found '5000000000'"},
      {".branchtargets L;", "2:1 P1019 '.branchtargets' '.branchtargets' needs a label before it"},
      {"t: .branchtargets L<>;",
       "2:21 P1010 '>' expected how many labels this stands for but found '>'"},
      {"t: .callprototype f ();",
       "2:19 P1010 'f' expected _ but found 'f' [a prototype stands for many functions, so it has "
       "no name]"},
      {"t: .callprototype _(.param .u32);",
       "2:32 P1010 ')' expected the parameter's name but found ')' [a parameter that needs no "
       "name is called _]"},
      {"t: .callprototype (.param .u32 _);",
       "2:34 P1010 ';' expected _ but found ';' [a prototype stands for many functions, so it has "
       "no name]"},
      {".reg .u32 a b;", "2:13 P1010 'b' expected ',' or ';' but found 'b'"},
      {".reg a;", "2:6 P1010 'a' expected a type but found 'a'"},
      {".reg .u32 .v2 a;",
       "2:11 P1018 '.v2' '.v2' does not belong here [alignment, attributes and vector size stand "
       "before the type]"},
      {".reg .u32 5;", "2:11 P1010 '5' expected a name but found '5'"},
      {".reg .u32 a<n>;", "2:13 P1010 'n' expected how many names this declares but found 'n'"},
      {".shared .align n .u32 a;", "2:16 P1010 'n' expected the alignment in bytes but found 'n'"},
      {".rge .u32 a;", "2:1 P1011 '.rge' unknown directive '.rge' [did you mean '.reg'?]"},
      {".sharde .u32 a;",
       "2:1 P1011 '.sharde' unknown directive '.sharde' [did you mean '.shared'?]"},
      {".b32 x;",
       "2:1 P1010 '.b32' expected a state space such as .reg or .global before the type but found "
       "'.b32'"},
      {".blah 1, 2;", "2:1 P1011 '.blah' unknown directive '.blah'"},
      {".align 4;", "2:1 P1018 '.align' '.align' does not belong here"},
      {".maxntid 4;",
       "2:1 P1018 '.maxntid' '.maxntid' does not belong here [it stands between the parameters "
       "and the body of a function]"},
      {".visible .global .u32 x;", "2:1 P1017 '.visible' '.visible' belongs outside of functions"},
      {".version 8.0", "2:1 P1017 '.version' '.version' belongs outside of functions"},
      {".pragma nounroll;", "2:9 P1010 'nounroll' expected a string but found 'nounroll'"},
      {".pragma \"nounroll;", "2:9 P1003 '\"nounroll;' string is not closed on its line"},
      {"mov.u32 a, 5%3;",
       "2:13 P1010 '%3' expected ',' or ';' but found '%3' [% and a digit make a name: for the "
       "remainder write a blank between them]"},
      {"mov.u32 a, (5\n + ;", "3:4 P1010 ';' expected an operand but found ';'"},
      {"mov.b64 {a,\n b\n c}, d;", "3:3 P1010 '' expected ',' or '}' but found 'c'"},
      {"mov.u32 a, 08;",
       "2:12 P1004 '08' '08' is not a number [a leading 0 makes a number octal: its digits are 0 "
       "to 7]"},
      {"mov.u32 a, 0x;", "2:12 P1004 '0x' '0x' is not a number"},
      {"mov.u32 a, 12ab, 0b12;",
       "2:12 P1004 '12ab' '12ab' is not a number\n2:18 P1004 '0b12' '0b12' is not a number [0b is "
       "followed by binary digits]"},
      {"mov.f32 a, 0f3f8;",
       "2:12 P1004 '0f3f8' '0f3f8' is not a number [0f is followed by exactly 8 hexadecimal "
       "digits]"},
      {"mov.f64 a, 0d3f800000;",
       "2:12 P1004 '0d3f800000' '0d3f800000' is not a number [0d is followed by exactly 16 "
       "hexadecimal digits]"},
      {"mov.f32 a, 1.0f;",
       "2:12 P1004 '1.0f' '1.0f' is not a number [no suffix says the size: the instruction's type "
       "does]"},
      {"mov.u64 a, 18446744073709551616;",
       "2:12 P1005 '18446744073709551616' number does not fit 64 bits"},
      {"mov.f64 a, 1e999;", "2:12 P1006 '1e999' number is outside the range of .f64"},
      {"mov.u32 a, b`;", "2:13 P1001 '`' character '`' has no place in PTX"},
      {"mov.u32 \xc3\xa9, b;", "2:9 P1001 '\xc3\xa9' character outside ASCII has no place in PTX"},
      {"mov.u32 a, b; # c, d",
       "2:15 P1001 '#' character '#' has no place in PTX [comments begin with //]"},
      {"mov.u32 a, $;", "2:12 P1001 '$' character '$' has no place in PTX"},
  };
  for (const Case& test : cases) {
    const std::string input = ".entry k { first.insn a;\n" + std::string(test.input) +
                              "\n  last.insn a; }\n.global .u32 after;\n";
    const Outcome outcome = parse_text(input);
    EXPECT_EQ(outcome.diagnostics, std::string(test.diagnostics) + "\n") << test.input;
    EXPECT_NE(outcome.printed.find("    first.insn a;\n"), std::string::npos) << test.input;
    EXPECT_NE(outcome.printed.find("    last.insn a;\n}\n"), std::string::npos)
        << test.input << "\n"
        << outcome.printed;
    EXPECT_NE(outcome.printed.find(".global .u32 after;\n"), std::string::npos) << test.input;
  }
}

TEST(Recovery, ModuleStatements) {
  // Stands between two good declarations.
  const Case cases[] = {
      {".global .u32 x[ = 5;", "2:17 P1010 '=' expected an operand but found '='"},
      {".global .u32 x[] = {1, 2 3};", "2:26 P1010 '3' expected ',' or '}' but found '3'"},
      {".global .u32 x[] = {1, 2;", "2:25 P1010 ';' expected ',' or '}' but found ';'"},
      {".global .u32 x[] = {1, 2,};", "2:26 P1010 '}' expected an operand but found '}'"},
      {".global .u32 x", "2:15 P1012 '' expected ';' at the end of the statement [add ';' here]"},
      {".global .attribute(.shared) .u32 x;",
       "2:20 P1021 '.shared' unknown attribute '.shared' [.managed and .unified are attributes]"},
      {".global .u32 x; ;", "2:17 P1013 ';' ';' ends no statement [remove it]"},
      {".version 8", "2:10 P1010 '8' expected a version such as 8.5 but found '8'"},
      {".version x.y", "2:10 P1010 'x' expected a version such as 8.5 but found 'x'"},
      {".target 90", "2:9 P1010 '90' expected a target such as sm_90 but found '90'"},
      {".address_size foo", "2:15 P1010 'foo' expected 32 or 64 but found 'foo'"},
      {".file \"a\"", "2:7 P1010 '\"a\"' expected the file's number but found '\"a\"'"},
      {".alias a;", "2:9 P1010 ';' expected ',' but found ';'"},

      {".extern .visible .global .u32 x;",
       "2:9 P1018 '.visible' '.visible' does not belong here [a name has one linkage]"},
      {".visible .entyr f() { ret; }",
       "2:10 P1010 '.entyr' expected a state space, .entry or .func but found '.entyr' [did you "
       "mean '.entry'?]"},
      {".extern .globl .u32 x;",
       "2:9 P1010 '.globl' expected a state space, .entry or .func but found '.globl' [did you "
       "mean "
       "'.global'?]"},
      {"global .b32 x;",
       "2:1 P1016 'global' an instruction belongs inside a function body [did you mean "
       "'.global'?]"},
      {".extern foo;", "2:9 P1010 'foo' expected a state space, .entry or .func but found 'foo'"},
      {".section foo { .b8 1 }",
       "2:10 P1010 'foo' expected the section's name, such as .debug_info but found 'foo'"},
      {".section .debug_x { .b8 1; .b8 2\n.b8 3 }",
       "2:26 P1010 ';' expected .b8, .b16, .b32, .b64, a label or '}' but found ';'"},
      {".section .debug_x { .u32 1 }",
       "2:21 P1010 '.u32' expected .b8, .b16, .b32, .b64, a label or '}' but found '.u32'"},
      {".functoin f(.param .u32 a)\n{\n ret; { }\n}",
       "2:1 P1011 '.functoin' unknown directive '.functoin' [did you mean '.func'?]"},
      {".entyr f(.param .u32 a)\n{\n ret; { }\n}",
       "2:1 P1011 '.entyr' unknown directive '.entyr' [did you mean '.entry'?]"},
      {"}", "2:1 P1015 '}' '}' closes no block"},
      {"mov.u32 a, b;\n add.u32 c, d, e; }\n }",
       "2:1 P1016 'mov' an instruction belongs inside a function body"},
      {"{ ret; }", "2:1 P1016 '{' a block belongs inside a function body"},
      {"@@foo .byte 0", "2:3 P1010 'foo' expected DWARF but found 'foo'"},
      {"@@DWARF", "3:1 P1010 '.global' expected a DWARF directive or a label but found '.global'"},
      {"#define X 5",
       "2:1 P1008 '#define' #define was not run: this text has not gone through a C preprocessor"},
      {"# foo",
       "2:1 P1008 '# foo' #foo was not run: this text has not gone through a C "
       "preprocessor"},
      {"# -5", "2:1 P1007 '# -5' line marker has no line number"},
      {".func f(.param .u32 _);", "2:21 P1010 '_' expected the parameter's name but found '_'"},
      {".func WARP_SZ();", "2:7 P1010 'WARP_SZ' expected the function's name but found 'WARP_SZ'"},
      {".global .u64 a[2] = {0, (b)};", "2:26 P1010 'b' expected a constant but found 'b'"},
  };
  for (const Case& test : cases) {
    const std::string input =
        ".global .u32 before;\n" + std::string(test.input) + "\n.global .u32 after;\n";
    const Outcome outcome = parse_text(input);
    EXPECT_EQ(outcome.diagnostics, std::string(test.diagnostics) + "\n") << test.input;
    EXPECT_NE(outcome.printed.find(".global .u32 before;\n"), std::string::npos) << test.input;
    EXPECT_NE(outcome.printed.find(".global .u32 after;\n"), std::string::npos)
        << test.input << "\n"
        << outcome.printed;
  }
}

TEST(Recovery, FunctionHeadersKeepTheirBodies) {
  const Case cases[] = {
      {".entry k(.param u32 a) { last.insn; }",
       "1:17 P1010 'u32' expected a type but found 'u32' [did you mean '.u32'?]"},
      {".entry k(.param .u32 a .param .u32 b) { last.insn; }",
       "1:24 P1010 '.param' expected ',' or ')' but found '.param'"},
      {".entry k(\n.param .u32 a\n.param .u32 b) { last.insn; }",
       "2:14 P1010 '' expected ',' or ')' but found '.param'"},
      {".entry k(.param .u32 a,) { last.insn; }",
       "1:24 P1010 ')' expected a parameter but found ')'"},
      {".entry k(a) { last.insn; }", "1:10 P1010 'a' expected .param or .reg but found 'a'"},
      {".entry k() .maxntidd 5 { last.insn; }",
       "1:12 P1011 '.maxntidd' unknown directive '.maxntidd' [did you mean '.maxntid'?]"},
      {".entry k() .maxntid 5, { last.insn; }", "1:24 P1010 '{' expected an integer but found '{'"},
      {".entry k() .pragma \"x\" .maxntid 5 { last.insn; }",
       "1:24 P1010 '.maxntid' expected ',' or ';' but found '.maxntid'"},
      {".func (.param .u32) k(.param .u32 a) { last.insn; }",
       "1:19 P1010 ')' expected the parameter's name but found ')'"},
  };
  for (const Case& test : cases) {
    const Outcome outcome = parse_text(test.input);
    EXPECT_EQ(outcome.diagnostics, std::string(test.diagnostics) + "\n") << test.input;
    const bool named = outcome.printed.find('k') != std::string::npos;
    if (named) {
      EXPECT_NE(outcome.printed.find("last.insn;"), std::string::npos) << test.input;
    }
  }
}

TEST(Recovery, Blocks) {
  const Case cases[] = {
      {".entry k {\n ret;\n", "3:1 P1014 '' expected '}' before the end of the file\n"},
      {".entry a {\n ret;\n.entry b { ret; }", "3:1 P1014 '.entry' expected '}' before '.entry'\n"},
      {".entry a {\n {\n ret;\n}\n.visible .func b { ret; }",
       "5:10 P1014 '.func' expected '}' before '.func'\n"},
      {".entry a {\n ret;\n }\n }\n mov.u32 a, b;\n }\n.entry b { ret; }",
       "4:2 P1015 '}' '}' closes no block\n"},
      {".entry a { ret }",
       "1:15 P1012 '' expected ';' at the end of the statement [add ';' here]\n"},
      {".entry a {\n ret\n mov.u32 a, b\n @p bra L\n}",
       "2:5 P1012 '' expected ';' at the end of the statement [add ';' here]\n"
       "3:14 P1012 '' expected ';' at the end of the statement [add ';' here]\n"
       "4:10 P1012 '' expected ';' at the end of the statement [add ';' here]\n"},
      {".entry a {\n mov.u32 a, b\n .loc 1 2 3\n ret; }",
       "2:14 P1012 '' expected ';' at the end of the statement [add ';' here]\n"},
      {".entry a { /* ret; }", "1:12 P1002 '/*' comment is never closed\n"},
  };
  for (const Case& test : cases) {
    EXPECT_EQ(parse_text(test.input).diagnostics, test.diagnostics) << test.input;
  }
}

// No input may exhaust the stack or take unbounded time.
TEST(Recovery, DeepAndLongInput) {
  const std::size_t n = 200000;
  const auto repeat = [&](std::string_view text) {
    std::string many;
    for (std::size_t i = 0; i < n; ++i) many += text;
    return many;
  };
  for (const std::string_view text : {"(", "-", "{", "1+", "1?", "1?2:", "a[", "generic(", "0xff(",
                                      "(.s64)", "!~", "a.b.c", "{1,", "(("}) {
    const Outcome outcome = parse_text(".entry k { m " + repeat(text) + "; last.insn; }");
    EXPECT_EQ(outcome.diagnostics.find("P1020"), outcome.diagnostics.find("P1")) << text;
  }
  EXPECT_EQ(parse_text(".entry k " + repeat("{") + repeat("}")).diagnostics, "");
  EXPECT_EQ(parse_text(".entry k { m " + repeat("a, ") + "a; }").diagnostics, "");
}

TEST(Recovery, StopsAfterAHundredErrors) {
  std::string text = ".entry k {\n";
  for (int i = 0; i < 1000; ++i) text += "mov.u32 a b;\n";
  const Outcome outcome = parse_text(text + "}\n");
  EXPECT_EQ(std::count(outcome.diagnostics.begin(), outcome.diagnostics.end(), '\n'), 101);
  EXPECT_NE(outcome.diagnostics.find("P1099"), std::string::npos);
}

TEST(Recovery, BinaryFileIsOneMistake) {
  std::string text;
  for (int i = 0; i < 4096; ++i) text += static_cast<char>(0x80 + i % 128);
  const Outcome outcome = parse_text(text);
  EXPECT_EQ(std::count(outcome.diagnostics.begin(), outcome.diagnostics.end(), '\n'), 1);
}

}  // namespace
}  // namespace heddle::syntax
