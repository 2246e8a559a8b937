// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tensor memory: registers of tcgen05.ld and st, and the rows of tcgen05.mma's D.
#include <fmt/format.h>

#include "isa/sem/tcgen05_mma.h"
#include "pictures.h"

namespace heddle::layouts {
namespace {

template <isa::TmemShape kShape>
Grid access_grid(std::string title, u32 registers, u32 first_lane, u32 lanes) {
  Grid grid{std::move(title),
            ranges(sem::tensor_rows(kShape), 1, "lane "),
            ranges(sem::tensor_columns(kShape, registers)),
            {}};
  for (u32 lane = first_lane; lane < first_lane + lanes; ++lane) {
    for (u32 number = 0; number < registers; ++number) {
      const sem::TensorCell at = sem::tensor_cell<kShape>(lane, number);
      grid.cells.push_back({at.row, at.column, number, fmt::format("T{} r{}", lane, number)});
    }
  }
  return grid;
}

Picture access_picture(std::string_view shape, std::vector<PlacedGrid> grids) {
  return {fmt::format("tcgen05_ld-{}", shape.substr(0, shape.find('.'))),
          fmt::format("tcgen05.ld and st .{}", shape),
          {"T5 r1: register 1 of thread 5. Lanes count from the address, columns too."},
          "register",
          std::move(grids)};
}

/// A kind of tcgen05.mma that has a layout of its own.
struct Kind {
  const char* name;
  u32 m, ctas;
  bool sparse, weight_stationary;
};
constexpr Kind kKinds[] = {
    {"M 128", 128, 1, false, false},           {"M 64", 64, 1, false, false},
    {"pair, M 256", 256, 2, false, false},     {"pair, M 128", 128, 2, false, false},
    {"pair, .sp, M 128", 128, 2, true, false}, {".ws, M 128", 128, 1, false, true},
    {".ws, M 64", 64, 1, false, true},         {".ws, M 32", 32, 1, false, true},
};

Picture d_picture() {
  constexpr u32 kBlock = 16;
  Grid grid{"rows of D", ranges(isa::kTensorLanes, kBlock, "lanes "), {}, {}};
  for (u32 column = 0; column < std::size(kKinds); ++column) {
    const Kind& kind = kKinds[column];
    grid.columns.emplace_back(kind.name);
    const sem::TensorLayout layout =
        sem::tensor_layout(kind.m, kind.ctas, kind.sparse, kind.weight_stationary);
    for (u32 part = 0; part < layout.parts; ++part) {
      for (u32 row = 0; row < layout.rows; row += kBlock) {
        const u32 lane = sem::lane_of(layout, row) + part * layout.part_lanes;
        std::string text = range(row, kBlock);
        if (layout.parts > 1) text += fmt::format(" N {}/{}", part + 1, layout.parts);
        grid.cells.push_back({lane / kBlock, column, part, text});
      }
    }
  }
  return {"tcgen05_mma-d",
          "tcgen05.mma: where the rows of D are in tensor memory",
          {"0–15 N 1/2: rows 0 to 15, the first half of the columns. Of a pair, the second CTA has "
           "the upper half of M in the same way.",
           "A in tensor memory has its rows in the same lanes, with all of K."},
          "",
          {{std::move(grid), 0, 0}}};
}

}  // namespace

std::vector<Picture> tensor_pictures() {
  using enum isa::TmemShape;
  const std::string title = "a warp's lanes of tensor memory";
  return {
      access_picture("32x32b.x4", {{access_grid<_32x32b>(title, 4, 0, 32), 0, 0}}),
      access_picture("16x64b.x4", {{access_grid<_16x64b>(title, 4, 0, 32), 0, 0}}),
      access_picture("16x128b.x2", {{access_grid<_16x128b>(title, 4, 0, 32), 0, 0}}),
      access_picture("16x256b.x2", {{access_grid<_16x256b>(title, 8, 0, 32), 0, 0}}),
      access_picture(
          "16x32bx2.x4",
          {{access_grid<_16x32bx2>("columns from the address", 4, 0, 16), 0, 0},
           {access_grid<_16x32bx2>("columns from the second address", 4, 16, 16), 0, 1}}),
      d_picture(),
  };
}

}  // namespace heddle::layouts
