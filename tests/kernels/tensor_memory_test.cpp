// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tensor memory (sm_100a): how tcgen05.ld and st arrange fragments in it, for all shapes and
// counts, from PTX that is generated here; copies, shifts and pairs of CTAs from hand-written PTX.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string>

#include "harness/context.h"
#include "harness/kernel_test.h"

namespace heddle::kernels {
namespace {

constexpr unsigned kThreads = 128, kLanes = 128;

// --- fragments of ld and st ---

/// A digit of a lane's or register's number, lowest first: each unit of it is so many rows and
/// columns further.
struct Digit {
  unsigned count, row, column;
};
struct Layout {
  const char* name;
  unsigned rows;
  unsigned columns;  // of .x1
  unsigned most;     // the largest .num
  std::vector<Digit> lane, number;
};
const Layout kLayouts[] = {
    {"32x32b", 32, 1, 128, {{32, 1, 0}}, {{128, 0, 1}}},
    {"16x64b", 16, 2, 128, {{2, 8, 0}, {2, 0, 1}, {8, 1, 0}}, {{128, 0, 2}}},
    {"16x128b", 16, 4, 64, {{4, 0, 1}, {8, 1, 0}}, {{2, 8, 0}, {64, 0, 4}}},
    {"16x256b", 16, 8, 32, {{4, 0, 2}, {8, 1, 0}}, {{2, 0, 1}, {2, 8, 0}, {32, 0, 8}}},
    {"16x32bx2", 16, 2, 128, {{16, 1, 0}}, {{128, 0, 1}}},
};
const Layout& kPlain = kLayouts[0];

bool is_split(const Layout& layout) { return std::string(layout.name) == "16x32bx2"; }

struct Cell {
  unsigned row, column;
};
void add(Cell& cell, unsigned number, const std::vector<Digit>& digits) {
  for (const Digit& digit : digits) {
    cell.row += number % digit.count * digit.row;
    cell.column += number % digit.count * digit.column;
    number /= digit.count;
  }
}

/// The instructions that access 32 rows of `columns` columns, one after the other.
struct Piece {
  unsigned lane, column, num, registers;
};
std::vector<Piece> pieces_of(const Layout& layout, unsigned columns) {
  std::vector<Piece> pieces;
  for (unsigned lane = 0; lane < 32; lane += layout.rows) {
    const unsigned num = std::min(columns / layout.columns, layout.most);
    const unsigned width = num * layout.columns;
    for (unsigned at = 0; at < columns; at += width)
      pieces.push_back({lane, at, num, width * layout.rows / 32});
  }
  return pieces;
}
bool fits(const Layout& layout, unsigned columns) { return columns >= layout.columns; }

/// Calls use(register of a thread's `columns` registers, cell) for a lane of a warp.
template <class Use>
void for_each_register(const Layout& layout, unsigned columns, unsigned lane, Use use) {
  unsigned first = 0;
  for (const Piece& piece : pieces_of(layout, columns)) {
    for (unsigned i = 0; i < piece.registers; ++i) {
      Cell cell{piece.lane, piece.column};
      add(cell, lane, layout.lane);
      if (is_split(layout)) cell.column += lane / 16 * piece.num;
      add(cell, i, layout.number);
      use(first + i, cell);
    }
    first += piece.registers;
  }
}

/// The accesses of all pieces, of registers %v0, %v1, ...
std::string accesses(const Layout& layout, unsigned columns, bool loads, bool packs) {
  std::string text;
  unsigned first = 0;
  for (const Piece& piece : pieces_of(layout, columns)) {
    std::string list;
    for (unsigned i = 0; i < piece.registers; ++i)
      list += fmt::format("{}%v{}", i ? ", " : "", first + i);
    const std::string split =
        is_split(layout) ? fmt::format(", {}", piece.num << unsigned(packs)) : "";
    const std::string address =
        fmt::format("[%a+{}]", piece.lane << 16 | piece.column << unsigned(packs));
    const std::string form = fmt::format("{}.x{}", layout.name, piece.num);
    text += loads ? fmt::format("  tcgen05.ld.sync.aligned.{}{}.b32 {{{}}}, {}{};\n", form,
                                packs ? ".pack::16b" : "", list, address, split)
                  : fmt::format("  tcgen05.st.sync.aligned.{}{}.b32 {}{}, {{{}}};\n", form,
                                packs ? ".unpack::16b" : "", address, split, list);
    first += piece.registers;
  }
  return text;
}

struct Access {
  const Layout* layout;
  unsigned columns;
  bool packs = false;
};

/// A kernel that stores values of `seed + 1, + 2, ...` with one layout and loads them with another.
std::string kernel(const std::string& name, const Access& store, const Access& load) {
  const unsigned most = std::max(store.columns, load.columns);
  const unsigned allocated = std::max(
      32u, std::max(store.columns << unsigned(store.packs), load.columns << unsigned(load.packs)));
  std::string text = fmt::format(R"(
.visible .entry {}(.param .u64 out)
{{
  .reg .pred %others;
  .reg .b32 %t, %a, %w, %v<{}>;
  .reg .b64 %to, %o;
  .shared .align 4 .b32 place;
  mov.u32 %t, %tid.x;
  setp.ge.u32 %others, %t, 32;
  @!%others tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [place], {};
  bar.sync 0;
  ld.shared.b32 %a, [place];
  shr.u32 %w, %t, 5;
  shl.b32 %w, %w, 21;
  add.u32 %a, %a, %w;
  mul.lo.u32 %w, %t, {};
)",
                                 name, most, allocated, store.columns * 65537);
  for (unsigned i = 0; i < store.columns; ++i)
    text += fmt::format("  add.u32 %v{}, %w, {};\n", i, (i + 1) * 65539);
  text += accesses(*store.layout, store.columns, false, store.packs);
  text += "  tcgen05.wait::st.sync.aligned;\n";
  text += accesses(*load.layout, load.columns, true, load.packs);
  text += fmt::format(R"(  tcgen05.wait::ld.sync.aligned;
  ld.param.u64 %to, [out];
  mul.wide.u32 %o, %t, {};
  add.u64 %to, %to, %o;
)",
                      4 * load.columns);
  for (unsigned i = 0; i < load.columns; ++i)
    text += fmt::format("  st.global.u32 [%to+{}], %v{};\n", 4 * i, i);
  text += fmt::format(R"(  bar.sync 0;
  ld.shared.b32 %a, [place];
  @!%others tcgen05.dealloc.cta_group::1.sync.aligned.b32 %a, {};
  ret;
}}
)",
                      allocated);
  return text;
}

