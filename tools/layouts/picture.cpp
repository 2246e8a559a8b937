// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "picture.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <set>

namespace heddle::layouts {
namespace {

// Pixels.
constexpr u32 kCharacter = 6, kHeight = 17, kGap = 14, kLine = 15, kPadding = 8;

constexpr std::array kLight = {"#cfe3ff", "#ffe0b8", "#cdeecb", "#f6cfe4",
                               "#fff3a8", "#d9d2f7", "#c6eef0", "#e6dccb"};
constexpr std::array kDark = {"#1f4470", "#6b4313", "#23552a", "#6b2c50",
                              "#5c5312", "#443a78", "#1c5459", "#524836"};

u32 colour_of(const Cell& cell) { return cell.colour % kLight.size(); }

/// Characters, not bytes.
u32 characters(std::string_view text) {
  return static_cast<u32>(std::count_if(
      text.begin(), text.end(), [](char c) { return (static_cast<u8>(c) & 0xc0) != 0x80; }));
}
u32 widest(const std::vector<std::string>& texts) {
  u32 most = 0;
  for (const std::string& text : texts) most = std::max(most, characters(text));
  return most;
}

std::string style() {
  std::string light, dark;
  for (u32 i = 0; i < kLight.size(); ++i) {
    light += fmt::format(".r{}{{fill:{}}}", i, kLight[i]);
    dark += fmt::format(".r{}{{fill:{}}}", i, kDark[i]);
  }
  return fmt::format(
      "<style>text{{font:10px monospace;text-anchor:middle;fill:#111}}.l{{text-anchor:start}}"
      ".e{{text-anchor:end}}.n{{fill:#666}}.b{{font-weight:bold}}.g{{fill:#fff}}path{{stroke:#fff}}"
      "{}@media(prefers-color-scheme:dark){{text{{fill:#eee}}.n{{fill:#999}}.g{{fill:#161616}}"
      "path{{stroke:#161616}}{}}}</style>\n",
      light, dark);
}

std::string text(u32 x, u32 y, std::string_view classes, std::string_view what) {
  return fmt::format("<text x=\"{}\" y=\"{}\"{}>{}</text>\n", x, y,
                     classes.empty() ? "" : fmt::format(" class=\"{}\"", classes), what);
}

/// The sizes that all grids of a picture share.
class Writer {
 public:
  explicit Writer(const Picture& picture) : picture_(picture) {
    for (const PlacedGrid& placed : picture.grids) {
      const Grid& grid = placed.grid;
      label_ = std::max(label_, widest(grid.rows) * kCharacter + 4);
      cell_ = std::max(cell_, widest(grid.columns) * kCharacter + 6);
      for (const Cell& cell : grid.cells)
        cell_ = std::max(cell_, characters(cell.text) * kCharacter + 6);
    }
    for (const PlacedGrid& placed : picture.grids) {
      u32& wide = widths_[placed.place];
      wide = std::max({wide, width_of(placed.grid),
                       characters(placed.grid.title) * (kCharacter + 1) + label_ + kGap});
      u32& high = heights_[placed.line];
      high = std::max(high, height_of(placed.grid));
    }
  }

  std::string write() {
    u32 bottom = kPadding;
    const auto line = [&](std::string_view classes, std::string_view what) {
      wide_ = std::max(wide_, kPadding * 2 + characters(what) * (kCharacter + 1));
      out_ += text(kPadding, bottom += kLine, classes, what);
    };
    line("l b", picture_.title);
    for (const std::string& note : picture_.notes) line("l n", note);
    legend(bottom += 6);
    bottom += kLine + 8;
    const u32 first_line = bottom;
    for (const PlacedGrid& placed : picture_.grids) {
      u32 x = kPadding, y = first_line;
      for (const auto& [place, wide] : widths_) x += place < placed.place ? wide : 0;
      for (const auto& [number, high] : heights_) y += number < placed.line ? high : 0;
      write(placed.grid, x + label_, y);
    }
    for (const auto& [number, high] : heights_) bottom += high;
    u32 right = kPadding;
    for (const auto& [place, wide] : widths_) right += wide;
    wide_ = std::max(wide_, right + kPadding);
    return fmt::format(
               "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0}\" height=\"{1}\" "
               "viewBox=\"0 0 {0} {1}\">\n",
               wide_, bottom + kPadding) +
           style() + "<rect class=\"g\" width=\"100%\" height=\"100%\"/>\n" + out_ + "</svg>\n";
  }

 private:
  static constexpr u32 kAbove = 2 * kLine;  ///< the title and the labels of the columns

  u32 width_of(const Grid& grid) const {
    return label_ + static_cast<u32>(grid.columns.size()) * cell_ + kGap;
  }
  static u32 height_of(const Grid& grid) {
    return kAbove + static_cast<u32>(grid.rows.size()) * kHeight + kGap;
  }

  void legend(u32 y) {
    if (picture_.colours.empty()) return;
    std::set<u32> used;
    for (const PlacedGrid& placed : picture_.grids)
      for (const Cell& cell : placed.grid.cells) used.insert(cell.colour);
    u32 x = kPadding + characters(picture_.colours) * kCharacter + 6;
    out_ += text(kPadding, y + 12, "l", picture_.colours);
    for (const u32 colour : used) {
      const u32 wide = characters(std::to_string(colour)) * kCharacter + 10;
      out_ += fmt::format("<path class=\"r{}\" d=\"M{} {}h{}v{}h-{}z\"/>\n", colour % kLight.size(),
                          x, y, wide, kHeight, wide);
      out_ += text(x + wide / 2, y + 12, "", std::to_string(colour));
      x += wide;
    }
    wide_ = std::max(wide_, x + kPadding);
  }

  void write(const Grid& grid, u32 x, u32 y) {
    out_ += text(x, y + kLine - 4, "l b", grid.title);
    const u32 top = y + kAbove;
    for (u32 i = 0; i < grid.columns.size(); ++i)
      out_ += text(x + i * cell_ + cell_ / 2, top - 4, "n", grid.columns[i]);
    for (u32 i = 0; i < grid.rows.size(); ++i)
      out_ += text(x - 4, top + i * kHeight + 12, "n e", grid.rows[i]);
    std::map<u32, std::string> paths;  // by colour
    for (const Cell& cell : grid.cells)
      paths[colour_of(cell)] += fmt::format("M{} {}h{}v{}h-{}z", x + cell.column * cell_,
                                            top + cell.row * kHeight, cell_, kHeight, cell_);
    for (const auto& [colour, path] : paths)
      out_ += fmt::format("<path class=\"r{}\" d=\"{}\"/>\n", colour, path);
    for (const Cell& cell : grid.cells)
      out_ +=
          text(x + cell.column * cell_ + cell_ / 2, top + cell.row * kHeight + 12, "", cell.text);
  }

  const Picture& picture_;
  u32 label_ = 0, cell_ = 0, wide_ = 0;
  std::map<u32, u32> widths_, heights_;
  std::string out_;
};

}  // namespace

std::string svg_of(const Picture& picture) { return Writer(picture).write(); }

std::string range(u32 first, u32 count) {
  return count == 1 ? std::to_string(first) : fmt::format("{}–{}", first, first + count - 1);
}

std::vector<std::string> ranges(u32 count, u32 each, std::string_view prefix) {
  std::vector<std::string> all;
  for (u32 first = 0; first < count; first += each)
    all.push_back(fmt::format("{}{}", prefix, range(first, each)));
  return all;
}

}  // namespace heddle::layouts
