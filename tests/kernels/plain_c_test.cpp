// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Kernels that clang compiled from C.
#include "harness/kernel_test.h"

namespace heddle::kernels {
namespace {

KERNEL_SUITE(PlainC, "plain_c");

TEST_P(PlainC, Iota) {
  for (const Shape& shape : kLineShapes) {
    SCOPED_TRACE(shape);
    Buffer<int> out(300);
    launch("c_iota", shape, out, 300, -50);
    EXPECT_SAME(out,
                tabulate(300, [&](size_t i) { return i < shape.threads() ? int(i) - 50 : 0; }));
  }
}

TEST_P(PlainC, RotationThroughSharedMemory) {
  for (unsigned block : {1u, 33u, 128u, 256u}) {
    SCOPED_TRACE(block);
    const auto values = random_values<uint32_t>(3 * block, 1);
    Buffer in(values);
    Buffer<uint32_t> out(values.size());
    launch("c_rotate", {{3}, {block}}, in, out, 5u);
    EXPECT_SAME(out, tabulate(values.size(), [&](size_t i) {
                  return values[i / block * block + (i + 5 - i / block * block) % block];
                }));
  }
}

struct Complex {
  double re, im;
};

TEST_P(PlainC, StructuresByValue) {
  const Complex base = {0.75, -1.5};
  Buffer<Complex> out(100);
  launch("c_powers", {{4}, {32}}, base, out, 100);
  EXPECT_SAME(out, tabulate(100, [&](size_t i) {
                Complex power = {1, 0};
                for (size_t k = 0; k < i % 10; ++k) {
                  power = {power.re * base.re - power.im * base.im,
                           power.re * base.im + power.im * base.re};
                }
                return power;
              }));
}

}  // namespace
}  // namespace heddle::kernels
