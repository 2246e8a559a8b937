// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "harness/matrices.h"

#include <algorithm>
#include <cmath>

namespace heddle::kernels {

uint64_t encoded(double value, const ElementType& type) {
  if (type.exponent_bits == 0)
    return static_cast<uint64_t>(static_cast<int64_t>(value)) & ((uint64_t{1} << type.bits) - 1);
  const int bias = (1 << (type.exponent_bits - 1)) - 1;
  const int exponent = value == 0 ? 1 - bias : std::max(std::ilogb(value), 1 - bias);
  const double significand = std::ldexp(std::fabs(value), type.fraction_bits - exponent);
  return uint64_t{std::signbit(value)} << (type.bits - 1) |
         ((static_cast<uint64_t>(exponent + bias - 1) << type.fraction_bits) +
          static_cast<uint64_t>(significand));
}

double half_value(uint16_t half) {
  const int exponent = half >> 10 & 31, fraction = half & 1023;
  const double magnitude = exponent == 31  ? (fraction == 0 ? INFINITY : NAN)
                           : exponent == 0 ? std::ldexp(fraction, -24)
                                           : std::ldexp(1024 + fraction, exponent - 25);
  return half & 0x8000 ? -magnitude : magnitude;
}

Matrix tabulated(int rows, int columns, const std::function<double(int row, int column)>& element) {
  Matrix result{rows, columns, {}};
  for (int row = 0; row < rows; ++row) {
    for (int column = 0; column < columns; ++column)
      result.elements.push_back(element(row, column));
  }
  return result;
}

Matrix integers(int rows, int columns, int least, int most, uint64_t seed) {
  Random random(seed);
  return tabulated(rows, columns, [&](int, int) {
    return least + static_cast<int>(random.below(static_cast<unsigned>(most - least + 1)));
  });
}

Matrix fractions(int rows, int columns, int digits, uint64_t seed) {
  Random random(seed);
  return tabulated(rows, columns, [&](int, int) {
    const double integer = random.below(1u << digits), sign = random.below(2) ? -1 : 1;
    return sign * std::ldexp(integer, -digits - static_cast<int>(random.below(6)));
  });
}

Matrix transposed(const Matrix& matrix) {
  return tabulated(matrix.columns, matrix.rows,
                   [&](int row, int column) { return matrix(column, row); });
}

namespace {

Matrix sums(const Matrix& a, const Matrix& b, double (*term)(double product)) {
  return tabulated(a.rows, b.columns, [&](int row, int column) {
    double sum = 0;
    for (int k = 0; k < a.columns; ++k) sum += term(a(row, k) * b(k, column));
    return sum;
  });
}

}  // namespace

Matrix product(const Matrix& a, const Matrix& b) {
  return sums(a, b, [](double product) { return product; });
}
Matrix magnitudes(const Matrix& a, const Matrix& b) {
  return sums(a, b, [](double product) { return std::fabs(product); });
}

DeviceMatrix::DeviceMatrix(const Matrix& matrix, const ElementType& type)
    : rows_(matrix.rows),
      bytes_((matrix.columns * type.bits + 7) / 8),
      pitch_((bytes_ + 15) / 16 * 16),
      buffer_([&] {
        std::vector<uint8_t> bytes(size_t(rows_) * size_t(pitch_), 0xff);
        for (int row = 0; row < rows_; ++row) {
          uint8_t* to = &bytes[size_t(row) * size_t(pitch_)];
          std::fill_n(to, bytes_, uint8_t{0});
          for (int column = 0; column < matrix.columns; ++column) {
            const uint64_t code = encoded(matrix(row, column), type);
            const int bit = column * type.bits;
            if (type.bits < 8)
              to[bit / 8] |= static_cast<uint8_t>(code << bit % 8);
            else
              std::memcpy(to + bit / 8, &code, size_t(type.bits) / 8);
          }
        }
        return bytes;
      }()) {}

testing::AssertionResult near(const std::vector<float>& actual, const Matrix& expected,
                              const Matrix& magnitudes, double tolerance) {
  for (size_t i = 0; i < actual.size(); ++i) {
    const double error = std::fabs(double{actual[i]} - expected.elements[i]);
    if (!(error <= tolerance * magnitudes.elements[i])) {
      return testing::AssertionFailure() << "[" << i << "]: got " << actual[i] << ", expected "
                                         << expected.elements[i] << ", error " << error;
    }
  }
  return testing::AssertionSuccess();
}

}  // namespace heddle::kernels
