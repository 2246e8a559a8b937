// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Products through nvcuda::wmma: exact for small integers.
#include "harness/matrices.h"

namespace heddle::kernels {
namespace {

KERNEL_SUITE(Wmma, "wmma");

// The layouts are those of A, B, and both C and D.
struct Kernel {
  const char* name;
  int m, n;  // of a tile
  ElementType type, sum;
  bool rows_a, rows_b, rows_c;
  int least = -30, most = 30;
};
constexpr ElementType kF32{32, 8, 23}, kS32{32, 0, 0};
constexpr Kernel kTiled[] = {
    {"f16_square", 16, 16, kF16, kF32, true, true, true},
    {"f16_high", 32, 8, kF16, kF32, true, false, false},
    {"f16_wide", 8, 32, kF16, kF32, false, true, true},
    {"f16_halves", 16, 16, kF16, kF16, false, false, false, -3, 3},
    {"bf16_square", 16, 16, kBf16, kF32, true, false, true},
    {"bf16_wide", 8, 32, kBf16, kF32, false, true, false},
    {"tf32", 16, 16, kTf32, kF32, true, false, true},
    {"tf32_across", 16, 16, kTf32, kF32, false, true, false},
    {"f64", 8, 8, kF64, kF64, true, false, true},
    {"f64_across", 8, 8, kF64, kF64, false, true, false},
    {"s8_square", 16, 16, k8Bits, kS32, true, false, true, -128, 127},
    {"s8_high", 32, 8, k8Bits, kS32, false, true, false, -128, 127},
    {"u8_wide", 8, 32, k8Bits, kS32, true, true, true, 0, 255},
};

// The elements' bits, one after the other, by rows or by columns.
std::vector<uint8_t> stored(const Matrix& matrix, const ElementType& type, bool by_rows) {
  const Matrix ordered = by_rows ? matrix : transposed(matrix);
  std::vector<uint8_t> bytes(ordered.elements.size() * size_t(type.bits) / 8);
  for (size_t i = 0; i < ordered.elements.size(); ++i) {
    const uint64_t code = encoded(ordered.elements[i], type) << i * size_t(type.bits) % 8;
    uint8_t* to = &bytes[i * size_t(type.bits) / 8];
    if (type.bits < 8)
      *to |= uint8_t(code);
    else
      std::memcpy(to, &code, size_t(type.bits) / 8);
  }
  return bytes;
}

TEST_P(Wmma, Tiles) {
  constexpr int m = 64, n = 32, k = 48;
  for (const Kernel& kernel : kTiled) {
    SCOPED_TRACE(kernel.name);
    const Matrix a = integers(m, k, kernel.least, kernel.most, 1),
                 b = integers(k, n, kernel.least, kernel.most, 2), c = integers(m, n, -99, 99, 3),
                 sums = product(a, b);
    Buffer device_a(stored(a, kernel.type, kernel.rows_a)),
        device_b(stored(b, kernel.type, kernel.rows_b)),
        device_c(stored(c, kernel.sum, kernel.rows_c));
    Buffer<uint8_t> d(device_c.size());
    // alpha is 2, beta is -1, of the type of the sums.
    const auto run = [&](auto alpha, auto beta) {
      launch(kernel.name, {{unsigned(n / kernel.n), unsigned(m / kernel.m)}, {32}}, device_a,
             device_b, device_c, d, m, n, k, alpha, beta);
    };
    if (kernel.sum.bits == 64)
      run(2.0, -1.0);
    else if (kernel.sum.bits == 16)
      run(uint16_t{0x4000}, uint16_t{0xbc00});
    else if (kernel.sum.exponent_bits == 0)
      run(2, -1);
    else
      run(2.0f, -1.0f);
    const Matrix expected = tabulated(
        m, n, [&](int row, int column) { return 2 * sums(row, column) - c(row, column); });
    EXPECT_SAME(d, stored(expected, kernel.sum, kernel.rows_c));
  }
}

// One tile of elements that are less than a byte.
struct Packed {
  const char* name;
  ElementType type;
  int k, least, most;
  double (*term)(double a, double b);
};
constexpr Packed kPacked[] = {
    {"s4", k4Bits, 32, -8, 7, [](double a, double b) { return a * b; }},
    {"b1_xor", k1Bit, 128, 0, 1, [](double a, double b) { return double(a != b); }},
    {"b1_and", k1Bit, 128, 0, 1, [](double a, double b) { return a * b; }},
};

TEST_P(Wmma, PackedTiles) {
  for (const Packed& kernel : kPacked) {
    SCOPED_TRACE(kernel.name);
    const Matrix a = integers(8, kernel.k, kernel.least, kernel.most, 1),
                 b = integers(kernel.k, 8, kernel.least, kernel.most, 2);
    Buffer device_a(stored(a, kernel.type, true)), device_b(stored(b, kernel.type, false));
    Buffer<int> d(64);
    launch(kernel.name, {{1}, {32}}, device_a, device_b, d);
    EXPECT_SAME(d, tabulate(64, [&](size_t i) {
                  double sum = 0;
                  for (int k = 0; k < kernel.k; ++k)
                    sum += kernel.term(a(int(i) / 8, k), b(k, int(i) % 8));
                  return int(sum);
                }));
  }
}

}  // namespace
}  // namespace heddle::kernels
