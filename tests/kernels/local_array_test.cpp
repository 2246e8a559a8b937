// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Local memory.
#include <algorithm>

#include "harness/kernel_test.h"

namespace heddle::kernels {
namespace {

KERNEL_SUITE(LocalArray, "local_array");

TEST_P(LocalArray, InsertionSort) {
  const int length = 29, count = 100;
  const auto values = random_values<int>(length * count, 1);
  auto expected = values;
  for (int i = 0; i < count; ++i) {
    std::sort(expected.begin() + i * length, expected.begin() + (i + 1) * length);
  }
  for (const Shape& shape : {Shape{{1}, {128}}, Shape{{4}, {32}}, Shape{{9}, {13}}}) {
    SCOPED_TRACE(shape);
    Buffer in(values);
    Buffer<int> out(values.size());
    launch("insertion_sort", shape, in, out, length, count);
    EXPECT_SAME(out, expected);
  }
}

TEST_P(LocalArray, BytesThroughAPointer) {
  const int per_thread = 9, threads = 75;
  const auto words = random_values<uint32_t>(per_thread * threads, 2);
  Buffer device(words);
  Buffer<uint8_t> out(16 * threads);
  launch("nibble_counts", {{3}, {25}}, device, per_thread, out);
  std::vector<uint8_t> expected(16 * threads);
  for (size_t i = 0; i < words.size(); ++i) {
    for (int nibble = 0; nibble < 8; ++nibble) {
      ++expected[i / per_thread * 16 + (words[i] >> 4 * nibble & 15)];
    }
  }
  EXPECT_SAME(out, expected);
}

TEST_P(LocalArray, BigArraysWithStrides) {
  for (int stride : {1, 2, 29, 66}) {
    SCOPED_TRACE(stride);
    Buffer<double> out(2 * 65);
    launch("shuffle_locals", {{2}, {65}}, out, stride);
    EXPECT_SAME(out, tabulate(out.size(), [&](size_t i) {
                  double wide[67];
                  int16_t narrow[67];
                  for (int k = 0; k < 67; ++k) {
                    wide[k * stride % 67] = double(i) + k * 0.5;
                    narrow[k * stride % 67] = int16_t(k);
                  }
                  double sum = 0;
                  for (int k = 0; k < 67; ++k) sum = sum * 0.5 + wide[k] + narrow[66 - k];
                  return sum;
                }));
  }
}

}  // namespace
}  // namespace heddle::kernels
