// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Merging and binary search.
#include <algorithm>

#include "harness/kernel_test.h"

namespace heddle::kernels {
namespace {

KERNEL_SUITE(MergePath, "merge_path");

template <class T>
std::vector<T> sorted_values(size_t count, uint64_t seed) {
  auto values = random_values<T>(count, seed);
  std::sort(values.begin(), values.end());
  return values;
}

TEST_P(MergePath, MergesAnySizes) {
  struct Sizes {
    int a, b;
  };
  for (Sizes size : {Sizes{500, 300}, Sizes{0, 100}, Sizes{1, 1}, Sizes{33, 1000}}) {
    for (int per_thread : {1, 7}) {
      SCOPED_TRACE(testing::Message() << size.a << " and " << size.b << ", " << per_thread);
      const auto a = sorted_values<int>(size.a, 1), b = sorted_values<int>(size.b, 2);
      std::vector<int> expected(a.size() + b.size());
      std::merge(a.begin(), a.end(), b.begin(), b.end(), expected.begin());
      Buffer device_a(a), device_b(b);
      Buffer<int> out(expected.size());
      const unsigned threads = (expected.size() + per_thread - 1) / per_thread;
      launch("merge_path", {{(threads + 95) / 96}, {96}}, device_a, size.a, device_b, size.b, out,
             per_thread);
      EXPECT_SAME(out, expected);
    }
  }
}

TEST_P(MergePath, LowerBounds) {
  const auto sorted = sorted_values<float>(1000, 3);
  auto keys = random_values<float>(300, 4);
  keys[0] = -2;
  keys[1] = 2;
  keys[2] = sorted[500];
  Buffer device_sorted(sorted), device_keys(keys);
  for (const Shape& shape : {Shape{{1}, {320}}, Shape{{10}, {30}}}) {
    SCOPED_TRACE(shape);
    Buffer<int> out(300);
    launch("lower_bounds", shape, device_sorted, 1000, device_keys, out, 300);
    EXPECT_SAME(
        out, tabulate(300, [&](size_t i) {
          return int(std::lower_bound(sorted.begin(), sorted.end(), keys[i]) - sorted.begin());
        }));
  }
}

}  // namespace
}  // namespace heddle::kernels
