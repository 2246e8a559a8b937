// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <algorithm>

#include "harness/kernel_test.h"

namespace heddle::kernels {
namespace {

KERNEL_SUITE(Hopper, "hopper");

const Extent kClusters[] = {{1}, {2}, {4}, {8}};

TEST_P(Hopper, BulkCopiesThroughARing) {
  for (const int chunks : {1, 2, 3, 4, 13}) {
    SCOPED_TRACE(chunks);
    const auto in = random_values<uint32_t>(static_cast<size_t>(chunks) * 256 * 2, 1);
    Buffer device(in);
    Buffer<uint32_t> out(in.size());
    launch("bulk_stream", {{2}, {256}}, device, out, chunks);
    EXPECT_SAME(out, tabulate(in.size(), [&](size_t i) { return 3 * in[i]; }));
  }
}

TEST_P(Hopper, BulkReductions) {
  const size_t blocks = 20;
  const auto in = random_values<uint32_t>(blocks * 16, 2);
  auto expected = random_values<uint32_t>(8 * 16, 3);
  for (size_t i = 112; i < 128; ++i) expected[i] = 5;
  Buffer device(in), out(expected);
  launch("bulk_reduce", {{unsigned(blocks)}, {32}}, device, out);
  const auto pair = [](const uint32_t* at) { return at[0] | uint64_t{at[1]} << 32; };
  for (size_t block = 0; block < blocks; ++block) {
    for (size_t i = 0; i < 16; ++i) {
      const uint32_t value = in[block * 16 + i];
      uint32_t* e = &expected[i];
      e[0] += value;
      e[16] = uint32_t(std::min(int32_t(e[16]), int32_t(value)));
      e[32] = std::max(e[32], value);
      e[48] &= value;
      e[64] |= value;
      e[80] ^= value;
      if (i % 2 == 0) {
        const uint64_t sum = pair(&e[96]) + pair(&in[block * 16 + i]);
        e[96] = uint32_t(sum);
        e[97] = uint32_t(sum >> 32);
      }
      e[112] = e[112] >= value ? 0 : e[112] + 1;
    }
  }
  EXPECT_SAME(out, expected);
}

TEST_P(Hopper, ClusterReduction) {
  for (const Extent& cluster : kClusters) {
    for (const unsigned block : {32u, 100u, 256u}) {
      const Shape shape = Shape{{8}, {block}}.with_cluster(cluster);
      SCOPED_TRACE(shape);
      const auto in = random_values<uint32_t>(shape.threads(), 4);
      Buffer device(in);
      Buffer<uint32_t> out(8 / cluster.x * block);
      launch("cluster_reduce", shape, device, out);
      EXPECT_SAME(out, tabulate(out.size(), [&](size_t i) {
                    const size_t each = cluster.x * block, first = i / block * each;
                    uint32_t sum = 0;
                    for (size_t k = first; k < first + each; ++k) sum += in[k];
                    return sum;
                  }));
    }
  }
}

TEST_P(Hopper, ClusterHistogram) {
  const auto in = random_values<uint8_t>(10000, 5);
  std::vector<uint32_t> expected(256);
  for (const uint8_t value : in) ++expected[value];
  for (const Extent& cluster : kClusters) {
    const Shape shape = Shape{{16}, {96}}.with_cluster(cluster);
    SCOPED_TRACE(shape);
    Buffer device(in);
    Buffer<uint32_t> bins(256);
    launch("cluster_histogram", shape, device, bins, int(in.size()));
    EXPECT_SAME(bins, expected);
  }
}

TEST_P(Hopper, StoresAndReductionsThatSignal) {
  for (const unsigned size : {2u, 4u, 8u}) {
    for (const unsigned block : {1u, 32u, 128u}) {
      const Shape shape = Shape{{16}, {block}}.with_cluster({size});
      SCOPED_TRACE(shape);
      const auto in = random_values<uint32_t>(shape.threads(), 6);
      Buffer device(in);
      Buffer<uint32_t> out(2 * in.size());
      launch("send_around", shape, device, out);
      EXPECT_SAME(out, tabulate(out.size(), [&](size_t i) {
                    const size_t thread = i / 2 % block, to = i / 2 / block;
                    const size_t first = to / size * size, rank = to % size;
                    if (i % 2 == 0) return in[(first + (rank + size - 1) % size) * block + thread];
                    uint32_t sum = 0;
                    for (size_t k = 0; k < block; ++k)
                      sum += in[(first + (rank + 2 * size - 2) % size) * block + k];
                    return sum;
                  }));
    }
  }
}

TEST_P(Hopper, Multicast) {
  for (const uint16_t mask : {uint16_t{0x1}, uint16_t{0xf}, uint16_t{0xa}, uint16_t{0x5}}) {
    SCOPED_TRACE(mask);
    const auto in = random_values<uint32_t>(2 * 64, 7);
    Buffer device(in);
    Buffer<uint32_t> out(8 * 64);
    launch("multicast", Shape{{8}, {64}}.with_cluster({4}), device, out, mask);
    EXPECT_SAME(out, tabulate(8 * 64, [&](size_t i) {
                  const size_t block = i / 64;
                  return mask >> block % 4 & 1 ? in[block / 4 * 64 + i % 64] : 0xdead;
                }));
  }
}

TEST_P(Hopper, SpecialRegistersAndAddresses) {
  const Extent clusters[] = {{0, 0, 0}, {1, 1}, {2, 1}, {1, 3}, {2, 3}};
  for (const Extent& asked : clusters) {
    const Shape shape = Shape{{4, 6}, {1}}.with_cluster(asked);
    SCOPED_TRACE(shape);
    Buffer<uint32_t> out(24 * 20);
    launch("where_am_i", shape, out);
    const Extent size = asked.x ? asked : Extent{1, 1, 1};
    EXPECT_SAME(out, tabulate(24 * 20, [&](size_t i) -> uint32_t {
                  const uint32_t x = uint32_t(i / 20 % 4), y = uint32_t(i / 20 / 4);
                  const uint32_t rank = x % size.x + y % size.y * size.x, ranks = size.x * size.y;
                  const uint32_t own = rank == ranks - 1;
                  const uint32_t r[20] = {
                      x / size.x,   y / size.y, 4 / size.x, 6 / size.y, x % size.x,
                      y % size.y,   size.x,     size.y,     rank,       ranks,
                      asked.x != 0, ranks - 1,  ranks - 1,  rank,       1,
                      own,          1,          1,          0,          1};
                  return r[i % 20];
                }));
  }
}

}  // namespace
}  // namespace heddle::kernels
