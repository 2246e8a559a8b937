// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Linked lists: walked by lanes with lists of different lengths, and built by a lock-free push.
#include "harness/kernel_test.h"

namespace heddle::kernels {
namespace {

KERNEL_SUITE(ListWalk, "list_walk");

struct Node {
  uint64_t next;
  int32_t value;
  int32_t padding;
};

TEST_P(ListWalk, EachThreadWalksItsOwnList) {
  const size_t lists = 200, pool = 5000;
  Random random(1);
  std::vector<Node> nodes(pool);
  std::vector<uint64_t> heads(lists);
  std::vector<int64_t> sums(lists);
  std::vector<int> lengths(lists);
  Buffer<Node> where(pool);
  for (size_t i = 0; i < pool; ++i) {
    // Some lists stay empty, the low ones are long.
    const unsigned list = random.below(random.below(lists - 3) + 1);
    nodes[i] = {heads[list], static_cast<int32_t>(random.next()), 0};
    heads[list] = where.address(i);
    sums[list] += nodes[i].value;
    ++lengths[list];
  }
  succeeded(cuMemcpyHtoD_v2(where.address(), nodes.data(), pool * sizeof(Node)), "copy nodes");
  for (const Shape& shape : {Shape{{1}, {256}}, Shape{{7}, {32}}, Shape{{5}, {45}}}) {
    SCOPED_TRACE(shape);
    Buffer device_heads(heads);
    Buffer<int64_t> device_sums(lists);
    Buffer<int> device_lengths(lists);
    launch("sum_lists", shape, device_heads, int(lists), device_sums, device_lengths);
    EXPECT_SAME(device_sums, sums);
    EXPECT_SAME(device_lengths, lengths);
  }
}

TEST_P(ListWalk, LockFreePushLosesNoNode) {
  for (const Shape& shape : {Shape{{1}, {32}}, Shape{{9}, {50}}, Shape{{2}, {512}}}) {
    SCOPED_TRACE(shape);
    const size_t count = shape.threads();
    Buffer<Node> where(count);
    Buffer<uint64_t> head(1);
    launch("push_all", shape, where, int(count), head);
    const auto nodes = where.values();
    std::vector<int> visits(count);
    size_t steps = 0;
    for (uint64_t at = head.values()[0]; at != 0 && steps < count; ++steps) {
      const uint64_t index = (at - where.address()) / sizeof(Node);
      ASSERT_LT(index, count);
      ++visits[nodes[index].value];
      at = nodes[index].next;
    }
    EXPECT_SAME(visits, std::vector<int>(count, 1));
  }
}

}  // namespace
}  // namespace heddle::kernels
