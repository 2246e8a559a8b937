// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Operands of matrix products as asynchronous matrix instructions have them in memory. A and B are
// lines of K: rows of A, columns of B.
#pragma once

#include <cmath>

#include "harness/matrices.h"

namespace heddle::kernels {

/// The elements' encodings, line by line.
template <class T>
std::vector<T> encoded(const Matrix& lines, const ElementType& type) {
  return tabulate(lines.elements.size(),
                  [&](size_t i) { return T(encoded(lines.elements[i], type)); });
}
inline std::vector<uint16_t> halves(const Matrix& lines) { return encoded<uint16_t>(lines, kF16); }

/// Values that e2m1 holds.
inline Matrix e2m1_values(int lines, int k, uint64_t seed) {
  constexpr double kValues[] = {0, 0.5, 1, 1.5, 2, 3, 4, 6};
  Random random(seed);
  return tabulated(lines, k, [&](int, int) {
    const unsigned code = random.below(16);
    return code < 8 ? kValues[code] : -kValues[code % 8];
  });
}
/// Numbers of eleven significant bits, between -1 and 1.
inline Matrix eleven_bits(int lines, int k, uint64_t seed) {
  Matrix matrix = integers(lines, k, -1023, 1023, seed);
  for (double& element : matrix.elements) element /= 1024;
  return matrix;
}

/// A scale factor for each `block` elements of a line.
inline Matrix scale_factors(const Matrix& of, int block, const std::vector<float>& values,
                            uint64_t seed) {
  Random random(seed);
  return tabulated(of.rows, of.columns / block,
                   [&](int, int) { return values[random.below(unsigned(values.size()))]; });
}
inline Matrix scaled(const Matrix& lines, const Matrix& scales) {
  const int block = lines.columns / scales.columns;
  return tabulated(lines.rows, lines.columns,
                   [&](int line, int i) { return lines(line, i) * scales(line, i / block); });
}
/// How elements of e2m1 are scaled.
struct Scaling {
  const char* kernel;
  int block;  ///< elements that have one scale factor
  std::vector<float> factors;
  bool powers_of_two;  ///< factors are ue8m0, otherwise e4m3

  std::vector<uint8_t> encode(const Matrix& scales) const {
    if (!powers_of_two) return encoded<uint8_t>(scales, kE4m3);
    return tabulate(scales.elements.size(),
                    [&](size_t i) { return uint8_t(std::ilogb(scales.elements[i]) + 127); });
  }
};
inline const Scaling kScalings[] = {{"gemm_nvfp4", 16, {0.5, 1, 1.5, 2}, false},
                                    {"gemm_mxfp4", 32, {0.25, 0.5, 1, 2, 4}, true}};

/// Encodings, line i of the result holding element i of every line.
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
inline std::vector<float> product_of_lines(const Matrix& a, const Matrix& b) {
  return as<float>(product(a, transposed(b)));
}
/// Whether D is the product but for the truncation of tensor cores: a part of the sum of all
/// magnitudes.
inline void expect_near(const std::vector<float>& d, const Matrix& a, const Matrix& b) {
  const Matrix columns = transposed(b);
  EXPECT_TRUE(near(d, product(a, columns), magnitudes(a, columns), std::ldexp(1, -20)));
}

}  // namespace heddle::kernels
