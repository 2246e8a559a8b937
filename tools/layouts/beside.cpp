// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What products have beside A, B and C: the metadata of a sparse A, and scale factors. Where they
// are is found by asking the functions that read them about each bit.
#include <fmt/format.h>

#include <optional>

#include "base/check.h"
#include "fragment_grid.h"
#include "isa/sem/mma_sparse.h"
#include "pictures.h"

namespace heddle::layouts {
namespace {

/// Bits of a register.
struct Bits {
  u32 lane, first;
};

/// Where `width` bits come from that `read(values of the lanes)` returns.
template <class Read>
Bits find_bits(u32 width, Read read) {
  for (u32 lane = 0; lane < 32; ++lane) {
    for (u32 first = 0; first < 32; first += width) {
      u32 lanes[32] = {};
      lanes[lane] = ((u32{1} << width) - 1) << first;
      if (read(lanes) != 0) return {lane, first};
    }
  }
  HEDDLE_CHECK(false);
  return {};
}

struct SparseProduct {
  u32 k, bits;
  isa::Type type;
  const char* types;
  u32 selectors;  ///< legal ones
  bool two_halves = false;
};

constexpr SparseProduct kSparse[] = {
    {16, 16, isa::Type::f16, "f16, bf16", 4, true},
    {32, 16, isa::Type::f16, "f16, bf16", 2, true},
    {8, 32, isa::Type::tf32, "tf32", 4},
    {16, 32, isa::Type::tf32, "tf32", 2},
    {32, 8, isa::Type::s8, "s8, u8", 2},
    {64, 8, isa::Type::s8, "s8, u8, e4m3, e5m2, e3m2, e2m3, e2m1", 1, true},
    {64, 4, isa::Type::s4, "s4, u4", 2},
    {128, 4, isa::Type::s4, "s4, u4; e2m1 of mxf4 and mxf4nvf4", 1},
};

Picture sparse_picture(const SparseProduct& p) {
  const u32 unit = sem::sparse_unit(p.type), chunks = p.k * p.bits / unit / 4;
  const auto place = [&](u32 row, u32 chunk, u32 selector) {
    return find_bits(4, [&](const u32* lanes) {
      return sem::metadata_of({lanes, selector, unit}, row, chunk, chunks);
    });
  };
  Grid grid{"metadata: each chunk of a row", ranges(16), ranges(p.k, p.k / chunks, "k "), {}};
  for (u32 row = 0; row < 16; ++row) {
    for (u32 chunk = 0; chunk < chunks; ++chunk) {
      const Bits at = place(row, chunk, 0);
      grid.cells.push_back(
          {row, chunk, at.lane % 4, fmt::format("T{} e{}", at.lane, range(at.first, 4))});
    }
  }
  Picture picture{fmt::format("mma_sp-m16n8k{}-{}bit", p.k, p.bits),
                  fmt::format("mma.sp m16n8k{}: {}", p.k, p.types),
                  product_notes(p.bits, p.two_halves), "register",
                  product_grids(16, 8, p.k, p.bits, p.k / 2)};
  std::string note = "T4 e8–11: bits 8 to 11 of thread 4's metadata; colours are the thread % 4.";
  if (p.selectors > 1) {
    note += fmt::format(" The selector is 0; selector s: {} more threads.",
                        place(0, 0, 1).lane == 1 ? "s" : "2s");
  }
  picture.notes.push_back(note);
  picture.grids.push_back({std::move(grid), 0, 0});
  return picture;
}

}  // namespace

std::vector<Picture> sparse_pictures() {
  std::vector<Picture> all;
  for (const SparseProduct& product : kSparse) all.push_back(sparse_picture(product));
  return all;
}

std::vector<Picture> scale_pictures() {
  constexpr u32 kMostFactors = 4;
  const auto factors = [](std::string_view title, u32 count, auto read) {
    Grid grid{std::string(title), ranges(count), ranges(kMostFactors, 1, "factor "), {}};
    for (u32 line = 0; line < count; ++line) {
      for (u32 factor = 0; factor < kMostFactors; ++factor) {
        const Bits at = find_bits(8, [&](const u32* lanes) {
          return read(sem::ScaleOperand{lanes, 0, 0}, line, factor);
        });
        grid.cells.push_back(
            {line, factor, factor, fmt::format("T{} byte {}", at.lane, at.first / 8)});
      }
    }
    return grid;
  };
  const u32 apart_a =
      find_bits(8, [](const u32* lanes) { return sem::scale_of_row({lanes, 0, 1}, 0, 0); }).lane;
  const u32 apart_b =
      find_bits(8, [](const u32* lanes) { return sem::scale_of_column({lanes, 0, 1}, 0, 0); }).lane;
  return {
      {"mma-scale-factors",
       "mma with .block_scale: scale factors",
       {"A row or column has one, two or four of them: .scale_vec. byte-id and thread-id are 0.",
        fmt::format("thread-id t: {}t more threads for A, {}t for B; byte-id b: b more bytes.",
                    apart_a, apart_b)},
       "factor",
       {{factors("rows of A", 16, &sem::scale_of_row), 0, 0},
        {factors("columns of B", 8, &sem::scale_of_column), 0, 1}}}};
}

}  // namespace heddle::layouts
