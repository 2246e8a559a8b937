// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Where ldmatrix, stmatrix and movmatrix move elements, found by moving numbers.
#include <fmt/format.h>

#include "isa/sem/matrix_move.h"
#include "pictures.h"

namespace heddle::layouts {
namespace {

constexpr const char* kHalves[] = {"low", "high"};

/// Calls see(byte of the registers, byte of the rows).
template <class See>
void for_each_moved_byte(sem::MatrixOrder order, u32 registers, bool store, See see) {
  const u32 bytes = registers * sem::kRegisterBytes;
  std::vector<u8> low(bytes), high(bytes), moved_low(bytes), moved_high(bytes);
  for (u32 i = 0; i < bytes; ++i) low[i] = static_cast<u8>(i), high[i] = static_cast<u8>(i >> 8);
  const auto move = store ? &sem::rows_of_registers : &sem::registers_of_rows;
  move(order, registers, low.data(), moved_low.data());
  move(order, registers, high.data(), moved_high.data());
  for (u32 to = 0; to < bytes; ++to) {
    const u32 from = moved_low[to] | u32{moved_high[to]} << 8;
    store ? see(from, to) : see(to, from);
  }
}

/// `bytes`: of the rows that a cell is; 4, 2 or 1.
Picture picture_of(std::string name, std::string title, sem::MatrixOrder order, u32 registers,
                   bool store, u32 bytes) {
  const u32 rows = registers * sem::kRegisterBytes / sem::kRowBytes;
  Grid grid{"rows in shared memory, each at the address of a thread",
            ranges(rows, 1, "T"),
            ranges(sem::kRowBytes, bytes, "byte "),
            {}};
  for_each_moved_byte(order, registers, store, [&](u32 in_registers, u32 in_rows) {
    if (in_rows % bytes != 0) return;
    const u32 number = in_registers / sem::kRegisterBytes, byte = in_registers % 4;
    const u32 lane = in_registers % sem::kRegisterBytes / 4;
    std::string text = fmt::format("T{} r{}", lane, number);
    if (bytes == 2) text += fmt::format(" {}", kHalves[byte / 2]);
    if (bytes == 1) text += fmt::format(".{}", byte);
    grid.cells.push_back(
        {in_rows / sem::kRowBytes, in_rows % sem::kRowBytes / bytes, number, text});
  });
  const char* const part = bytes == 4   ? "all of it"
                           : bytes == 2 ? "low or high: its half"
                                        : "with the number of its byte";
  return {std::move(name),
          std::move(title),
          {fmt::format("T5 r1: register 1 of thread 5, {}. The row T9 is at thread 9's address.",
                       part)},
          "register",
          {{std::move(grid), 0, 0}}};
}

Picture movmatrix_picture() {
  Grid grid{"elements of d", ranges(8), ranges(8), {}};
  for (u32 lane = 0; lane < 32; ++lane) {
    for (u32 half = 0; half < 2; ++half) {
      const sem::HalfOfMatrix from = sem::transposed_half(lane, half);
      grid.cells.push_back({lane / 4, lane % 4 * 2 + half, from.half,
                            fmt::format("T{} {}", from.lane, kHalves[from.half])});
    }
  }
  return {"movmatrix",
          "movmatrix.m8n8.trans.b16",
          {"T4 low: the element comes from the low half of thread 4's a.",
           "Thread 4i + j gets columns 2j, in the low half, and 2j + 1 of row i."},
          "",
          {{std::move(grid), 0, 0}}};
}

}  // namespace

std::vector<Picture> move_pictures() {
  using enum sem::MatrixOrder;
  return {
      picture_of(
          "ldmatrix-m8n8",
          "ldmatrix and stmatrix m8n8.x4; .x1 and .x2 have the first registers; ldmatrix m8n16",
          rows, 4, false, 4),
      picture_of("ldmatrix-m8n8-trans", "ldmatrix and stmatrix m8n8.x4.trans.b16", columns_b16, 4,
                 false, 2),
      picture_of("ldmatrix-m16n16-trans", "ldmatrix m16n16.x1.trans.b8", columns_b8, 2, false, 1),
      picture_of("stmatrix-m16n8-trans", "stmatrix m16n8.x2.trans.b8", columns_b8, 2, true, 1),
      movmatrix_picture(),
  };
}

}  // namespace heddle::layouts
