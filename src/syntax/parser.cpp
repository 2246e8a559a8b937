// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The module as a list of statements: the kinds of statements, and the beginning and end of blocks.
// PTX ISA 4.3.
#include "base/check.h"
#include "base/spelling.h"
#include "syntax/parser_impl.h"

namespace heddle::syntax {

using diag::Kind;

Tree parse(diag::Source& source, diag::Report& report) { return Parser(source, report).run(); }

Parser::Parser(diag::Source& source, diag::Report& report)
    : source_(source), report_(report), lexer_(source, report) {
  intern_words(tree_.names);
  // Text of compilers has an instruction of three operands for each 25 to 40 bytes.
  const std::size_t size = source.text().size();
  tree_.stmts.reserve(size / 24 + 8);
  tree_.variables.reserve(size / 256 + 8);
  tree_.instructions.reserve(size / 32 + 8);
  tree_.exprs.reserve(size / 10 + 8);
  tree_.expr_lists.reserve(size / 12 + 8);
  errors_at_start_ = report.error_count();
}

Tree Parser::run() {
  advance();
  bool stopped = false;
  while (!at(TokenKind::end) && !(stopped = too_many_errors())) statement();
  // The text in an unterminated comment may contain the missing parts of other statements.
  const Span comment = lexer_.open_comment();
  if (!comment.empty()) push(StmtKind::error, comment, 0);
  if (!blocks_.empty() && !stopped && comment.empty())
    report_unclosed("the end of the file", tok_.span);
  close_all_blocks();
  return std::move(tree_);
}

void Parser::statement() {
  failed_ = false;
  in_call_ = false;
  nesting_ = open_braces_ = 0;
  errors_at_statement_ = report_.error_count();
  const u32 begin = statement_begin_ = tok_.span.begin;
  if (statement_body()) return;
  scratch_.clear();
  if (tok_.span.begin == begin && !at(TokenKind::end)) {
    at(TokenKind::l_brace) ? skip_braces() : advance();
  }
  recover();
  push(StmtKind::error, so_far(begin), 0);
}

bool Parser::statement_body() {
  switch (tok_.kind) {
    case TokenKind::name:
      return blocks_.empty() ? outside_function("an instruction") : name_statement({});
    case TokenKind::dotted:
      return directive();
    case TokenKind::at:
      return blocks_.empty() ? outside_function("an instruction") : guarded_statement();
    case TokenKind::at_at:
      return dwarf();
    case TokenKind::l_brace:
      return blocks_.empty() ? outside_function("a block") : open_block(kNoFunction);
    case TokenKind::r_brace:
      return close_block();
    case TokenKind::semicolon: {
      const Span span = tok_.span;
      advance();  // consumed before the report, so that recovery needs to skip nothing
      if (!outside_reported_) report_.add(Kind::stray_semicolon, span).help("remove it");
      return true;
    }
    default:
      return expected(blocks_.empty() ? "a directive" : "an instruction or a directive");
  }
}

bool Parser::directive() {
  const NameId id = dotted_id();
  if (!is_word(id)) return unknown_directive();
  const u32 begin = tok_.span.begin;
  switch (class_of(word_of(id))) {
    case WordClass::space:
      return variable({}, begin);
    case WordClass::linkage:
      return linked();
    case WordClass::statement:
      return plain_directive(word_of(id));
    case WordClass::tuning:
      return misplaced("it stands between the parameters and the body of a function");
    case WordClass::other:
      break;
  }
  return misplaced({});
}

bool Parser::plain_directive(Word word) {
  switch (word) {
    case Word::entry:
    case Word::func:
      return function({}, tok_.span.begin);
    case Word::loc:
      return loc();
    case Word::section:
      return section();
    case Word::branchtargets:
      return targets(StmtKind::branchtargets);
    case Word::calltargets:
      return targets(StmtKind::calltargets);
    case Word::callprototype:
      return callprototype();
    case Word::pragma: {
      const u32 begin = tok_.span.begin;
      Directive directive;
      if (!pragma(directive)) return false;
      push(StmtKind::pragma, so_far(begin), tree_.directives.size());
      tree_.directives.push_back(directive);
      return true;
    }
    default:
      break;
  }
  if (!blocks_.empty()) return fail(Kind::inside_function, tok_.span, text());
  switch (word) {
    case Word::version:
      return version();
    case Word::target:
      return target();
    case Word::address_size:
      return address_size();
    case Word::alias:
      return alias();
    case Word::file:
      return file();
    default:
      HEDDLE_UNREACHABLE();
  }
}

// .extern .visible .weak .common, before a variable or a function (11.6).
bool Parser::linked() {
  const u32 begin = tok_.span.begin;
  const Span span = tok_.span;
  const NameId linkage = dotted_id();
  advance();
  if (at_word(Word::entry) || at_word(Word::func)) return function(linkage, begin);
  if (!at(TokenKind::dotted)) {
    const bool is_word = at(TokenKind::name) && begins_statement(text());
    return expected("a state space, .entry or .func",
                    is_word ? fmt::format("did you mean '.{}'?", text()) : "");
  }
  const NameId id = dotted_id();
  if (is_word(id) && class_of(word_of(id)) == WordClass::linkage) {
    return misplaced("a name has one linkage");
  }
  if (!is_word(id) || class_of(word_of(id)) != WordClass::space) {
    expected("a state space, .entry or .func");
    Spelling spelling(text().substr(1));
    for (const WordInfo& known : kWords) {
      if (known.word_class == WordClass::space) spelling.consider(known.text);
    }
    for (const std::string_view known : {"entry", "func"}) spelling.consider(known);
    help(spelling.question("."));
    return false;
  }
  if (!blocks_.empty()) return fail(Kind::inside_function, span, text(span));
  return variable(linkage, begin);
}

// --- labels and instructions ---

bool Parser::guarded_statement() {
  Guard guard;
  guard.span = tok_.span;
  advance();
  guard.negated = accept(TokenKind::exclaim);
  if (!at(TokenKind::name)) return expected("a predicate register");
  guard.predicate = intern(tok_.span);
  guard.span = join(guard.span, tok_.span);
  advance();
  // The characters that the lexer refused may have been the whole instruction: the next line is
  // another one.
  const bool misread = tok_.first_on_line && report_.error_count() > errors_at_statement_;
  if (!at(TokenKind::name) || misread) return expected("an instruction");
  return name_statement(guard);
}

bool Parser::name_statement(Guard guard) {
  Token name = tok_;
  const std::string_view mnemonic = lexer_.mnemonic_tail(name);
  if (lexer_.peek() != ':') {
    // `reg .b32 r;`: no opcode is called like a directive, but for `tex`. (Text of compilers has no
    // blanks before modifiers, so the test costs nothing.)
    const std::string_view opcode = mnemonic.substr(0, mnemonic.find('.'));
    const bool is_odd =
        opcode.size() == mnemonic.size() || mnemonic.size() != name.span.end - name.span.begin;
    if (is_odd && opcode != "tex" && begins_statement(opcode)) {
      fail(Kind::expected, Span{name.span.begin, name.span.begin + static_cast<u32>(opcode.size())},
           "an instruction or a directive", fmt::format("'{}'", opcode));
      help(fmt::format("did you mean '.{}'?", opcode));
      return false;
    }
    return instruction(guard, mnemonic, name.span);
  }
  if (guard.predicate) {
    advance();
    return expected("an instruction", "a label stands before the guard");
  }
  if (name.span != tok_.span) {
    return fail(Kind::expected, name.span, "a label", describe(name));
  }
  push(StmtKind::label, name.span, intern(name.span).value);
  advance();
  advance();
  return true;
}

bool Parser::instruction(const Guard& guard, std::string_view mnemonic, Span span) {
  const NameId id = tree_.names.intern(mnemonic);
  const u32 begin = guard.predicate ? guard.span.begin : span.begin;
  in_call_ = mnemonic.starts_with("call") && (mnemonic.size() == 4 || mnemonic[4] == '.');
  advance();
  prev_end_ = span.end;
  if (!accept(TokenKind::semicolon)) {
    // A token on the next line that follows `ret`, or begins a statement, is not an operand: a
    // semicolon is missing.
    const bool alone =
        tok_.first_on_line && (tree_.names[id] == "ret" || tree_.names[id] == "exit" ||
                               (!at(TokenKind::l_brace) && looks_like_statement()));
    if (!alone && !at(TokenKind::r_brace)) {
      do {
        scratch_.push_back(operand());
        if (failed_) return false;
      } while (accept(TokenKind::comma));
    }
    // `L1 add.u32 %r1, ...`: no instruction is called L1, and no operand add.u32.
    const Span first{span.end, prev_end_};
    if (at(TokenKind::name) && mnemonic.find('.') == mnemonic.npos &&
        text(first).find('.') != std::string_view::npos &&
        text(first).find('%') == std::string_view::npos) {
      expected("',' or ';'");
      help(fmt::format("if '{0}' is a label, a colon follows it: {0}:", mnemonic));
      return false;
    }
    // The characters that the lexer refused may have been part of the statement.
    const bool misread = report_.error_count() > errors_at_statement_;
    if (!end_statement("',' or ';'")) return false;
    if (misread) {
      scratch_.clear();
      push(StmtKind::error, so_far(begin), 0);
      return true;
    }
  }
  push(StmtKind::instruction, so_far(begin), tree_.instructions.size());
  Instruction& made = tree_.instructions.emplace_back();
  made.guard = guard;
  made.mnemonic = id;
  made.mnemonic_span = span;
  made.operands = take_scratch(0);
  return true;
}

// --- blocks ---

bool Parser::open_block(u32 function) {
  const Span brace = tok_.span;
  push(StmtKind::block_begin, brace, 0);
  blocks_.push_back({brace, function, static_cast<u32>(tree_.stmts.size())});
  advance();
  return true;
}

bool Parser::close_block() {
  const Span brace = tok_.span;
  advance();
  if (blocks_.empty()) {
    if (!outside_reported_) report_.add(Kind::unmatched_brace, brace);
    outside_reported_ = true;
    return true;
  }
  pop_block(brace);
  return true;
}

void Parser::pop_block(Span brace) {
  const Block block = blocks_.back();
  blocks_.pop_back();
  if (block.function != kNoFunction) {
    const u32 count = static_cast<u32>(tree_.stmts.size()) - block.first;
    tree_.functions[block.function].body = {block.first, count};
  }
  push(StmtKind::block_end, brace, 0);
}

void Parser::report_unclosed(std::string_view before, Span where) {
  report_.add(Kind::unclosed_block, where, before)
      .label(blocks_.front().brace, "the body begins here");
}

void Parser::close_all_blocks() {
  while (!blocks_.empty()) pop_block({tok_.span.begin, tok_.span.begin});
}

// One diagnostic for all statements up to the next function: they are most likely outside of a
// function because of an extra closing brace.
bool Parser::outside_function(std::string_view what) {
  if (!outside_reported_) {
    fail(Kind::outside_function, tok_.span, what);
    for (const WordInfo& known : kWords) {
      const bool begins = known.word_class != WordClass::other;
      if (begins && known.text == text()) help(fmt::format("did you mean '.{}'?", text()));
    }
  }
  outside_reported_ = failed_ = true;
  return false;
}

}  // namespace heddle::syntax
