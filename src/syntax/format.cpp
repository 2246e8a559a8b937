// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "syntax/format.h"

#include <unordered_map>
#include <utility>
#include <vector>

#include "isa/match.h"
#include "isa/mnemonic.h"
#include "isa/spell.h"
#include "syntax/chars.h"
#include "syntax/printer_impl.h"

namespace heddle::syntax {
namespace {

/// The mnemonic in canonical order; unchanged when no form matches it.
std::string canonical(std::string_view mnemonic) {
  const isa::MnemonicParts parts = isa::take_apart(mnemonic);
  const isa::Match found = isa::match(parts.opcode, parts.words);
  if (found.candidates.empty() || parts.bank >= 0) return std::string(mnemonic);
  const isa::Candidate& first = found.candidates[0];
  return isa::spell_mnemonic(*first.form, first.slot_values());
}

/// A comment, or a line for other tools (#line, #pragma), between two statements.
struct Remark {
  std::string_view text;
  bool own_line = false;      ///< only blanks precede it on its line
  bool blank_before = false;  ///< an empty line before it
  bool is_hash = false;
};

/// The comments and blank lines between the last token of a statement and the next one.
struct Gap {
  std::vector<Remark> remarks;
  bool blank_after = false;  ///< an empty line after the last remark
};

/// A piece of text: the end of its last token, whether it contains a comment, and the gap after it.
struct Piece {
  u32 end;
  bool has_comment = false;
  Gap gap;
};

class Scanner {
 public:
  Scanner(std::string_view text, bool line_begins) : text_(text), line_begins_(line_begins) {}

  Piece run() {
    Piece piece{0, false, {}};
    u32 newlines = line_begins_ ? 1 : 0;  // since the last token or remark
    while (at_ < text_.size()) {
      const char c = text_[at_];
      if (c == '\n') {
        ++newlines;
        ++at_;
      } else if (chars::is(c, chars::kBlank)) {
        ++at_;
      } else if (begins_remark(newlines)) {
        const bool hash = c == '#';
        piece.gap.remarks.push_back({take_remark(), newlines > 0, newlines > 1, hash});
        newlines = 0;
      } else {
        piece.has_comment |= !piece.gap.remarks.empty();
        piece.gap = {};
        newlines = 0;
        skip_token();
        piece.end = at_;
      }
    }
    piece.gap.blank_after = newlines > 1;
    return piece;
  }

 private:
  bool begins_remark(u32 newlines) const {
    const std::string_view rest = text_.substr(at_);
    return rest.starts_with("//") || rest.starts_with("/*") || (rest[0] == '#' && newlines);
  }
  std::string_view take_remark() {
    const u32 begin = at_;
    const bool block = text_.substr(at_).starts_with("/*");
    const std::size_t end = block ? text_.find("*/", at_ + 2) : text_.find('\n', at_);
    at_ = static_cast<u32>(
        std::min(end == std::string_view::npos ? end : end + (block ? 2 : 0), text_.size()));
    std::string_view text = text_.substr(begin, at_ - begin);
    while (!text.empty() && chars::is(text.back(), chars::kBlank)) text.remove_suffix(1);
    return text;
  }
  void skip_token() {
    if (text_[at_++] != '"') return;
    while (at_ < text_.size() && text_[at_] != '"' && text_[at_] != '\n') ++at_;
    if (at_ < text_.size() && text_[at_] == '"') ++at_;
  }

  std::string_view text_;
  bool line_begins_;
  u32 at_ = 0;
};

class Formatter {
 public:
  Formatter(const diag::Source& source, const Tree& tree)
      : source_(source), tree_(tree), printer_(tree, &source) {}

  std::string run() {
    const u32 size = static_cast<u32>(source_.text().size());
    const BigVector<Stmt>& all = tree_.stmts;
    gap(Scanner(text(0, all.empty() ? size : all[0].span.begin), true).run().gap, true);
    for (std::size_t i = 0; i < all.size();) {
      // `.reg .u32 a, b;` is two statements that begin at the same place.
      std::size_t next = i + 1;
      while (next < all.size() && all[next].span.begin == all[i].span.begin) ++next;
      const u32 begin = all[i].span.begin;
      const std::string_view whole = text(begin, next < all.size() ? all[next].span.begin : size);
      const Piece piece = Scanner(whole, false).run();
      if (piece.has_comment) {
        as_written(all[i], whole.substr(0, piece.end));
      } else {
        printer_.statements(std::span(all).subspan(i, next - i));
      }
      gap(piece.gap, false);
      i = next;
    }
    std::string out = printer_.take();
    while (out.ends_with("\n\n")) out.pop_back();
    return out;
  }

 private:
  std::string_view text(u32 begin, u32 end) const {
    return source_.text().substr(begin, end - begin);
  }

  void gap(const Gap& gap, bool at_start) {
    std::string& out = printer_.out();
    for (const Remark& remark : gap.remarks) {
      if (!remark.own_line && out.ends_with('\n')) {
        out.back() = ' ';
      } else {
        if (remark.blank_before && !(at_start && out.empty())) blank_line();
        if (!remark.is_hash) printer_.indent();
      }
      out.append(remark.text) += '\n';
    }
    if (gap.blank_after && !out.empty()) blank_line();
  }
  void blank_line() {
    std::string& out = printer_.out();
    if (!out.ends_with("\n\n")) out += '\n';
  }

  /// Writes the statement's original lines, indented.
  void as_written(const Stmt& stmt, std::string_view text) {
    printer_.begin(stmt);
    std::string& out = printer_.out();
    for (bool first = true; !text.empty(); first = false) {
      const std::size_t end = std::min(text.find('\n'), text.size());
      std::string_view line = text.substr(0, end);
      text.remove_prefix(std::min(end + 1, text.size()));
      while (!line.empty() && chars::is(line.front(), chars::kBlank)) line.remove_prefix(1);
      while (!line.empty() && chars::is(line.back(), chars::kBlank)) line.remove_suffix(1);
      if (!first && !line.empty() && line[0] != '#') {
        printer_.indent();
        out += "    ";
      }
      out.append(line) += '\n';
    }
  }

  const diag::Source& source_;
  const Tree& tree_;
  Printer printer_;
};

}  // namespace

void sort_modifiers(Tree& tree) {
  std::unordered_map<u32, NameId> known;
  for (Instruction& instruction : tree.instructions) {
    const auto [it, fresh] = known.try_emplace(instruction.mnemonic.value);
    if (fresh) it->second = tree.names.intern(canonical(tree.names[instruction.mnemonic]));
    instruction.mnemonic = it->second;
  }
}

std::string format(const diag::Source& source, Tree tree) {
  sort_modifiers(tree);
  return Formatter(source, tree).run();
}

}  // namespace heddle::syntax
