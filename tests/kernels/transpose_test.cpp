// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Transposition through shared memory.
#include "harness/kernel_test.h"

namespace heddle::kernels {
namespace {

KERNEL_SUITE(Transpose, "transpose");

TEST_P(Transpose, AnySizeAndBlockHeight) {
  struct Size {
    int width, height;
  };
  for (Size size : {Size{32, 32}, Size{100, 67}, Size{1, 200}, Size{129, 1}}) {
    for (unsigned rows : {32u, 8u, 3u}) {
      SCOPED_TRACE(testing::Message()
                   << size.width << "x" << size.height << ", " << rows << " rows per block");
      const auto values = random_values<uint32_t>(size.width * size.height, rows);
      Buffer in(values);
      Buffer<uint32_t> out(values.size());
      const Extent grid = {(size.width + 31u) / 32, (size.height + 31u) / 32};
      launch("transpose", {grid, {32, rows}}, in, out, size.width, size.height);
      EXPECT_SAME(out, tabulate(values.size(), [&](size_t i) {
                    return values[i % size.height * size.width + i / size.height];
                  }));
    }
  }
}

}  // namespace
}  // namespace heddle::kernels
