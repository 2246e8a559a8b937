// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The parser: recursive descent with one token of look-ahead, statements in a loop, recursion only
// inside expressions and bounded there. A function that returns bool returns whether its statement
// parsed; at the first `false` the statement is dropped and recover() finds the next one. Private
// to src/syntax; the grammar is split into parse_*.cpp by chapter of the manual.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "syntax/lexer.h"
#include "syntax/parser.h"
#include "syntax/words.h"

namespace heddle::syntax {

class Parser {
 public:
  Parser(diag::Source& source, diag::Report& report);
  Tree run();

 private:
  // parser.cpp: statements, blocks
  void statement();
  bool statement_body();
  bool directive();
  bool plain_directive(Word word);
  bool linked();
  bool name_statement(Guard guard);
  bool guarded_statement();
  bool instruction(const Guard& guard, std::string_view mnemonic, Span span);
  bool open_block(u32 function);
  bool close_block();
  void pop_block(Span brace);
  void report_unclosed(std::string_view before, Span where);
  void close_all_blocks();
  bool outside_function(std::string_view what);

  // recovery.cpp: error messages, and the place where parsing continues
  template <class... Args>
  bool fail(diag::Kind kind, Span span, const Args&... args);
  bool expected(std::string_view what, std::string_view help = {});
  bool end_statement(std::string_view what);
  bool unknown_directive();
  bool misplaced(std::string_view help);
  bool looks_like_statement();
  void recover();
  void recover_module();
  void recover_header();
  void skip_braces();
  void skip_section();
  std::string describe(const Token& token) const;
  void help(std::string text);
  bool too_many_errors();

  // parse_expr.cpp: chapter 6, 4.5.4
  bool begins_list();
  ExprId operand();
  ExprId element();
  ExprId expression();
  ExprId ternary_rest(ExprId condition);
  ExprId binary(unsigned min_precedence);
  ExprId binary_rest(ExprId left, unsigned min_precedence);
  ExprId unary();
  ExprId primary();
  ExprId named();
  ExprId postfix(ExprId base);
  ExprId group_or_cast();
  ExprId vector();
  ExprId address();
  ExprId call_list();
  ExprId literal();
  ExprId number();
  ExprId integer_literal(std::string_view what);
  bool elements(TokenKind close, std::string_view what);
  ExprId make_list(ExprKind kind, u32 begin, std::size_t base);
  ExprId make(ExprKind kind, Op op, Span span, ExprId a, ExprId b = {});
  ExprId leaf(ExprKind kind, Span span, NameId name);
  ExprId broken();
  Range<ExprId> take_scratch(std::size_t base);

  // parse_decl.cpp: chapter 5, 11.2
  bool variable(NameId linkage, u32 begin);
  static bool is_type(Word word);
  static bool is_object(Word word);
  bool type_words(Variable& variable);
  bool bank(Variable& variable);
  bool pointee(Variable& variable);
  bool attribute(std::vector<Directive>& into);
  enum class Counted : u8 { no, yes };  ///< whether `x<4>` may stand for x0 to x3
  bool declarator(Variable& variable, Counted counted);
  bool function(NameId linkage, u32 begin);
  std::string dot_before_type() const;
  bool looks_like_body();
  bool function_header(Function& function, std::vector<Directive>& directives);
  bool at_new_name();
  enum class Nameless : u8 { no, yes };  ///< whether `_` may stand for a name
  bool parameters(Range<u32>& into, Nameless nameless);
  bool tuning(std::vector<Directive>& into);
  bool callprototype();

  // parse_directive.cpp: 11.1, 11.2.3, 11.3, 11.4.7, 11.5
  bool version();
  bool target();
  bool address_size();
  bool alias();
  bool targets(StmtKind kind);
  bool pragma(Directive& into);
  bool file();
  bool loc();
  bool position(u32& file, u32& line, u32& column);
  bool section();
  bool section_line(std::string& text);
  bool section_item(std::string& text);
  bool dwarf();
  bool u32_literal(u32& value, std::string_view what);
  bool u64_literal(u64& value, std::string_view what);
  bool name_use(NameUse& use, std::string_view what);
  NameId string_id();
  bool needs_label();

  // tokens
  bool at(TokenKind kind) const { return tok_.kind == kind; }
  void advance() {
    prev_kind_ = tok_.kind;
    prev_end_ = tok_.span.end;
    lexer_.next(tok_);
  }
  bool accept(TokenKind kind) {
    if (tok_.kind != kind) return false;
    advance();
    return true;
  }
  bool expect(TokenKind kind, std::string_view what) { return accept(kind) || expected(what); }
  std::string_view text(Span span) const { return lexer_.text(span); }
  std::string_view text() const { return lexer_.text(tok_.span); }
  NameId intern(Span span) { return tree_.names.intern(text(span)); }
  /// The name of a dotted token, without the dot.
  NameId dotted_id() { return intern({tok_.span.begin + 1, tok_.span.end}); }
  bool at_word(Word word) { return at(TokenKind::dotted) && dotted_id() == id_of(word); }
  void push(StmtKind kind, Span span, std::size_t data) {
    Stmt& stmt = tree_.stmts.emplace_back();  // filled in place, which is faster than a copy
    stmt.kind = kind;
    stmt.span = span;
    stmt.data = static_cast<u32>(data);
  }
  /// The span from the statement's first byte to the end of the last consumed token.
  Span so_far(u32 begin) const { return {begin, prev_end_ > begin ? prev_end_ : begin}; }

  struct Block {
    Span brace;
    u32 function;  ///< the function whose body it is, or kNoFunction
    u32 first;     ///< the statement after block_begin
  };
  static constexpr u32 kNoFunction = ~u32{0};
  struct Nest;

  diag::Source& source_;
  diag::Report& report_;
  Lexer lexer_;
  Tree tree_;
  Token tok_;
  TokenKind prev_kind_ = TokenKind::end;
  u32 prev_end_ = 0;
  u32 statement_begin_ = 0;
  std::vector<Block> blocks_;
  std::vector<ExprId> scratch_;       ///< elements of the lists that are being read
  unsigned nesting_ = 0;              ///< depth of the recursion
  unsigned open_braces_ = 0;          ///< `{` of vectors that are being read
  bool in_call_ = false;              ///< ( ) of an operand is a list
  bool failed_ = false;               ///< this statement is dropped
  bool outside_reported_ = false;     ///< a statement outside of functions was reported
  diag::Diagnostic* last_ = nullptr;  ///< the report of the last fail(); null if none
  std::size_t errors_at_statement_ = 0;
  std::size_t errors_at_start_ = 0;
};

/// Drops the statement. Reports a diagnostic only if neither parser nor lexer has reported one for
/// this statement.
template <class... Args>
bool Parser::fail(diag::Kind kind, Span span, const Args&... args) {
  const bool first = !failed_ && report_.error_count() == errors_at_statement_;
  last_ = first ? &report_.add(kind, span, args...) : nullptr;
  failed_ = true;
  return false;
}

/// One level of recursion; alive during that level.
struct Parser::Nest {
  explicit Nest(Parser& parser) : parser_(parser) {
    if (++parser_.nesting_ > kMaxDepth) {
      parser_.fail(diag::Kind::nested_too_deeply, parser_.tok_.span, kMaxDepth);
    }
  }
  ~Nest() { --parser_.nesting_; }
  Nest(const Nest&) = delete;
  Nest& operator=(const Nest&) = delete;

 private:
  Parser& parser_;
};

}  // namespace heddle::syntax
