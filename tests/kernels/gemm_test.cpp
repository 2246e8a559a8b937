// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Matrix products of whole kernels: exact for small integers, whatever the order of adding.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "harness/matrices.h"

namespace heddle::kernels {
namespace {

struct Size {
  int m, n, k;
};
// A tile, several tiles, and edges in every dimension.
constexpr Size kSizes[] = {{64, 64, 64}, {8, 136, 40}, {130, 70, 104}, {65, 1, 200}, {1, 65, 8}};

// `along_k`: rows of A, or columns of B, are contiguous.
struct Kernel {
  const char* name;
  ElementType a, b;
  bool a_along_k, b_along_k;
  int least_a, most_a, least_b, most_b;
  int digits = 0;              // of fractions
  double tolerance = 0x1p-19;  // of their products
};
constexpr Kernel kHalves{"f16_tt", kF16, kF16, true, false, -50, 50, -50, 50, 11};
constexpr Kernel kBytes{"s8_tn", k8Bits, k8Bits, true, true, -128, 127, -128, 127};
constexpr Kernel kBits{"b1_tn", k1Bit, k1Bit, true, true, 0, 1, 0, 1};
constexpr Kernel kScaled[] = {
    kHalves,
    {"f16_nn", kF16, kF16, false, true, -50, 50, -50, 50, 11},
    {"bf16_tn", kBf16, kBf16, true, true, -50, 50, -50, 50, 8},
    {"tf32_tn", kTf32, kTf32, true, true, -50, 50, -50, 50, 11},
    {"e5m2e4m3_tn", kE5m2, kE4m3, true, true, -4, 4, -16, 16, 3, 0x1p-10},
};
constexpr Kernel kWhole[] = {
    kBytes,
    {"u8s8_tn", k8Bits, k8Bits, true, true, 0, 255, -128, 127},
    {"s4_tn", k4Bits, k4Bits, true, true, -8, 7, -8, 7},
    kBits,
};

// A and B on the device, as the kernel wants them.
struct Operands {
  Operands(const Kernel& kernel, const Matrix& a, const Matrix& b)
      : a(kernel.a_along_k ? a : transposed(a), kernel.a),
        b(kernel.b_along_k ? transposed(b) : b, kernel.b),
        steps((a.columns * kernel.a.bits / 8 + 63) / 64) {}
  DeviceMatrix a, b;
  int steps;
};

Shape shape_of(const Size& size) {
  return {{unsigned(size.n + 63) / 64, unsigned(size.m + 63) / 64}, {128}};
}
Matrix integers_a(const Kernel& kernel, const Size& size) {
  return integers(size.m, size.k, kernel.least_a, kernel.most_a, 1);
}
Matrix integers_b(const Kernel& kernel, const Size& size) {
  return integers(size.k, size.n, kernel.least_b, kernel.most_b, 2);
}
std::string name_of(const Kernel& kernel, const Size& size) {
  return fmt::format("{} {} x {} x {}", kernel.name, size.m, size.n, size.k);
}

class GemmTest : public KernelTest {
 protected:
  void multiplies_integers(const Kernel& kernel, const Size& size) {
    SCOPED_TRACE(name_of(kernel, size));
    const Matrix a = integers_a(kernel, size), b = integers_b(kernel, size),
                 c = integers(size.m, size.n, -100, 100, 3), sums = product(a, b);
    EXPECT_SAME(scaled(kernel, size, a, b, as<float>(c), 2, -1),
                tabulate(sums.elements.size(),
                         [&](size_t i) { return float(2 * sums.elements[i] - c.elements[i]); }));
  }

  void multiplies_fractions(const Kernel& kernel, const Size& size) {
    SCOPED_TRACE(name_of(kernel, size));
    const Matrix a = fractions(size.m, size.k, kernel.digits, 1),
                 b = fractions(size.k, size.n, kernel.digits, 2);
    const std::vector<float> zeros(size_t(size.m) * size_t(size.n));
    EXPECT_TRUE(near(scaled(kernel, size, a, b, zeros, 1, 0), product(a, b), magnitudes(a, b),
                     kernel.tolerance));
  }

  void adds_integers(const Kernel& kernel, const Size& size) {
    SCOPED_TRACE(name_of(kernel, size));
    const Matrix a = integers_a(kernel, size), b = integers_b(kernel, size);
    const Operands on_device(kernel, a, b);
    Buffer<int> d(size_t(size.m) * size_t(size.n));
    launch(kernel.name, shape_of(size), on_device.a.operand(), on_device.b.operand(),
           on_device.steps, d, size.m, size.n);
    EXPECT_SAME(d, as<int>(kernel.a.bits == 1 ? differing_bits(a, b) : product(a, b)));
  }

 private:
  std::vector<float> scaled(const Kernel& kernel, const Size& size, const Matrix& a,
                            const Matrix& b, const std::vector<float>& c, float alpha, float beta) {
    const Operands on_device(kernel, a, b);
    Buffer d(c);
    launch(kernel.name, shape_of(size), on_device.a.operand(), on_device.b.operand(),
           on_device.steps, d, size.m, size.n, alpha, beta);
    return d.values();
  }

