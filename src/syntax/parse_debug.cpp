// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Debug information: source places of instructions, and DWARF as text. PTX ISA 11.5.
#include "syntax/chars.h"
#include "syntax/parser_impl.h"

namespace heddle::syntax {

// .file 1 "name" [, time [, size]]
bool Parser::file() {
  const u32 begin = tok_.span.begin;
  advance();
  File file;
  if (!u32_literal(file.index, "the file's number")) return false;
  if (!at(TokenKind::string)) return expected("the file's name as a string");
  file.path = string_id();
  if (accept(TokenKind::comma)) {
    file.has_times = true;
    if (!u64_literal(file.timestamp, "a time")) return false;
    if (accept(TokenKind::comma) && !u64_literal(file.size, "a size")) return false;
  }
  push(StmtKind::file, so_far(begin), tree_.files.size());
  tree_.files.push_back(file);
  return true;
}

bool Parser::position(u32& file, u32& line, u32& column) {
  return u32_literal(file, "the file's number") && u32_literal(line, "a line number") &&
         u32_literal(column, "a column number");
}

// .loc 1 20 3 [, function_name label [+ 4], inlined_at 1 30 5]
bool Parser::loc() {
  const u32 begin = tok_.span.begin;
  advance();
  Loc loc;
  if (!position(loc.file, loc.line, loc.column)) return false;
  if (accept(TokenKind::comma)) {
    if (!at(TokenKind::name) || intern(tok_.span) != id_of(Word::function_name)) {
      return expected("function_name");
    }
    advance();
    if (!at(TokenKind::name) && !at(TokenKind::dotted)) return expected("a label");
    loc.inlined = true;
    loc.function = intern(tok_.span);
    advance();
    if (accept(TokenKind::plus) && !u64_literal(loc.function_offset, "an offset")) return false;
    if (!expect(TokenKind::comma, "','")) return false;
    if (!at(TokenKind::name) || intern(tok_.span) != id_of(Word::inlined_at)) {
      return expected("inlined_at");
    }
    advance();
    if (!position(loc.at_file, loc.at_line, loc.at_column)) return false;
  }
  push(StmtKind::loc, so_far(begin), tree_.locs.size());
  tree_.locs.push_back(loc);
  return true;
}

// --- sections ---

bool Parser::section() {
  const u32 begin = tok_.span.begin;
  if (!blocks_.empty()) report_.add(diag::Kind::inside_function, tok_.span, text());
  advance();
  if (!at(TokenKind::dotted)) return expected("the section's name, such as .debug_info");
  Section section;
  section.name = intern(tok_.span);
  advance();
  if (!at(TokenKind::l_brace)) return expected("'{'");
  advance();
  std::string body;
  while (!at(TokenKind::r_brace)) {
    if (section_line(body)) continue;
    skip_section();
    push(StmtKind::error, so_far(begin), 0);
    return true;
  }
  advance();
  section.body = tree_.names.intern(body);
  push(StmtKind::section, so_far(begin), tree_.sections.size());
  tree_.sections.push_back(section);
  return true;
}

// label: | .b8 1, 2, -3 | .b32 label+4 | .b64 end-begin
bool Parser::section_line(std::string& body) {
  if (at(TokenKind::name)) {
    body.append(text()).append(":\n");
    advance();
    return expect(TokenKind::colon, "':'");
  }
  const std::string_view type = at(TokenKind::dotted) ? text() : std::string_view();
  if (type != ".b8" && type != ".b16" && type != ".b32" && type != ".b64") {
    return expected(".b8, .b16, .b32, .b64, a label or '}'");
  }
  body.append(type);
  advance();
  std::string_view before = " ";
  do {
    body.append(before);
    before = ", ";
    if (!section_item(body)) return false;
  } while (accept(TokenKind::comma));
  body.push_back('\n');
  return true;
}

bool Parser::section_item(std::string& body) {
  const auto take = [&] {
    body.append(text());
    advance();
  };
  if (at(TokenKind::name) || at(TokenKind::dotted)) {
    take();
    if (!at(TokenKind::plus) && !at(TokenKind::minus)) return true;
    take();
    if (at(TokenKind::name) || at(TokenKind::dotted)) {
      take();
      return true;
    }
  }
  if (at(TokenKind::minus)) take();
  if (!at(TokenKind::integer)) return expected("an integer or a label");
  take();
  return true;
}

// @@DWARF line: kept as text with single blanks, because it has the grammar of another assembler
// (11.5.1).
bool Parser::dwarf() {
  const u32 begin = tok_.span.begin;
  advance();
  if (!at(TokenKind::name) || (text() != "DWARF" && text() != "dwarf")) return expected("DWARF");
  const Span word{begin, tok_.span.end};
  if (!blocks_.empty()) report_.add(diag::Kind::inside_function, word, text(word));
  const Span rest = lexer_.rest_of_line();
  std::string body;
  for (const char c : text(rest)) {
    const bool blank = chars::is(c, chars::kBlank);
    if (!blank || !(body.empty() || body.ends_with(' '))) body.push_back(blank ? ' ' : c);
  }
  advance();
  if (body.empty()) return expected("a DWARF directive or a label");
  push(StmtKind::dwarf, {begin, rest.end}, tree_.sections.size());
  tree_.sections.push_back({NameId(), tree_.names.intern(body)});
  return true;
}

}  // namespace heddle::syntax
