// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Mandelbrot: escape times are exact because no operation is contracted.
#include "harness/kernel_test.h"

namespace heddle::kernels {
namespace {

KERNEL_SUITE(Mandelbrot, "mandelbrot");

template <class T>
std::vector<int> escape_times(int width, int height, T left, T top, T step, int limit) {
  return tabulate(width * height, [&](size_t i) {
    const T cx = left + step * static_cast<T>(static_cast<int>(i) % width);
    const T cy = top + step * static_cast<T>(static_cast<int>(i) / width);
    T x = 0, y = 0;
    int n = 0;
    for (; n < limit && x * x + y * y <= T(4); ++n) {
      const T next = x * x - y * y + cx;
      y = T(2) * x * y + cy;
      x = next;
    }
    return n;
  });
}

TEST_P(Mandelbrot, BothPrecisionsInEveryBlockShape) {
  const int width = 45, height = 31, limit = 120;
  for (Extent block : {Extent{32, 1}, Extent{8, 8}, Extent{13, 7}, Extent{1, 64}}) {
    const Shape shape = {{(width + block.x - 1) / block.x, (height + block.y - 1) / block.y},
                         block};
    SCOPED_TRACE(shape);
    Buffer<int> single(width * height), twice(width * height);
    launch("mandelbrot_f32", shape, single, width, height, -2.1f, -1.2f, 0.07f, limit);
    EXPECT_SAME(single, escape_times(width, height, -2.1f, -1.2f, 0.07f, limit));
    launch("mandelbrot_f64", shape, twice, width, height, -0.75, 0.1, 0.0003, limit);
    EXPECT_SAME(twice, escape_times(width, height, -0.75, 0.1, 0.0003, limit));
  }
}

}  // namespace
}  // namespace heddle::kernels
