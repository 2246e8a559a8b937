// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "syntax/lexer.h"

#include <gtest/gtest.h>

#include <bit>

namespace heddle::syntax {
namespace {

/// Each token as kind and text, from a text that has no lexical errors.
std::string tokens_of(std::string_view text) {
  static constexpr const char* kNames[] = {"end",  "name",   "dotted", "integer",
                                           "real", "real32", "string", "sink"};
  diag::Source source("t", std::string(text));
  diag::Report report;
  Lexer lexer(source, report);
  std::string list;
  for (Token token = lexer.next(); token.kind != TokenKind::end; token = lexer.next()) {
    const auto kind = static_cast<std::size_t>(token.kind);
    if (token.first_on_line) list += "| ";
    list += kind < std::size(kNames) ? fmt::format("{}:", kNames[kind]) : "";
    list += std::string(source.text(token.span)) + " ";
  }
  return list + render_text(report, source);
}

TEST(Lexer, Tokens) {
  const std::pair<std::string_view, std::string_view> cases[] = {
      {"", ""},
      {" \t\r\n\v\f", ""},
      {"abc A1_$ _x $y %r1 _ %", "| name:abc name:A1_$ name:_x name:$y name:%r1 sink:_ % "},
      {".reg .v4.f32 .align", "| dotted:.reg dotted:.v4 dotted:.f32 dotted:.align "},
      {"a.x", "| name:a dotted:.x "},
      {"a\n b // c\n/* d\n */ e /* f */ g", "| name:a | name:b | name:e name:g "},
      {"/**/a/***/b/*/c*/d", "| name:a name:b name:d "},
      {"\"a // b /* \\\" c", "| string:\"a // b /* \\\" name:c "},
      {",;:?=@@@()[]{}", "| , ; : ? = @@ @ ( ) [ ] { } "},
      {"+-*/%!~<><<>><=>===!=&^|&&||", "| + - * / % ! ~ < > << >> <= >= == != & ^ | && || "},
      {"0 12 0x1fU 017 0b11 5U",
       "| integer:0 integer:12 integer:0x1fU integer:017 integer:0b11 "
       "integer:5U "},
      {"1.5 .5 1. 1e5 1.e-3 0e0", "| real:1.5 real:.5 real:1. real:1e5 real:1.e-3 real:0e0 "},
      {"0f3f800000 0D3ff0000000000000", "| real32:0f3f800000 real:0D3ff0000000000000 "},
      {"a-1 a+-1", "| name:a - integer:1 name:a + - integer:1 "},
      {"# 12 \"f\"\n#line 3\n # pragma x\n#ident\n#\na", "| name:a "},
  };
  for (const auto& [text, expected] : cases) EXPECT_EQ(tokens_of(text), expected) << text;
}

TEST(Lexer, Values) {
  diag::Source source("t", "0x8000000000000000 9223372036854775807 1U 0f40490fdb 1.5 0777");
  diag::Report report;
  Lexer lexer(source, report);
  Token token = lexer.next();
  EXPECT_EQ(token.value, u64{1} << 63);
  EXPECT_TRUE(token.is_unsigned);
  EXPECT_EQ(token.radix, 16);
  token = lexer.next();
  EXPECT_EQ(token.value, (u64{1} << 63) - 1);
  EXPECT_FALSE(token.is_unsigned);
  EXPECT_TRUE(lexer.next().is_unsigned);
  EXPECT_EQ(lexer.next().value, 0x40490fdbu);
  EXPECT_EQ(lexer.next().value, std::bit_cast<u64>(1.5));
  EXPECT_EQ(lexer.next().value, 0777u);
  EXPECT_EQ(lexer.next().kind, TokenKind::end);
  EXPECT_EQ(lexer.next().kind, TokenKind::end);
  EXPECT_FALSE(report.has_errors());
}

TEST(Lexer, MnemonicTails) {
  const std::pair<std::string_view, std::string_view> cases[] = {
      {"add.u32 a", "add.u32"},
      {"ret;", "ret"},
      {"L: x", "L"},
      {"tex.3d.v4.s32 x", "tex.3d.v4.s32"},
      {"a::b.c::d.64B x", "a::b.c::d.64B"},
      {"ld .global\t.u32 x", "ld.global.u32"},
      {"ld/**/.global // c\n .u32 x", "ld.global.u32"},
      {"ret\n.reg .u32 x", "ret"},
      {"ret\n.u32", "ret.u32"},
      {"ld.const[2].b32 x", "ld.const[2].b32"},
      {"ld.const[2] x", "ld.const[2]"},
      {"ld.const[a] x", "ld.const"},
      {"ld.xconst [2].b32 x", "ld.xconst"},
      {"a. b", "a"},
      {"a.b.", "a.b"},
  };
  for (const auto& [text, expected] : cases) {
    diag::Source source("t", std::string(text));
    diag::Report report;
    Lexer lexer(source, report);
    Token name = lexer.next();
    EXPECT_EQ(lexer.mnemonic_tail(name), expected) << text;
    EXPECT_EQ(name.span.begin, 0u);
  }
}

TEST(Lexer, LineMarkersMoveThePlaces) {
  diag::Source source("t", "a\n# 12 \"f.h\" 1 3\nb\n#line 40\nc\n");
  diag::Report report;
  Lexer lexer(source, report);
  const auto place = [&] { return source.place(lexer.next().span.begin); };
  const diag::Place a = place();
  const diag::Place b = place();
  const diag::Place c = place();
  EXPECT_EQ(std::tuple(std::string(a.file), a.line), std::tuple("t", 1u));
  EXPECT_EQ(std::tuple(std::string(b.file), b.line), std::tuple("f.h", 12u));
  EXPECT_EQ(std::tuple(std::string(c.file), c.line), std::tuple("f.h", 40u));
}

TEST(Lexer, Identifiers) {
  for (const std::string_view good : {"a", "Z", "_a", "$1", "%r", "%1", "a$_9"}) {
    EXPECT_TRUE(is_identifier(good)) << good;
  }
  for (const std::string_view bad : {"", "_", "$", "%", "1a", "a.b", "a%", "a b", "."}) {
    EXPECT_FALSE(is_identifier(bad)) << bad;
  }
}

}  // namespace
}  // namespace heddle::syntax