std::vector<uint32_t> expected(const Access& store, const Access& load) {
  const unsigned width =
      std::max(store.columns << unsigned(store.packs), load.columns << unsigned(load.packs));
  std::vector<std::array<uint32_t, kLanes>> memory(width);
  for (unsigned thread = 0; thread < kThreads; ++thread) {
    const unsigned quarter = thread / 32 * 32;
    for_each_register(*store.layout, store.columns, thread % 32, [&](unsigned i, Cell cell) {
      const uint32_t value = thread * store.columns * 65537 + (i + 1) * 65539;
      if (store.packs) {
        memory[2 * cell.column][quarter + cell.row] = value & 0xffff;
        memory[2 * cell.column + 1][quarter + cell.row] = value >> 16;
      } else {
        memory[cell.column][quarter + cell.row] = value;
      }
    });
  }
  std::vector<uint32_t> out(size_t{kThreads} * load.columns);
  for (unsigned thread = 0; thread < kThreads; ++thread) {
    const unsigned quarter = thread / 32 * 32;
    for_each_register(*load.layout, load.columns, thread % 32, [&](unsigned i, Cell cell) {
      const unsigned row = quarter + cell.row;
      out[thread * load.columns + i] = load.packs ? (memory[2 * cell.column][row] & 0xffff) |
                                                        memory[2 * cell.column + 1][row] << 16
                                                  : memory[cell.column][row];
    });
  }
  return out;
}

class TensorFragments : public testing::Test {
 protected:
  void SetUp() override {
    ASSERT_TRUE(ensure_context());
    if (device_compute_capability() < 100) GTEST_SKIP() << "the device has no tensor memory";
  }

  void add(const Access& store, const Access& load) {
    if (fits(*store.layout, store.columns) && fits(*load.layout, load.columns))
      cases_.emplace_back(store, load);
  }

