// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A source text, and the place of each byte as file, line and column. Line markers (`# 12 "file"`
// of GNU cpp, `#line 12 "file"`) re-map the lines that follow them (PTX ISA 4.1).
#pragma once

#include <deque>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/types.h"

namespace heddle::diag {

/// A place for people; line and column count from 1, the column in bytes.
struct Place {
  std::string_view file;
  u32 line = 0;
  u32 column = 0;
};

/// Not thread-safe: the starts of lines are computed at the first call of place(), because a text
/// without mistakes may not need them.
class Source {
 public:
  Source(std::string path, std::string text);

  /// Joins several sources, for diagnostics about more than one of them: a span of source i is
  /// shifted by join_offset(first i sources), and every place keeps its own file and line.
  static Source join(std::span<const Source> sources);
  static u32 join_offset(std::span<const Source> sources);

  const std::string& path() const { return path_; }
  std::string_view text() const { return text_; }
  std::string_view text(Span span) const {
    return std::string_view(text_).substr(span.begin, span.end - span.begin);
  }

  /// The line that begins after `offset` is line `line` of `file` (empty: same file as before).
  void add_line_marker(u32 offset, u32 line, std::string_view file);

  /// The place of `offset`, line markers applied.
  Place place(u32 offset) const;
  /// The whole physical line that holds `offset`, without its newline.
  Span line_of(u32 offset) const;

 private:
  void find_lines() const;
  u32 line_index(u32 offset) const;

  struct Marker {
    u32 line_index;  ///< first physical line (from 0) to which it applies
    u32 line;        ///< number of that line
    std::string file;
  };
  std::string path_;
  std::string text_;
  static constexpr u32 kBlock = 128;
  mutable std::vector<u32> line_starts_;  // empty: not computed yet
  mutable std::vector<u32>
      block_lines_;             // for each kBlock bytes of text: the line of its first byte
  std::deque<Marker> markers_;  // a deque, because views of the names must stay valid
};

}  // namespace heddle::diag
