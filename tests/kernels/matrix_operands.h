// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Operands of matrix products for the kernel tests, and the products.
#pragma once

#include <cmath>

#include "harness/kernel_test.h"

namespace heddle::kernels {

/// The encoding of a value that a format of `fraction` bits and this bias holds exactly.
inline unsigned float_bits(float value, int exponent_bits, int fraction_bits, int bias) {
  const unsigned sign = std::signbit(value) ? 1u << (exponent_bits + fraction_bits) : 0;
  if (value == 0) return sign;
  int exponent = std::max(std::ilogb(value), 1 - bias);
  const float scaled = std::ldexp(std::fabs(value), fraction_bits - exponent);
  return sign | unsigned(int(scaled) + ((exponent + bias - 1) << fraction_bits));
}
inline uint16_t f16_bits(float value) { return uint16_t(float_bits(value, 5, 10, 15)); }
inline uint8_t e4m3_bits(float value) { return uint8_t(float_bits(value, 4, 3, 7)); }
inline uint8_t e2m1_bits(float value) { return uint8_t(float_bits(value, 2, 1, 1)); }
inline uint8_t ue8m0_bits(float value) { return uint8_t(std::ilogb(value) + 127); }

/// Rows of A or columns of B: `lines` times `k` values.
struct Lines {
  int lines, k;
  std::vector<float> values;
  float at(int line, int i) const { return values[size_t(line) * k + i]; }
};

/// Integers from -bound to bound.
inline Lines small_operand(int lines, int k, unsigned bound, uint64_t seed) {
  Random random(seed);
  return {lines, k, tabulate(size_t(lines) * k, [&](size_t) {
            return float(random.below(2 * bound + 1)) - float(bound);
          })};
}
/// Values that e2m1 holds.
inline Lines e2m1_operand(int lines, int k, uint64_t seed) {
  constexpr float kValues[] = {0, 0.5, 1, 1.5, 2, 3, 4, 6};
  Random random(seed);
  return {lines, k, tabulate(size_t(lines) * k, [&](size_t) {
            const unsigned code = random.below(16);
            return code < 8 ? kValues[code] : -kValues[code % 8];
          })};
}
/// Numbers of eleven significant bits, between -1 and 1.
inline Lines fine_operand(int lines, int k, uint64_t seed) {
  Lines operand = small_operand(lines, k, 1023, seed);
  for (float& value : operand.values) value /= 1024;
  return operand;
}

/// A scale factor for each `block` elements of a line.
inline Lines scale_factors(const Lines& of, int block, const std::vector<float>& values,
                           uint64_t seed) {
  Random random(seed);
  const int k = of.k / block;
  return {of.lines, k, tabulate(size_t(of.lines) * k, [&](size_t) {
            return values[random.below(unsigned(values.size()))];
          })};
}
inline Lines scaled(Lines operand, const Lines& scales) {
  const int block = operand.k / scales.k;
  for (size_t i = 0; i < operand.values.size(); ++i) operand.values[i] *= scales.values[i / block];
  return operand;
}

template <class Encode>
auto encoded(const Lines& operand, Encode encode) {
  return tabulate(operand.values.size(), [&](size_t i) { return encode(operand.values[i]); });
}
/// The same, line i of the result holding element i of every line.
template <class T>
std::vector<T> transposed(const std::vector<T>& lines, int k) {
  const size_t count = lines.size() / k;
  return tabulate(lines.size(), [&](size_t i) { return lines[i % count * k + i / count]; });
}

/// Elements of four bits, two in a byte.
inline std::vector<uint8_t> packed(const std::vector<uint8_t>& codes) {
  return tabulate(codes.size() / 2,
                  [&](size_t i) { return uint8_t(codes[2 * i] | codes[2 * i + 1] << 4); });
}

/// Tiles of `tile_lines` lines of 128 bytes, as 128-byte swizzling has them in shared memory: the
/// tiles of the first lines along K, then those of the next lines.
template <class T>
std::vector<T> swizzled_tiles(const std::vector<T>& lines, int k, int tile_lines) {
  constexpr int kChunk = 16 / sizeof(T), kInLine = 128 / sizeof(T);
  std::vector<T> tiles(lines.size());
  for (size_t i = 0; i < lines.size(); ++i) {
    const int line = int(i / k), at = int(i % k);
    const int tile = line / tile_lines * (k / kInLine) + at / kInLine;
    const int row = line % tile_lines, chunk = at % kInLine / kChunk ^ row % 8;
    tiles[(size_t(tile) * tile_lines + row) * kInLine + chunk * kChunk + at % kChunk] = lines[i];
  }
  return tiles;
}

/// Scale factors as tcgen05 has them in tensor memory: blocks of 128 lines and four factors, of
/// which lines 32 apart are side by side.
inline std::vector<uint8_t> scale_blocks(const std::vector<uint8_t>& factors, int k) {
  std::vector<uint8_t> blocks(factors.size());
  for (size_t i = 0; i < factors.size(); ++i) {
    const size_t line = i / k, at = i % k, block = line / 128 * (k / 4) + at / 4;
    blocks[block * 512 + line % 32 * 16 + line % 128 / 32 * 4 + at % 4] = factors[i];
  }
  return blocks;
}

/// D, row by row.
inline std::vector<float> product(const Lines& a, const Lines& b) {
  return tabulate(size_t(a.lines) * b.lines, [&](size_t i) {
    double sum = 0;
    for (int k = 0; k < a.k; ++k)
      sum += double(a.at(int(i / b.lines), k)) * b.at(int(i % b.lines), k);
    return float(sum);
  });
}
/// Whether D is A * B but for the truncation of tensor cores: a part of the sum of all magnitudes.
inline void expect_near(const std::vector<float>& d, const Lines& a, const Lines& b) {
  const std::vector<float> exact = product(a, b);
  ASSERT_EQ(d.size(), exact.size());
  for (size_t i = 0; i < d.size(); ++i) {
    double magnitude = 0;
    for (int k = 0; k < a.k; ++k)
      magnitude += std::fabs(a.at(int(i / b.lines), k) * b.at(int(i % b.lines), k));
    ASSERT_NEAR(d[i], exact[i], std::ldexp(magnitude, -20)) << "element " << i;
  }
}

}  // namespace heddle::kernels
