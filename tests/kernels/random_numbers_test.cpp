// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Random number generators.
#include <bit>

#include "harness/kernel_test.h"

namespace heddle::kernels {
namespace {

KERNEL_SUITE(RandomNumbers, "random_numbers");

struct State {
  uint32_t x, y, z, w;
  uint32_t next() {
    const uint32_t result = std::rotl(y * 5, 7) * 9;
    const uint32_t t = y << 9;
    z ^= x;
    w ^= y;
    y ^= z;
    x ^= w;
    z ^= t;
    w = std::rotl(w, 11);
    return result;
  }
};

std::vector<State> states(size_t count) {
  Random random(1);
  return tabulate(count, [&](size_t) {
    const uint64_t a = random.next(), b = random.next();
    return State{uint32_t(a), uint32_t(a >> 32), uint32_t(b), uint32_t(b >> 32)};
  });
}

TEST_P(RandomNumbers, XoshiroContinuesFromItsState) {
  for (const Shape& shape : kLineShapes) {
    SCOPED_TRACE(shape);
    auto host = states(shape.threads());
    Buffer device(host);
    Buffer<uint32_t> out(5 * host.size());
    for (int run = 0; run < 2; ++run) {
      launch("xoshiro", shape, device, out, 5);
      EXPECT_SAME(out, tabulate(5 * host.size(), [&](size_t i) { return host[i / 5].next(); }));
    }
    EXPECT_SAME(device, host);
  }
}

TEST_P(RandomNumbers, Philox) {
  for (const Shape& shape : kLineShapes) {
    SCOPED_TRACE(shape);
    Buffer<State> out(shape.threads());
    launch("philox", shape, 0xa4093822u, 0x299f31d0u, out);
    EXPECT_SAME(out, tabulate(shape.threads(), [&](size_t i) {
                  State c = {uint32_t(i), uint32_t(i / shape.block.x), 0, 7};
                  uint32_t key0 = 0xa4093822u, key1 = 0x299f31d0u;
                  for (int round = 0; round < 10; ++round) {
                    const uint64_t p0 = 0xd2511f53ull * c.x, p1 = 0xcd9e8d57ull * c.z;
                    c = {uint32_t(p1 >> 32) ^ c.y ^ key0, uint32_t(p1),
                         uint32_t(p0 >> 32) ^ c.w ^ key1, uint32_t(p0)};
                    key0 += 0x9e3779b9u;
                    key1 += 0xbb67ae85u;
                  }
                  return c;
                }));
  }
}

TEST_P(RandomNumbers, MonteCarloCountsAreExact) {
  const Shape shape = {{5}, {96}};
  auto host = states(shape.threads());
  Buffer device(host);
  Buffer<uint32_t> hits(1);
  launch("points_in_circle", shape, device, 50, hits);
  uint32_t expected = 0;
  for (State& state : host) {
    for (int k = 0; k < 50; ++k) {
      const uint64_t x = state.next() >> 1, y = state.next() >> 1;
      expected += x * x + y * y < 1ull << 62;
    }
  }
  EXPECT_SAME(hits, {expected});
}

}  // namespace
}  // namespace heddle::kernels
