// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// printf and the heap of the device.
#include <algorithm>
#include <cstdio>
#include <sstream>

#include "harness/kernel_test.h"

namespace heddle::kernels {
namespace {

KERNEL_SUITE(DeviceRuntime, "device_runtime");

TEST_P(DeviceRuntime, PrintfComesOutByTheTimeOfASynchronisation) {
  constexpr int kThreads = 96;
  std::vector<std::string> expected;
  std::vector<int> counts;
  const char* const names[] = {"warp", "weft", "heddle"};
  for (int i = 0; i < kThreads; ++i) {
    char line[128] = "odd";
    if (i % 2 == 0) {
      std::snprintf(line, sizeof line, "%d is %s: %6.2f %#x %c %lld %%", i, names[i % 3], i / 4.0,
                    unsigned(i) + 255u, 'a' + i % 26, static_cast<long long>(i) << 33);
    }
    counts.push_back(i % 2 == 0 ? 6 : 0);
    expected.push_back(line);
  }
  Buffer out(std::vector<int>(kThreads, -1));
  testing::internal::CaptureStdout();
  launch("greet", Shape{{2}, {kThreads / 2}}, out);
  std::istringstream printed(testing::internal::GetCapturedStdout());
  std::vector<std::string> lines;
  for (std::string line; std::getline(printed, line);) lines.push_back(line);
  std::ranges::sort(lines);  // threads print in any order
  std::ranges::sort(expected);
  EXPECT_EQ(lines, expected);
  EXPECT_SAME(out, counts);
}

TEST_P(DeviceRuntime, ThreadsShareTheHeap) {
  constexpr int kLength = 20;
  for (const Shape& shape : kLineShapes) {
    const unsigned threads = static_cast<unsigned>(shape.threads());
    std::vector<int> sums(threads);
    for (unsigned i = 0; i < threads; ++i)
      sums[i] = static_cast<int>(i) * kLength + kLength * (kLength - 1) / 2;
    Buffer out(std::vector<int>(threads, -1));
    launch("lists", shape, out, kLength);
    EXPECT_SAME(out, sums);
  }
}

TEST_P(DeviceRuntime, TheHeapHasLimits) {
  Buffer out(std::vector<int>(3, -1));
  launch("limits", Shape{{1}, {1}}, out);
  EXPECT_SAME(out, (std::vector<int>{1, 1, 32 * 33 / 2}));
}

}  // namespace
}  // namespace heddle::kernels