  void run() {
    std::string text = ".version 8.6\n.target sm_100a\n.address_size 64\n";
    for (size_t i = 0; i < cases_.size(); ++i)
      text += kernel(fmt::format("k{}", i), cases_[i].first, cases_[i].second);
    CUmodule module = nullptr;
    ASSERT_TRUE(succeeded(cuModuleLoadData(&module, text.c_str()), "cuModuleLoadData"));
    for (size_t i = 0; i < cases_.size(); ++i) {
      const auto& [store, load] = cases_[i];
      SCOPED_TRACE(fmt::format("{} to {}, {} columns", store.layout->name, load.layout->name,
                               store.columns));
      Buffer<uint32_t> out(size_t{kThreads} * load.columns);
      CUfunction function = nullptr;
      ASSERT_TRUE(succeeded(cuModuleGetFunction(&function, module, fmt::format("k{}", i).c_str()),
                            "cuModuleGetFunction"));
      CUdeviceptr address = out.address();
      void* parameters[] = {&address};
      ASSERT_TRUE(succeeded(
          cuLaunchKernel(function, 1, 1, 1, kThreads, 1, 1, 0, nullptr, parameters, nullptr),
          "cuLaunchKernel"));
      ASSERT_TRUE(succeeded(cuCtxSynchronize(), "cuCtxSynchronize"));
      EXPECT_SAME(out, expected(store, load));
    }
    cuModuleUnload(module);
  }

 private:
  std::vector<std::pair<Access, Access>> cases_;
};

TEST_F(TensorFragments, EveryPairOfShapes) {
  for (const Layout& store : kLayouts) {
    for (const Layout& load : kLayouts) add({&store, 16}, {&load, 16});
  }
  run();
}

TEST_F(TensorFragments, EveryCount) {
  for (unsigned columns = 1; columns <= 256; columns *= 2) {
    for (const Layout& layout : kLayouts) {
      add({&kPlain, columns}, {&layout, columns});
      if (&layout != &kPlain) add({&layout, columns}, {&kPlain, columns});
    }
  }
  run();
}

TEST_F(TensorFragments, Packed) {
  for (const Layout& layout : kLayouts) {
    add({&kPlain, 16}, {&layout, 8, true});
    add({&layout, 8, true}, {&kPlain, 16});
  }
  run();
}

// --- copies, shifts, pairs ---

KERNEL_SUITE(TensorMemory, "tensor_memory");

constexpr unsigned kColumns = 8, kTile = 16384;

/// A matrix in shared memory, of rows of 16-byte parts.
struct CopiedMatrix {
  unsigned span;  // of the swizzling; 0: none
  unsigned code;
  unsigned leading, stride;
};
const CopiedMatrix kMatrices[] = {
    {0, 0, 128, 256}, {0, 0, 2048, 128}, {32, 6, 0, 256}, {64, 4, 0, 512}, {128, 2, 0, 1024}};

uint64_t descriptor(const CopiedMatrix& matrix) {
  return uint64_t{matrix.leading >> 4} << 16 | uint64_t{matrix.stride >> 4} << 32 |
         uint64_t{1} << 46 | uint64_t{matrix.code} << 61;
}
/// The offset of a part.
unsigned offset(const CopiedMatrix& matrix, unsigned row, unsigned part) {
  if (!matrix.span) return row % 8 * 16 + row / 8 * matrix.stride + part * matrix.leading;
  const unsigned plain = row % 8 * matrix.span + row / 8 * matrix.stride + part * 16;
  return plain ^ (plain >> 7 & (matrix.span / 16 - 1)) << 4;
}

struct Copy {
  const char* kernel;
  unsigned rows, parts;
  std::vector<unsigned> (*lanes)(unsigned row);
};
std::vector<unsigned> same_lane(unsigned row) { return {row}; }
const Copy kCopies[] = {
    {"copy_128x256b", 128, 2, same_lane},
    {"copy_4x256b", 4, 2, [](unsigned row) { return std::vector{32 * row}; }},
    {"copy_128x128b", 128, 1, same_lane},
    {"copy_64x128b_02", 64, 1, [](unsigned row) { return std::vector{row, row + 64}; }},
    {"copy_64x128b_01", 64, 1,
     [](unsigned row) {
       const unsigned first = row + row / 32 * 32;
       return std::vector{first, first + 32};
     }},
    {"copy_32x128b", 32, 1,
     [](unsigned row) { return std::vector{row, row + 32, row + 64, row + 96}; }},
};

