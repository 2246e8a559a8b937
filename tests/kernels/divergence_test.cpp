// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Divergent control flow.
#include "harness/kernel_test.h"

namespace heddle::kernels {
namespace {

KERNEL_SUITE(Divergence, "divergence");

TEST_P(Divergence, Collatz) {
  const auto start = tabulate(500, [](size_t i) { return uint32_t(i * i * 31 % 99991 + 1); });
  std::vector<uint32_t> steps;
  std::vector<uint64_t> peaks;
  for (uint64_t v : start) {
    uint32_t count = 0;
    uint64_t peak = v;
    for (; v != 1; ++count) {
      v = v % 2 ? 3 * v + 1 : v / 2;
      peak = std::max(peak, v);
    }
    steps.push_back(count);
    peaks.push_back(peak);
  }
  for (const Shape& shape : {Shape{{16}, {32}}, Shape{{5}, {100}}, Shape{{1}, {512}}}) {
    SCOPED_TRACE(shape);
    Buffer device(start);
    Buffer<uint32_t> device_steps(start.size());
    Buffer<uint64_t> device_peaks(start.size());
    launch("collatz", shape, device, device_steps, device_peaks, int(start.size()));
    EXPECT_SAME(device_steps, steps);
    EXPECT_SAME(device_peaks, peaks);
  }
}

uint32_t solutions(int size, int row, uint32_t columns, uint32_t left, uint32_t right) {
  if (row == size) return 1;
  uint32_t count = 0;
  for (int column = 0; column < size; ++column) {
    const uint32_t place = 1u << column;
    if ((columns | left | right) & place) continue;
    count += solutions(size, row + 1, columns | place, (left | place) << 1, (right | place) >> 1);
  }
  return count;
}

TEST_P(Divergence, QueensByBacktracking) {
  for (int size : {4, 6, 8}) {
    SCOPED_TRACE(size);
    Buffer<uint32_t> out(size * size);
    launch("queens", {{2}, {37}}, size, out);
    const auto counts = out.values();
    uint32_t total = 0;
    for (uint32_t count : counts) total += count;
    EXPECT_EQ(total, size == 4 ? 2u : size == 6 ? 4u : 92u);
    EXPECT_SAME(counts, tabulate(size * size, [&](size_t i) {
                  const uint32_t first = 1u << i / size, second = 1u << i % size;
                  if ((first | first << 1 | first >> 1) & second) return 0u;
                  return solutions(size, 2, first | second, (first << 1 | second) << 1,
                                   (first >> 1 | second) >> 1);
                }));
  }
}

int nested_loops(const std::vector<int>& values, int i, int untouched) {
  uint32_t hash = 17;
  for (size_t a = 0; a < values.size(); ++a) {
    int v = (values[a] ^ i) & 31;
    if (v == 0) continue;
    bool skip = false;
    for (int b = v;; b = b * 3 % 32) {
      if (b == 5) break;
      if (b > 20 && (i & 1)) {
        skip = true;
        break;
      }
      hash = hash * 33 + uint32_t(b);
      if (b == v && (hash & 8)) break;
      if (--v < -10) return untouched;
    }
    if (!skip) {
      hash ^= uint32_t(a);
      if (int(hash) % 97 == 0) break;
    }
    ++hash;
  }
  return int(hash);
}

TEST_P(Divergence, BreakContinueGotoReturn) {
  for (int n : {0, 1, 5, 12}) {
    const auto values = random_values<int>(n, 11);
    for (const Shape& shape : kLineShapes) {
      SCOPED_TRACE(testing::Message() << shape << ", n = " << n);
      Buffer device(values);
      Buffer out(std::vector<int>(shape.threads(), -77));
      launch("nested_loops", shape, device, n, out);
      EXPECT_SAME(out, tabulate(shape.threads(),
                                [&](size_t i) { return nested_loops(values, int(i), -77); }));
    }
  }
}

int two_entries(int i, int rounds) {
  uint32_t v = i;
  int k = 0;
  for (bool enter_second = i % 3 == 0;; enter_second = false) {
    if (!enter_second) {
      v = v * 5 + 1;
      if (int(v) % 7 == 0) return int(v);
    }
    v = v * 3 - k;
    if (++k >= rounds + i % 4) return int(v);
  }
}

TEST_P(Divergence, LoopWithTwoEntries) {
  for (const Shape& shape : kLineShapes) {
    SCOPED_TRACE(shape);
    Buffer<int> out(shape.threads());
    launch("two_entries", shape, out, 9);
    EXPECT_SAME(out, tabulate(shape.threads(), [](size_t i) { return two_entries(int(i), 9); }));
  }
}

}  // namespace
}  // namespace heddle::kernels
