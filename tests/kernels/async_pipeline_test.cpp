// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "harness/kernel_test.h"

namespace heddle::kernels {
namespace {

KERNEL_SUITE(AsyncPipeline, "async_pipeline");

TEST_P(AsyncPipeline, ProducersAndConsumers) {
  for (const unsigned block : {33u, 64u, 100u, 256u}) {
    for (const int rounds : {1, 2, 3, 20}) {
      SCOPED_TRACE(testing::Message() << block << " threads, " << rounds << " rounds");
      const unsigned consumers = block - 32;
      const auto in = random_values<uint32_t>(static_cast<size_t>(rounds) * 32, 1);
      Buffer device(in);
      Buffer<uint32_t> out(3 * consumers);
      launch("produce_and_consume", {{3}, {block}}, device, out, rounds);
      EXPECT_SAME(out, tabulate(3 * consumers, [&](size_t i) {
                    const size_t thread = i % consumers + 32;
                    uint32_t sum = 0;
                    for (size_t round = 0; round < static_cast<size_t>(rounds); ++round) {
                      for (size_t k = 0; k < 32; ++k)
                        sum = sum * 31 + in[round * 32 + (k + thread) % 32];
                    }
                    return sum;
                  }));
    }
  }
}

TEST_P(AsyncPipeline, DoubleBufferedMatmul) {
  const size_t n = 80;
  const auto a = random_values<float>(n * n, 1), b = random_values<float>(n * n, 2);
  Buffer device_a(a), device_b(b);
  Buffer<float> c(n * n);
  launch("matmul_double_buffered", {{5, 5}, {16, 16}}, device_a, device_b, c, int(n));
  EXPECT_SAME(c, tabulate(n * n, [&](size_t i) {
                float sum = 0;
                for (size_t k = 0; k < n; ++k) sum += a[i / n * n + k] * b[k * n + i % n];
                return sum;
              }));
}

TEST_P(AsyncPipeline, Sizes) {
  const auto in = random_values<uint8_t>(32, 3);
  Buffer device(in);
  Buffer<uint8_t> out(64);
  launch("copy_sizes", {{1}, {64}}, device, out);
  EXPECT_SAME(out, tabulate(64, [&](size_t i) -> uint8_t {
                if (i < 4) return in[16 + i];
                if (i < 8) return 0xee;
                if (i < 16) return in[i];
                if (i < 32) return in[i - 16];
                if (i < 48) return i - 32 < 11 ? in[i - 32] : 0;
                return 0;
              }));
}

TEST_P(AsyncPipeline, ThreadsLeaveTheBarrier) {
  for (const unsigned block : {1u, 32u, 77u}) {
    SCOPED_TRACE(block);
    Buffer<uint32_t> rounds(block), pending(1);
    launch("leave_one_by_one", {{1}, {block}}, rounds, pending);
    EXPECT_SAME(rounds, tabulate(block, [](size_t i) { return uint32_t(i); }));
  }
}

TEST_P(AsyncPipeline, PendingCounts) {
  Buffer<uint32_t> pending(9);
  launch("count_down", {{1}, {1}}, pending, 9u);
  EXPECT_SAME(pending, std::vector<uint32_t>{9, 8, 7, 6, 5, 4, 3, 2, 1});
}

}  // namespace
}  // namespace heddle::kernels
