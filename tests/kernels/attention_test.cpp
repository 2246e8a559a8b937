// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Attention: softmax(Q * K^T) * V, and the logarithm of the softmax's sums.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "harness/matrices.h"

namespace heddle::kernels {
namespace {

constexpr int kDepth = 64;
constexpr float kScale = 0.125f * 1.44269504f;  // 1 / sqrt(depth), for powers of two

struct Lengths {
  int heads, queries, keys;
};
constexpr Lengths kLengths[] = {{1, 64, 64}, {2, 100, 100}, {1, 33, 75}, {1, 70, 40}, {3, 1, 1}};

// The keys that a query sees: all, or those up to its own, where the last query sees all.
int keys_seen(const Lengths& lengths, bool causal, int query) {
  const int up_to_own = query + 1 + lengths.keys - lengths.queries;
  return causal ? std::clamp(up_to_own, 0, lengths.keys) : lengths.keys;
}

// Rows of all heads, one head after the other.
struct Inputs {
  Matrix q, k, v;
};
struct Outputs {
  std::vector<uint16_t> rows;
  std::vector<float> log_sums;
};

class AttentionTest : public KernelTest {
 protected:
  Outputs attend(const Lengths& lengths, bool causal, const Inputs& in) {
    const DeviceMatrix q(in.q, kF16), k(in.k, kF16), v(in.v, kF16);
    Buffer<uint16_t> out(in.q.elements.size());
    Buffer<float> log_sums(size_t(in.q.rows));
    const struct {  // `Attention` of attention.cu
      CUdeviceptr q, k, v, out, log_sums;
      int queries, keys;
      float scale;
    } parameters{q.operand().data,   k.operand().data, v.operand().data, out.address(),
                 log_sums.address(), lengths.queries,  lengths.keys,     kScale};
    launch(causal ? "causal_attention" : "attention",
           {{unsigned(lengths.queries + 63) / 64, unsigned(lengths.heads)}, {128}}, parameters);
    return {out.values(), log_sums.values()};
  }
};
KERNEL_SUITE_FROM(AttentionTest, Attention, "attention");

struct Expected {
  Matrix rows;
  std::vector<double> log_sums;
};
Expected attention(const Lengths& lengths, bool causal, const Inputs& in) {
  Expected expected{tabulated(in.q.rows, kDepth, [](int, int) { return 0; }), {}};
  for (int row = 0; row < in.q.rows; ++row) {
    const int head = row / lengths.queries;
    const int seen = keys_seen(lengths, causal, row % lengths.queries);
    double sum = 0;
    double* out = &expected.rows.elements[size_t(row) * kDepth];
    for (int key = head * lengths.keys; key < head * lengths.keys + seen; ++key) {
      double score = 0;
      for (int i = 0; i < kDepth; ++i) score += in.q(row, i) * in.k(key, i);
      const double weight = std::exp2(score * double{kScale});
      sum += weight;
      for (int i = 0; i < kDepth; ++i) out[i] += weight * in.v(key, i);
    }
    for (int i = 0; i < kDepth && seen > 0; ++i) out[i] /= sum;
    expected.log_sums.push_back(std::log2(sum));
  }
  return expected;
}

TEST_P(Attention, Fractions) {
  for (const Lengths& lengths : kLengths) {
    const Inputs in{fractions(lengths.heads * lengths.queries, kDepth, 11, 1),
                    fractions(lengths.heads * lengths.keys, kDepth, 11, 2),
                    fractions(lengths.heads * lengths.keys, kDepth, 11, 3)};
    for (const bool causal : {false, true}) {
      SCOPED_TRACE(fmt::format("{} heads, {} queries, {} keys, causal {}", lengths.heads,
                               lengths.queries, lengths.keys, causal));
      const Outputs outputs = attend(lengths, causal, in);
      const Expected expected = attention(lengths, causal, in);
      for (size_t i = 0; i < outputs.rows.size(); ++i)
        ASSERT_NEAR(half_value(outputs.rows[i]), expected.rows.elements[i], 1e-3) << i;
      for (size_t i = 0; i < outputs.log_sums.size(); ++i) {
        if (std::isinf(expected.log_sums[i]))
          ASSERT_EQ(outputs.log_sums[i], -INFINITY) << i;
        else
          ASSERT_NEAR(outputs.log_sums[i], expected.log_sums[i], 1e-4) << i;
      }
    }
  }
}

// Keys of zeros weigh alike, so that a row is the exact mean of integers, rounded.
TEST_P(Attention, Means) {
  const Lengths lengths{2, 128, 128};
  const Matrix zeros = tabulated(lengths.heads * lengths.keys, kDepth, [](int, int) { return 0; });
  const Inputs in{fractions(lengths.heads * lengths.queries, kDepth, 11, 1), zeros,
                  integers(lengths.heads * lengths.keys, kDepth, -50, 50, 3)};
  for (const bool causal : {false, true}) {
    SCOPED_TRACE(causal);
    const Outputs outputs = attend(lengths, causal, in);
    for (int row = 0; row < in.q.rows; ++row) {
      const int head = row / lengths.queries;
      const int seen = keys_seen(lengths, causal, row % lengths.queries);
      if ((seen & (seen - 1)) != 0) continue;  // a power of two has an exact reciprocal
      for (int i = 0; i < kDepth; ++i) {
        double sum = 0;
        for (int key = 0; key < seen; ++key) sum += in.v(head * lengths.keys + key, i);
        const int unit = sum == 0 ? 0 : std::ilogb(sum / seen) - 10;  // of a half's last place
        const double mean = std::ldexp(std::nearbyint(std::ldexp(sum / seen, -unit)), unit);
        ASSERT_EQ(half_value(outputs.rows[size_t(row * kDepth + i)]), mean) << row << ' ' << i;
      }
    }
  }
}

}  // namespace
}  // namespace heddle::kernels
