// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "fragment_grid.h"

#include <fmt/format.h>

#include "base/check.h"

namespace heddle::layouts {
namespace {

/// The elements of an f16 accumulator have the numbers and places of those of f32.
void check_halves(const sem::Fragment& wide) {
  sem::Fragment halves = wide;
  halves.bits = 16;
  for (u32 lane = 0; lane < 32; ++lane)
    for (u32 i = 0; i < sem::distinct_registers(wide); ++i)
      HEDDLE_CHECK(sem::element_of(halves, lane, i / 2, i % 2) ==
                   sem::element_of(wide, lane, i, 0));
}

}  // namespace

Grid fragment_grid(const sem::Fragment& f, std::string_view name, std::string title) {
  const u32 each = sem::elements_of_register(f);
  const bool is_b = f.operand == sem::MatrixOperand::b;
  Grid grid{std::move(title),
            ranges(sem::rows_of(f), is_b ? each : 1),
            ranges(sem::columns_of(f), is_b ? 1 : each),
            {}};
  if (f.operand == sem::MatrixOperand::accumulator && f.bits == 32) check_halves(f);
  for (u32 lane = 0; lane < 32; ++lane) {
    for (u32 index = 0; index < sem::distinct_registers(f); ++index) {
      const sem::MatrixElement at = sem::element_of(f, lane, index, 0);
      grid.cells.push_back({is_b ? at.row / each : at.row, is_b ? at.column : at.column / each,
                            index, fmt::format("T{} {}{}", lane, name, range(index * each, each))});
    }
  }
  return grid;
}

std::vector<PlacedGrid> product_grids(u32 m, u32 n, u32 k, u32 bits, u32 stored_k) {
  using enum sem::MatrixOperand;
  const auto size = [](std::string_view name, u32 rows, u32 columns) {
    return fmt::format("{}: {} x {}", name, rows, columns);
  };
  const u32 bits_of_d = bits == 64 ? 64 : 32;
  return {
      {fragment_grid({b, m, n, k, bits}, "b", size("B", k, n)), 0, 1},
      {fragment_grid({a, m, n, stored_k, bits}, "a",
                     stored_k == k ? size("A", m, k) : size("stored elements of A", m, stored_k)),
       1, 0},
      {fragment_grid({accumulator, m, n, k, bits_of_d}, "c", size("C and D", m, n)), 1, 1}};
}

std::vector<std::string> product_notes(u32 bits, bool two_halves) {
  const u32 each = bits < 32 ? 32 / bits : 1;
  std::vector<std::string> notes = {
      each == 1 ? "T5 a0: thread 5 of the warp has here its element a0."
                : fmt::format("T5 a{}: thread 5 of the warp has here its elements a0, in the low "
                              "bits of a register, to a{}.",
                              range(0, each), each - 1)};
  if (two_halves)
    notes.emplace_back("Colours of C and D are those of f32; f16: c0 and c1 share a register.");
  return notes;
}

}  // namespace heddle::layouts