/// The 8 columns of each lane after a copy; `decompress(part, i)` is byte i of what a part becomes.
template <class Decompress>
std::vector<uint32_t> copied(const Copy& copy, const CopiedMatrix& matrix, const uint8_t* tile,
                             Decompress decompress) {
  std::vector<uint32_t> out(kLanes * kColumns);
  for (unsigned row = 0; row < copy.rows; ++row) {
    for (unsigned part = 0; part < copy.parts; ++part) {
      uint8_t bytes[16];
      for (unsigned i = 0; i < 16; ++i) bytes[i] = decompress(tile + offset(matrix, row, part), i);
      for (const unsigned lane : copy.lanes(row))
        std::memcpy(&out[lane * kColumns + part * 4], bytes, sizeof bytes);
    }
  }
  return out;
}
uint8_t as_it_is(const uint8_t* part, unsigned i) { return part[i]; }

const Shape kTileShape = Shape{{1}, {kThreads}}.with_shared(kTile);

TEST_P(TensorMemory, Copies) {
  const auto tile = random_values<uint8_t>(kTile, 1);
  Buffer in(tile);
  for (const CopiedMatrix& matrix : kMatrices) {
    for (const Copy& copy : kCopies) {
      if (offset(matrix, copy.rows - 1, copy.parts - 1) + 16 > kTile) continue;
      SCOPED_TRACE(fmt::format("{} span {}", copy.kernel, matrix.span));
      Buffer<uint32_t> out(kLanes * kColumns);
      launch(copy.kernel, kTileShape, in, descriptor(matrix), out);
      EXPECT_SAME(out, copied(copy, matrix, tile.data(), as_it_is));
    }
  }
}

TEST_P(TensorMemory, Decompression) {
  const auto tile = random_values<uint8_t>(kTile, 2);
  Buffer in(tile);
  Buffer<uint32_t> out(kLanes * kColumns);
  const CopiedMatrix& matrix = kMatrices[0];
  launch("copy_b4", kTileShape, in, descriptor(matrix), out);
  EXPECT_SAME(out, copied(kCopies[0], matrix, tile.data(), [](const uint8_t* part, unsigned i) {
                return uint8_t((part[i / 2] >> i % 2 * 4 & 15) * 4);
              }));
  launch("copy_b6", kTileShape, in, descriptor(matrix), out);
  EXPECT_SAME(out, copied(kCopies[2], matrix, tile.data(), [](const uint8_t* part, unsigned i) {
                unsigned value = 0;
                for (unsigned bit = 0; bit < 6; ++bit)
                  value |= unsigned(part[(6 * i + bit) / 8] >> (6 * i + bit) % 8 & 1) << bit;
                return uint8_t(value);
              }));
}

/// Where the row of a lane comes from after a shift of its 32 lanes.
unsigned before_shift(unsigned lane) { return lane % 32 ? lane - 1 : lane; }

TEST_P(TensorMemory, Shift) {
  Buffer<uint32_t> out(kLanes * kColumns);
  launch("shift", {{1}, {kThreads}}, out);
  EXPECT_SAME(out, tabulate(kLanes * kColumns, [](size_t i) -> uint32_t {
                unsigned lane = unsigned(i / kColumns);
                if (lane / 32 == 1) lane = before_shift(lane);
                if (lane / 32 == 3) lane = before_shift(before_shift(lane));
                return uint32_t(lane * kColumns + i % kColumns + 1);
              }));
}

TEST_P(TensorMemory, PairOfBlocks) {
  const auto tiles = random_values<uint8_t>(2 * kTile, 3);
  const CopiedMatrix& matrix = kMatrices[0];
  Buffer in(tiles);
  Buffer<uint32_t> out(2 * kLanes * kColumns);
  launch("pair", Shape{{2}, {kThreads}}.with_shared(kTile), in, descriptor(matrix), out);
  std::vector<uint32_t> all;
  for (const uint8_t* tile : {tiles.data(), tiles.data() + kTile}) {
    const auto rows = copied(kCopies[0], matrix, tile, as_it_is);
    for (unsigned i = 0; i < rows.size(); ++i) {
      const unsigned lane = i / kColumns, from = lane < 32 ? before_shift(lane) : lane;
      all.push_back(rows[from * kColumns + i % kColumns]);
    }
  }
  EXPECT_SAME(out, all);
}

}  // namespace
}  // namespace heddle::kernels
