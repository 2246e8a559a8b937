// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// alloca in functions and loops, from hand-written PTX: with so many rounds that the stack would
// overflow several times if memory were not freed.
#include "harness/kernel_test.h"

namespace heddle::kernels {
namespace {

KERNEL_SUITE(DynamicStack, "dynamic_stack");

TEST_P(DynamicStack, EachThreadHasItsOwn) {
  const int n = 150;
  const uint32_t times = 30;
  for (const Shape& shape : {Shape{{1}, {160}}, Shape{{5}, {32}}, Shape{{3}, {50}}}) {
    SCOPED_TRACE(testing::Message() << shape);
    Buffer<uint32_t> out(n);
    launch("triangles", shape, out, times, n);
    EXPECT_SAME(out, tabulate(n, [&](size_t i) {
                  const uint32_t k = uint32_t(i) % 20;
                  return times * (k * (k + 1) / 2);
                }));
  }
}

}  // namespace
}  // namespace heddle::kernels