  static Matrix differing_bits(const Matrix& a, const Matrix& b) {
    return tabulated(a.rows, b.columns, [&](int row, int column) {
      int sum = 0;
      for (int k = 0; k < a.columns; ++k) sum += a(row, k) != b(k, column);
      return sum;
    });
  }
};

// --- sm_80, sm_89 ---

KERNEL_SUITE_FROM(GemmTest, Gemm, "gemm");

TEST_P(Gemm, Scaled) {
  for (const Kernel& kernel : kScaled) {
    for (const Size& size : kSizes) multiplies_integers(kernel, size);
    multiplies_fractions(kernel, kSizes[2]);
  }
}

TEST_P(Gemm, SumsOfIntegers) {
  for (const Kernel& kernel : kWhole) {
    for (const Size& size : kSizes) adds_integers(kernel, size);
  }
}

TEST_P(Gemm, PartsOfK) {
  const Size size{130, 70, 200};
  const Matrix a = integers_a(kHalves, size), b = integers_b(kHalves, size);
  const Operands on_device(kHalves, a, b);
  for (unsigned parts : {1u, 2u, 5u, 9u}) {
    SCOPED_TRACE(parts);
    Shape shape = shape_of(size);
    shape.grid.z = parts;
    Buffer<float> d(size_t(size.m) * size_t(size.n));
    launch("f16_split", shape, on_device.a.operand(), on_device.b.operand(), on_device.steps, d,
           size.m, size.n);
    EXPECT_SAME(d, as<float>(product(a, b)));
  }
}

TEST_P(Gemm, HalvesToColumns) {
  for (Size size : kSizes) {
    size.m = (size.m + 1) / 2 * 2;
    SCOPED_TRACE(name_of(kHalves, size));
    const Matrix a = integers(size.m, size.k, -3, 3, 1), b = integers(size.k, size.n, -3, 3, 2);
    const Operands on_device(kHalves, a, b);
    Buffer<uint16_t> d(size_t(size.m) * size_t(size.n));
    launch("f16_to_columns", shape_of(size), on_device.a.operand(), on_device.b.operand(),
           on_device.steps, d, size.m, size.n);
    const Matrix expected = transposed(product(a, b));
    EXPECT_SAME(d, tabulate(d.size(), [&](size_t i) {
                  return uint16_t(encoded(expected.elements[i], kF16));
                }));
  }
}

TEST_P(Gemm, Requantized) {
  for (const Size& size : kSizes) {
    SCOPED_TRACE(name_of(kBytes, size));
    const Matrix a = integers_a(kBytes, size), b = integers_b(kBytes, size), sums = product(a, b);
    const Operands on_device(kBytes, a, b);
    const size_t n = size_t(size.n), pitch = (n + 3) / 4 * 4;
    const auto bias = as<int>(integers(1, size.n, -1000, 1000, 3));
    const auto scale = tabulate(n, [&](size_t i) { return std::ldexp(1.25f, -9 - int(i % 4)); });
    const int zero = 3;
    Buffer device_bias(bias);
    Buffer device_scale(scale);
    Buffer<int8_t> d(size_t(size.m) * pitch);
    launch("s8_requantized", shape_of(size), on_device.a.operand(), on_device.b.operand(),
           on_device.steps, d, size.m, size.n, device_bias, device_scale, zero);
    // Columns between n and the pitch are those of a zero sum.
    EXPECT_SAME(d, tabulate(d.size(), [&](size_t i) {
                  const size_t row = i / pitch, column = i % pitch;
                  if (column >= n) return int8_t(zero);
                  const int sum = int(sums.elements[row * n + column]) + bias[column];
                  const int rounded = int(std::nearbyint(float(sum) * scale[column])) + zero;
                  return int8_t(std::clamp(rounded, -128, 127));
                }));
  }
}

// --- sm_75 ---

KERNEL_SUITE_FROM(GemmTest, GemmTuring, "gemm_turing");

TEST_P(GemmTuring, Scaled) {
  multiplies_integers(kHalves, kSizes[2]);
  multiplies_fractions(kHalves, kSizes[2]);
}

TEST_P(GemmTuring, SumsOfIntegers) {
  for (const Kernel& kernel : {kBytes, kBits}) adds_integers(kernel, kSizes[2]);
}

// --- sm_90 ---

KERNEL_SUITE_FROM(GemmTest, GemmSm90, "gemm_sm90");

TEST_P(GemmSm90, StoredMatrices) {
  for (const Size& size : kSizes) {
    const Matrix a = integers(size.m, size.k, -3, 3, 1), b = integers(size.k, size.n, -3, 3, 2);
    const Operands on_device(kHalves, a, b);
    for (const bool columns : {false, true}) {
      SCOPED_TRACE(fmt::format("{}, columns {}", name_of(kHalves, size), columns));
      const Matrix expected = columns ? transposed(product(a, b)) : product(a, b);
      const size_t pitch = size_t(expected.columns + 7) / 8 * 8;
      Buffer<uint16_t> d(size_t(expected.rows) * pitch);
      launch(columns ? "f16_by_columns" : "f16_by_rows", shape_of(size), on_device.a.operand(),
             on_device.b.operand(), on_device.steps, d, size.m, size.n, int(pitch * 2));
      EXPECT_SAME(d, tabulate(d.size(), [&](size_t i) {
                    const int row = int(i / pitch), column = int(i % pitch);
                    const double value = column < expected.columns ? expected(row, column) : 0;
                    return uint16_t(encoded(value, kF16));
                  }));
    }
  }
}

}  // namespace
}  // namespace heddle::kernels
