// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Diagnostics for people: docs/diagnostics-style.md shows the layout. The source line is shown as
// a terminal would show it: tabs to stops of 8, one cell for each character, a window of it when it
// is long (generated PTX has lines of many thousand characters).
#include <algorithm>

#include "diag/report.h"

namespace heddle::diag {
namespace {

constexpr std::size_t kWindow = 100;  ///< cells of a source line that are shown
constexpr std::size_t kBefore = 40;   ///< cells before the place, when the line is cut
constexpr u32 kTab = 8;

struct Colours {
  std::string_view bold, error, warning, caret, label, help, off;
};
constexpr Colours kPlain{};
constexpr Colours kAnsi{"\x1b[1m",  "\x1b[1;31m", "\x1b[1;35m", "\x1b[1;32m",
                        "\x1b[36m", "\x1b[36m",   "\x1b[0m"};

/// The bytes of a line that are read before a place and from it on. Reading the whole line for each
/// mistake would be too slow if a line of megabytes has many mistakes.
constexpr u32 kLookBehind = 2048, kLookAhead = 2048;

/// A source line, or a piece of a long one, as cells of a terminal.
class Cells {
 public:
  explicit Cells(std::string_view line) {
    starts_.reserve(line.size() + 1);
    for (const char c : line) {
      const auto byte = static_cast<unsigned char>(c);
      starts_.push_back(cells_.size() - ((byte & 0xc0) == 0x80 && !cells_.empty() ? 1 : 0));
      if (c == '\t') {
        cells_.resize((cells_.size() / kTab + 1) * kTab, " ");
      } else if ((byte & 0xc0) == 0x80 && !cells_.empty()) {
        cells_.back() += c;  // continues the character before
      } else {
        cells_.emplace_back(1, byte < 0x20 || byte == 0x7f ? '?' : c);
      }
    }
    starts_.push_back(cells_.size());
  }

  /// The cell of byte `offset` of the line, or the one after the last.
  std::size_t at(std::size_t offset) const { return starts_[std::min(offset, starts_.size() - 1)]; }
  std::size_t size() const { return cells_.size(); }
  std::string text(std::size_t begin, std::size_t end) const {
    std::string text;
    for (; begin < end; ++begin) text += cells_[begin];
    return text;
  }

 private:
  std::vector<std::string> cells_;
  std::vector<std::size_t> starts_;  ///< cell of each byte
};

class Renderer {
 public:
  Renderer(const Source& source, bool colour)
      : source_(source), colours_(colour ? kAnsi : kPlain) {}

  void add(const Diagnostic& diagnostic) {
    const Place place = source_.place(diagnostic.span.begin);
    const bool error = diagnostic.severity == Severity::error;
    out_ += fmt::format("{}{}:{}:{}: {}{}[{}]:{} {}{}{}\n", colours_.bold, place.file, place.line,
                        place.column, error ? colours_.error : colours_.warning,
                        error ? "error" : "warning", info(diagnostic.kind).code, colours_.off,
                        colours_.bold, diagnostic.message, colours_.off);
    shown_ = {};
    file_ = place.file;
    excerpt(diagnostic.span, '^', '~', colours_.caret, {});
    for (const Label& label : diagnostic.labels) {
      excerpt(label.span, '-', '-', colours_.label, "note: " + label.text);
    }
    for (const std::string& note : diagnostic.notes) remark("note", note);
    for (const std::string& help : diagnostic.helps) remark("help", help);
  }

  std::string take() { return std::move(out_); }

 private:
  void remark(std::string_view what, std::string_view text) {
    out_ += fmt::format("  {}{}:{} {}\n", colours_.help, what, colours_.off, text);
  }

  // The line, unless it was shown just before, and marks under `span`, as far as it is on the line.
  void excerpt(Span span, char first, char rest, std::string_view colour, std::string_view text) {
    const Span line = source_.line_of(span.begin);
    const Place place = source_.place(span.begin);
    if (place.file != file_) {
      file_ = place.file;
      out_ += fmt::format("  {}:{}:{}:\n", place.file, place.line, place.column);
    }
    const Span piece = piece_around(span.begin, line);
    const Cells cells(source_.text(piece));
    const std::size_t begin = cells.at(span.begin - piece.begin);
    const std::size_t end =
        std::max(cells.at(std::min(span.end, piece.end) - piece.begin), begin + 1);
    cut_before_ = piece.begin > line.begin;
    cut_behind_ = piece.end < line.end;
    if (piece != shown_ || begin < window_begin_ || begin > window_end_) {
      show(piece, place.line, cells, begin, end);
    }
    const std::size_t lead = begin - window_begin_ + (is_cut_before() ? 3 : 0);
    const std::size_t marks = std::max<std::size_t>(std::min(end, window_end_ + 1) - begin, 1);
    out_ += fmt::format("      | {:{}}{}{}{}{}", "", lead, colour, first,
                        std::string(marks - 1, rest), colours_.off);
    if (!text.empty()) out_ += fmt::format(" {}{}{}", colour, text, colours_.off);
    out_ += '\n';
  }

  /// The piece of the line around `at`; the whole line if it is not long.
  Span piece_around(u32 at, Span line) const {
    const auto is_inside = [&](u32 offset) {  // within a character of several bytes
      return (static_cast<unsigned char>(source_.text()[offset]) & 0xc0) == 0x80;
    };
    Span piece = line;
    if (at - line.begin > kLookBehind) piece.begin = at - kLookBehind;
    while (piece.begin > line.begin && is_inside(piece.begin)) --piece.begin;
    if (line.end - at > kLookAhead) piece.end = at + kLookAhead;
    while (piece.end < line.end && is_inside(piece.end)) ++piece.end;
    return piece;
  }

  bool is_cut_before() const { return window_begin_ > 0 || cut_before_; }

  void show(Span piece, u32 number, const Cells& cells, std::size_t begin, std::size_t end) {
    window_begin_ = 0;
    window_end_ = cells.size();
    if (cells.size() > kWindow) {
      window_begin_ = end <= kWindow ? 0 : begin - std::min(begin, kBefore);
      window_end_ = std::min(window_begin_ + kWindow, cells.size());
    }
    shown_ = piece;
    out_ += fmt::format("{:5} | {}{}{}\n", number, is_cut_before() ? "..." : "",
                        cells.text(window_begin_, window_end_),
                        window_end_ < cells.size() || cut_behind_ ? "..." : "");
  }

  const Source& source_;
  const Colours& colours_;
  std::string out_;
  Span shown_;  ///< line, or piece of one, shown last
  std::string_view file_;
  std::size_t window_begin_ = 0, window_end_ = 0;
  bool cut_before_ = false, cut_behind_ = false;  ///< the line has more than the piece
};

}  // namespace

std::string render_text(const Report& report, const Source& source, bool colour) {
  Renderer renderer(source, colour);
  for (const Diagnostic& diagnostic : report.diagnostics()) renderer.add(diagnostic);
  return renderer.take();
}

}  // namespace heddle::diag
