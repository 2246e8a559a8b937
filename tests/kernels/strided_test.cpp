// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Grid-stride loops over arrays and pitched planes, and strided reads.
#include <algorithm>

#include "harness/kernel_test.h"

namespace heddle::kernels {
namespace {

KERNEL_SUITE(Strided, "strided");

TEST_P(Strided, EveryGridCoversTheArray) {
  const uint64_t n = 5003;
  const auto values = random_values<float>(n, 1);
  for (const Shape& shape : kLineShapes) {
    SCOPED_TRACE(shape);
    Buffer device(values);
    launch("scale_strided", shape, device, n, 3.5f);
    EXPECT_SAME(device, tabulate(n, [&](size_t i) { return values[i] * 3.5f; }));
  }
}

TEST_P(Strided, PitchedPlaneLeavesThePaddingAlone) {
  const int width = 75, height = 41;
  const uint64_t pitch = 320;  // bytes; 80 words of which 75 are pixels
  for (const Shape& shape : kPlaneShapes) {
    SCOPED_TRACE(shape);
    Buffer<uint32_t> plane(std::vector<uint32_t>(height * pitch / 4, 0xdeadbeef));
    launch("fill_plane", shape, plane, width, height, pitch);
    EXPECT_SAME(plane, tabulate(height * pitch / 4, [&](size_t i) {
                  const uint32_t x = i % 80, y = i / 80;
                  return x < 75 ? x * 1000 + y : 0xdeadbeef;
                }));
  }
}

TEST_P(Strided, ChunkSumsStopAtTheEnd) {
  const int n = 2000;
  const auto values = random_values<int>(n, 2);
  for (const Shape& shape : kLineShapes) {
    SCOPED_TRACE(shape);
    const int chunk = n / shape.threads() + 3;
    Buffer device(values);
    Buffer<int> sums(shape.threads());
    launch("sum_chunks", shape, device, n, chunk, sums);
    EXPECT_SAME(sums, tabulate(shape.threads(), [&](size_t thread) {
                  uint32_t sum = 0;
                  for (size_t i = thread * chunk; i < std::min<size_t>(n, (thread + 1) * chunk);
                       ++i)
                    sum += values[i];
                  return static_cast<int>(sum);
                }));
  }
}

}  // namespace
}  // namespace heddle::kernels
