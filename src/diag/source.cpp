// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "diag/source.h"

#include <algorithm>
#include <cstring>

namespace heddle::diag {

Source::Source(std::string path, std::string text)
    : path_(std::move(path)), text_(std::move(text)) {}

void Source::find_lines() const {
  const char* begin = text_.data();
  const char* end = begin + text_.size();
  line_starts_.reserve(text_.size() / 24 + 1);
  line_starts_.push_back(0);
  for (const char* p = begin;
       (p = static_cast<const char*>(std::memchr(p, '\n', static_cast<std::size_t>(end - p))));) {
    line_starts_.push_back(static_cast<u32>(++p - begin));
  }
  u32 line = 0;
  for (u64 block = 0; block <= text_.size(); block += kBlock) {
    while (line + 1 < line_starts_.size() && line_starts_[line + 1] <= block) ++line;
    block_lines_.push_back(line);
  }
}

Source Source::join(std::span<const Source> sources) {
  std::string text;
  text.reserve(join_offset(sources));
  for (const Source& source : sources) text.append(source.text_).append("\n");
  Source joined(sources.empty() ? "" : sources[0].path_, std::move(text));
  u32 first = 0;  // line of each source
  for (const Source& source : sources) {
    joined.markers_.push_back({first, 1, source.path_});
    for (const Marker& marker : source.markers_) {
      joined.markers_.push_back({first + marker.line_index, marker.line, marker.file});
    }
    first += source.line_index(static_cast<u32>(source.text_.size())) + 1;
  }
  return joined;
}

u32 Source::join_offset(std::span<const Source> sources) {
  u32 offset = 0;
  for (const Source& source : sources) offset += static_cast<u32>(source.text_.size()) + 1;
  return offset;
}

void Source::add_line_marker(u32 offset, u32 line, std::string_view file) {
  const std::string_view name = !file.empty()      ? file
                                : markers_.empty() ? std::string_view(path_)
                                                   : std::string_view(markers_.back().file);
  markers_.push_back({line_index(offset) + 1, line, std::string(name)});
}

u32 Source::line_index(u32 offset) const {
  if (line_starts_.empty()) find_lines();
  u32 line = block_lines_[offset / kBlock];
  while (line + 1 < line_starts_.size() && line_starts_[line + 1] <= offset) ++line;
  return line;
}

Place Source::place(u32 offset) const {
  const u32 index = line_index(offset);
  const u32 column = offset - line_starts_[index] + 1;
  const auto after =
      std::upper_bound(markers_.begin(), markers_.end(), index,
                       [](u32 line, const Marker& marker) { return line < marker.line_index; });
  if (after == markers_.begin()) return {path_, index + 1, column};
  const Marker& marker = *std::prev(after);
  return {marker.file, marker.line + (index - marker.line_index), column};
}

Span Source::line_of(u32 offset) const {
  const u32 index = line_index(offset);
  u32 end = index + 1 < line_starts_.size() ? line_starts_[index + 1] - 1
                                            : static_cast<u32>(text_.size());
  if (end > line_starts_[index] && text_[end - 1] == '\r') --end;
  return {line_starts_[index], end};
}

}  // namespace heddle::diag
