// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Spin locks within warps, within blocks and between blocks.
#include "harness/kernel_test.h"

namespace heddle::kernels {
namespace {

KERNEL_SUITE(SpinLock, "spinlock");

constexpr Shape kLockShapes[] = {{{1}, {1}}, {{1}, {32}}, {{1}, {70}}, {{3}, {33}}, {{4}, {64}}};

TEST_P(SpinLock, GlobalLockProtectsAPlainCounter) {
  for (const Shape& shape : kLockShapes) {
    SCOPED_TRACE(shape);
    const int rounds = 2;
    Buffer<int> lock(1);
    Buffer<uint32_t> counter(1);
    launch("count_under_lock", shape, lock, counter, rounds);
    uint32_t expected = 0;
    for (unsigned i = 0; i < shape.threads() * rounds; ++i) expected = expected * 3 + 1;
    EXPECT_SAME(counter, {expected});
    EXPECT_SAME(lock, {0});
  }
}

TEST_P(SpinLock, SharedLockPerBlock) {
  for (const Shape& shape : kLockShapes) {
    SCOPED_TRACE(shape);
    Buffer<uint32_t> counters(shape.grid.x);
    launch("count_under_shared_lock", shape, counters, 4);
    EXPECT_SAME(counters, std::vector<uint32_t>(shape.grid.x, shape.block.x * 4));
  }
}

TEST_P(SpinLock, TicketsAreServedInOrder) {
  for (const Shape& shape : kLockShapes) {
    SCOPED_TRACE(shape);
    Buffer<uint32_t> next(1), serving(1), log(shape.threads());
    launch("ticket_lock", shape, next, serving, log);
    EXPECT_SAME(serving, {shape.threads()});
    EXPECT_SAME(log, tabulate(shape.threads(), [](size_t i) { return uint32_t(i * 7 + 1); }));
  }
}

TEST_P(SpinLock, LanesOfOneWarpWaitForEachOther) {
  for (unsigned block : {2u, 32u, 96u}) {
    SCOPED_TRACE(block);
    Buffer<int> flags(block), order(block), position(1);
    launch("chain_within_warp", {{1}, {block}}, flags, order, position);
    EXPECT_SAME(order, tabulate(block, [&](size_t i) { return int(block - 1 - i); }));
  }
}

}  // namespace
}  // namespace heddle::kernels
