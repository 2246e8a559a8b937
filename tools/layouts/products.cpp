// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The fragments of mma, wmma and wgmma.
#include <fmt/format.h>

#include "fragment_grid.h"
#include "pictures.h"

namespace heddle::layouts {
namespace {

struct Product {
  u32 m, n, k, bits;
  const char* types;  ///< of A and B
  bool two_halves = false;
};

constexpr const char* kNarrow = "s8, u8, e4m3, e5m2, e3m2, e2m3, e2m1";

constexpr Product kMma[] = {
    {8, 8, 4, 64, "f64"},
    {8, 8, 16, 8, "s8, u8"},
    {8, 8, 32, 4, "s4, u4"},
    {8, 8, 128, 1, "b1"},
    {16, 8, 4, 32, "tf32"},
    {16, 8, 4, 64, "f64"},
    {16, 8, 8, 16, "f16, bf16", true},
    {16, 8, 8, 32, "tf32"},
    {16, 8, 8, 64, "f64"},
    {16, 8, 16, 16, "f16, bf16", true},
    {16, 8, 16, 8, "s8, u8, e4m3, e5m2", true},
    {16, 8, 16, 64, "f64"},
    {16, 8, 32, 8, kNarrow, true},
    {16, 8, 32, 4, "s4, u4"},
    {16, 8, 64, 4, "s4, u4; e2m1 of mxf4 and mxf4nvf4"},
    {16, 8, 128, 1, "b1"},
    {16, 8, 256, 1, "b1"},
};

// The others are those of mma.
constexpr Product kWmma[] = {
    {16, 16, 16, 16, "f16, bf16", true},
    {8, 32, 16, 16, "f16, bf16", true},
    {32, 8, 16, 16, "f16, bf16", true},
    {16, 16, 16, 8, "s8, u8"},
    {8, 32, 16, 8, "s8, u8"},
    {32, 8, 16, 8, "s8, u8"},
    {16, 16, 8, 32, "tf32"},
};

Picture picture_of(std::string_view opcode, const Product& p) {
  const std::string shape = fmt::format("m{}n{}k{}", p.m, p.n, p.k);
  return {fmt::format("{}-{}-{}bit", opcode, shape, p.bits),
          fmt::format("{} {}: {}", opcode, shape, p.types), product_notes(p.bits, p.two_halves),
          "register", product_grids(p.m, p.n, p.k, p.bits, p.k)};
}

Picture wmma_picture(const Product& p) {
  Picture picture = picture_of("wmma", p);
  picture.notes.emplace_back(
      "PTX leaves this layout open; it is Heddle's. A and B of f16 and bf16 have a copy of each "
      "element where there are more registers.");
  return picture;
}

// ---- mma.m8n8k4 with f16

using Place = sem::MatrixElement (*)(u32 lane, u32 i);

/// `each`: elements in a register.
Grid quad_grid(std::string title, std::string_view name, u32 elements, u32 rows, u32 columns,
               u32 each, Place place) {
  Grid grid{std::move(title), ranges(rows), ranges(columns), {}};
  for (u32 lane = 0; lane < 32; ++lane) {
    if (sem::mma884_product(lane) != 0) continue;
    for (u32 i = 0; i < elements; ++i) {
      const sem::MatrixElement at = place(lane, i);
      grid.cells.push_back({at.row, at.column, i / each, fmt::format("T{} {}{}", lane, name, i)});
    }
  }
  return grid;
}

Picture quad_picture() {
  return {"mma-m8n8k4-f16",
          "mma m8n8k4: f16, the first of four products",
          {"T5 a2: thread 5 of the warp has here its element a2.",
           "The product p has the threads that are 4 * p more."},
          "register",
          {{quad_grid("A by rows: 8 x 4", "a", 4, 8, 4, 2,
                      [](u32 lane, u32 i) { return sem::mma884_a(true, lane, i); }),
            1, 0},
           {quad_grid("A by columns: 8 x 4", "a", 4, 8, 4, 2,
                      [](u32 lane, u32 i) { return sem::mma884_a(false, lane, i); }),
            2, 0},
           {quad_grid("B by rows: 4 x 8", "b", 4, 4, 8, 2,
                      [](u32 lane, u32 i) { return sem::mma884_b(true, lane, i); }),
            0, 1},
           {quad_grid("B by columns: 4 x 8", "b", 4, 4, 8, 2,
                      [](u32 lane, u32 i) { return sem::mma884_b(false, lane, i); }),
            0, 2},
           {quad_grid("C and D of f16: 8 x 8", "c", 8, 8, 8, 2,
                      [](u32 lane, u32 i) { return sem::mma884_accumulator(16, lane, i); }),
            1, 1},
           {quad_grid("C and D of f32: 8 x 8", "c", 8, 8, 8, 1,
                      [](u32 lane, u32 i) { return sem::mma884_accumulator(32, lane, i); }),
            1, 2}}};
}

Picture wgmma_picture() {
  using enum sem::MatrixOperand;
  Picture picture{"wgmma",
                  "wgmma: warp w of the group, rows 16w to 16w + 15",
                  product_notes(16, true),
                  "register",
                  {{fragment_grid({a, 16, 16, 16, 16}, "a", "A in registers: f16, bf16"), 0, 0},
                   {fragment_grid({accumulator, 16, 16, 16, 32}, "d", "D"), 0, 1}}};
  picture.notes.emplace_back(
      "Columns 8i to 8i + 7 of D have elements d4i to d4i + 3. A of other types is that of "
      "mma.m16n8k8 (tf32), k32 (8 bits), k256 (b1).");
  for (PlacedGrid& placed : picture.grids)
    for (std::string& label : placed.grid.rows) label.insert(0, "16w + ");
  return picture;
}

}  // namespace

std::vector<Picture> product_pictures() {
  std::vector<Picture> all = {quad_picture()};
  for (const Product& product : kMma) all.push_back(picture_of("mma", product));
  for (const Product& product : kWmma) all.push_back(wmma_picture(product));
  all.push_back(wgmma_picture());
  return all;
}

}  // namespace heddle::layouts
