// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Atomic operations.
#include <algorithm>

#include "harness/kernel_test.h"

namespace heddle::kernels {
namespace {

KERNEL_SUITE(Atomics, "atomics");

struct Cells {
  uint64_t add64 = 1, min64 = ~0ull, max64 = 0, and64 = ~0ull, or64 = 0, xor64 = 12345, cas64 = 0;
  int64_t smin64 = INT64_MAX, smax64 = INT64_MIN;
  double add_double = 0.5;
  uint32_t add = 7, min = ~0u, max = 0, bit_and = ~0u, bit_or = 0, bit_xor = 1, increment = 0,
           decrement = 0, cas = 0;
  int32_t smin = INT32_MAX, smax = INT32_MIN, subtract = 0;
  float add_float = 0;

  void update(uint64_t v, int i) {
    const uint32_t low = uint32_t(v);
    add64 += v;
    min64 = std::min(min64, v);
    max64 = std::max(max64, v);
    and64 &= v | 0xf0f0f0f0f0f0f0f0ull;
    or64 |= v & 0x0f0f0f0f0f0f0f0full;
    xor64 ^= v;
    smin64 = std::min(smin64, int64_t(v));
    smax64 = std::max(smax64, int64_t(v));
    add_double += int32_t(low);  // exact in any order
    add += low;
    min = std::min(min, low);
    max = std::max(max, low);
    bit_and &= low | 0xffff0000u;
    bit_or |= low & 0xffffu;
    bit_xor ^= low;
    increment = increment >= 99 ? 0 : increment + 1;
    decrement = decrement == 0 || decrement > 99 ? 99 : decrement - 1;
    cas = cas * 5 + 1;
    cas64 = cas64 * 7 + 3;
    smin = std::min(smin, int32_t(low));
    smax = std::max(smax, int32_t(low));
    subtract -= i;
    add_float += float(i % 16);  // exact in any order
  }
};

void expect_equal(const Cells& actual, const Cells& expected) {
#define EXPECT_CELL(name) EXPECT_EQ(actual.name, expected.name)
  EXPECT_CELL(add64);
  EXPECT_CELL(min64);
  EXPECT_CELL(max64);
  EXPECT_CELL(and64);
  EXPECT_CELL(or64);
  EXPECT_CELL(xor64);
  EXPECT_CELL(cas64);
  EXPECT_CELL(smin64);
  EXPECT_CELL(smax64);
  EXPECT_CELL(add_double);
  EXPECT_CELL(add);
  EXPECT_CELL(min);
  EXPECT_CELL(max);
  EXPECT_CELL(bit_and);
  EXPECT_CELL(bit_or);
  EXPECT_CELL(bit_xor);
  EXPECT_CELL(increment);
  EXPECT_CELL(decrement);
  EXPECT_CELL(cas);
  EXPECT_CELL(smin);
  EXPECT_CELL(smax);
  EXPECT_CELL(subtract);
  EXPECT_CELL(add_float);
#undef EXPECT_CELL
}

TEST_P(Atomics, AllThreadsOnOneSetOfCells) {
  for (const Shape& shape : kLineShapes) {
    SCOPED_TRACE(shape);
    const auto values = random_values<uint64_t>(shape.threads(), 1);
    Cells expected;
    for (size_t i = 0; i < values.size(); ++i) expected.update(values[i], int(i));
    Buffer device(values);
    Buffer cells(std::vector<Cells>(1));
    launch("atomics_global", shape, cells, device);
    expect_equal(cells.values()[0], expected);
  }
}

TEST_P(Atomics, OneSetPerBlockInSharedMemory) {
  for (const Shape& shape : kLineShapes) {
    SCOPED_TRACE(shape);
    const auto values = random_values<uint64_t>(shape.threads(), 2);
    std::vector<Cells> expected(shape.grid.x);
    for (size_t i = 0; i < values.size(); ++i)
      expected[i / shape.block.x].update(values[i], int(i));
    Buffer device(values);
    Buffer cells(std::vector<Cells>(shape.grid.x));
    launch("atomics_shared", shape, cells, device);
    const auto actual = cells.values();
    for (size_t block = 0; block < actual.size(); ++block) {
      SCOPED_TRACE(block);
      expect_equal(actual[block], expected[block]);
    }
  }
}

TEST_P(Atomics, TheValueBeforeIsReturned) {
  for (const Shape& shape : kLineShapes) {
    SCOPED_TRACE(shape);
    const size_t threads = shape.threads();
    Buffer<uint32_t> slots(1), turns(1), tokens(1), out(3 * threads);
    launch("atomic_results", shape, slots, turns, tokens, out);
    const auto results = out.values();
    std::vector<uint32_t> slot, turn, token;
    for (size_t i = 0; i < threads; ++i) {
      slot.push_back(results[3 * i]);
      turn.push_back(results[3 * i + 1]);
      token.push_back(results[3 * i + 2]);
    }
    std::sort(slot.begin(), slot.end());
    EXPECT_SAME(slot, tabulate(threads, [](size_t i) { return uint32_t(i); }));
    std::sort(turn.begin(), turn.end());
    auto turns_expected = tabulate(threads, [](size_t i) { return uint32_t(i % 7); });
    std::sort(turns_expected.begin(), turns_expected.end());
    EXPECT_SAME(turn, turns_expected);
    // Every token is passed on exactly once: the received tokens and the last one are 0, 1, ...
    // threads.
    token.push_back(tokens.values()[0]);
    std::sort(token.begin(), token.end());
    EXPECT_SAME(token, tabulate(threads + 1, [](size_t i) { return uint32_t(i); }));
  }
}

}  // namespace
}  // namespace heddle::kernels
