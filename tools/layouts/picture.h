// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Pictures of matrices as SVG: grids whose cells name a thread and what it holds, coloured by
// register.
#pragma once

#include <string>
#include <vector>

#include "base/types.h"

namespace heddle::layouts {

struct Cell {
  u32 row, column, colour;
  std::string text;
};

struct Grid {
  std::string title;
  std::vector<std::string> rows, columns;  ///< labels
  std::vector<Cell> cells;
};

/// A grid and its place among the others: grids of a line are side by side.
struct PlacedGrid {
  Grid grid;
  u32 line, place;
};

struct Picture {
  std::string name;  ///< of the file, without `.svg`
  std::string title;
  std::vector<std::string> notes;  ///< lines of text
  std::string colours;             ///< what the colours are: `register`
  std::vector<PlacedGrid> grids;
};

std::string svg_of(const Picture& picture);

/// `7`, or `4–7` where `count` is 4.
std::string range(u32 first, u32 count);
/// range() of each group of `each` numbers below `count`.
std::vector<std::string> ranges(u32 count, u32 each = 1, std::string_view prefix = "");

}  // namespace heddle::layouts
