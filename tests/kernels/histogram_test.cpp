// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Histograms with shared and global atomics, with even and with fully colliding data.
#include <algorithm>

#include "harness/kernel_test.h"

namespace heddle::kernels {
namespace {

KERNEL_SUITE(Histogram, "histogram");

std::vector<uint32_t> count_bytes(const std::vector<uint8_t>& data) {
  std::vector<uint32_t> bins(256);
  for (uint8_t byte : data) ++bins[byte];
  return bins;
}

TEST_P(Histogram, GlobalAndSharedAtomicsCountAlike) {
  const std::vector<uint8_t> inputs[] = {random_values<uint8_t>(10007, 1),
                                         std::vector<uint8_t>(4000, 77)};
  for (const auto& data : inputs) {
    for (const Shape& shape : kLineShapes) {
      for (const char* kernel : {"histogram_global", "histogram_shared"}) {
        SCOPED_TRACE(testing::Message() << kernel << ", " << shape);
        Buffer device(data);
        Buffer<uint32_t> bins(256);
        launch(kernel, shape, device, static_cast<int>(data.size()), bins);
        EXPECT_SAME(bins, count_bytes(data));
      }
    }
  }
}

TEST_P(Histogram, AtomicResultsHandOutDistinctPlaces) {
  const auto data = random_values<uint8_t>(3000, 2);
  const auto bins = count_bytes(data);
  std::vector<uint32_t> starts(256);
  for (size_t bin = 1; bin < 256; ++bin) starts[bin] = starts[bin - 1] + bins[bin - 1];
  Buffer device(data);
  Buffer cursors(starts);
  Buffer<uint32_t> order(data.size());
  launch("scatter_to_bins", {{24}, {128}}, device, 3000, cursors, order);

  // Within a bin the order is free; sorted by (byte, index) it is the one stable order.
  auto actual = order.values();
  for (uint32_t index : actual) ASSERT_LT(index, data.size());
  const auto by_byte = [&](uint32_t a, uint32_t b) { return data[a] < data[b]; };
  EXPECT_TRUE(std::is_sorted(actual.begin(), actual.end(), by_byte));
  std::sort(actual.begin(), actual.end());
  EXPECT_SAME(actual, tabulate(data.size(), [](size_t i) { return static_cast<uint32_t>(i); }));
}

}  // namespace
}  // namespace heddle::kernels
