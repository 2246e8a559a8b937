// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tensor copies: a stencil whose border is filled by the copies, and tensor maps in every memory
// that may hold them.
#include "tensor_map.h"

namespace heddle::kernels {
namespace {

KERNEL_SUITE(TensorMaps, "tensor_maps");

constexpr unsigned kMapTile = 32;

TEST_P(TensorMaps, Stencil) {
  struct Size {
    unsigned columns, rows;
  };
  for (const Size& size : {Size{32, 32}, {64, 96}, {100, 37}, {4, 1}}) {
    SCOPED_TRACE(size.columns);
    const unsigned columns = size.columns, rows = size.rows;
    const auto image = random_values<float>(size_t(columns) * rows, 1);
    Buffer in(image), out(std::vector<float>(image.size(), -1.0f));
    const auto map_of = [&](const Buffer<float>& buffer, Extent box) {
      return matrix_map(buffer.address(), CU_TENSOR_MAP_DATA_TYPE_FLOAT32, columns, rows,
                        columns * sizeof(float), box, CU_TENSOR_MAP_SWIZZLE_NONE);
    };
    const Shape shape{{(columns + kMapTile - 1) / kMapTile, (rows + kMapTile - 1) / kMapTile},
                      {kMapTile}};
    launch("tensor_stencil", shape, map_of(in, {36, 34}), map_of(out, {kMapTile, kMapTile}));
    const auto at = [&](int x, int y) {
      const bool inside = x >= 0 && x < int(columns) && y >= 0 && y < int(rows);
      return inside ? image[size_t(y) * columns + size_t(x)] : 0.0f;
    };
    EXPECT_SAME(out, tabulate(image.size(), [&](size_t i) {
                  const int x = int(i % columns), y = int(i / columns);
                  return at(x, y) + at(x, y - 1) + at(x, y + 1) + at(x - 1, y) + at(x + 1, y);
                }));
  }
}

TEST_P(TensorMaps, InConstantAndGlobalMemory) {
  constexpr size_t kCount = size_t(kMapTile) * kMapTile;
  const auto first = random_values<unsigned>(kCount, 2),
             second = random_values<unsigned>(kCount, 3),
             before = random_values<unsigned>(kCount, 4);
  Buffer a(first), b(second), sum(before);
  const auto map_of = [&](const Buffer<unsigned>& buffer) {
    return matrix_map(buffer.address(), CU_TENSOR_MAP_DATA_TYPE_UINT32, kMapTile, kMapTile,
                      kMapTile * sizeof(unsigned), {kMapTile, kMapTile},
                      CU_TENSOR_MAP_SWIZZLE_NONE);
  };
  write_global("constant_map", map_of(a));
  Buffer in_global(std::vector<CUtensorMap>{map_of(b)});
  launch("add_two", {{1}, {kMapTile}}, in_global, map_of(sum));
  EXPECT_SAME(sum, tabulate(kCount, [&](size_t i) { return before[i] + first[i] + second[i]; }));
}

TEST_P(TensorMaps, MadeByTheDevice) {
  constexpr int kColumns = 28, kRows = 30;
  const auto words = random_values<unsigned>(size_t(kColumns) * kRows, 5);
  Buffer in(words);
  Buffer<unsigned> out(size_t(kMapTile) * kMapTile);
  Buffer<CUtensorMap> room(1);
  launch("made_by_device", {{1}, {kMapTile}}, in, out, room, kColumns, kRows);
  EXPECT_SAME(out, tabulate(out.size(), [&](size_t i) {
                const size_t row = i / kMapTile, column = i % kMapTile;
                return row < kRows && column < kColumns ? words[row * kColumns + column] : 0u;
              }));
}

}  // namespace
}  // namespace heddle::kernels
