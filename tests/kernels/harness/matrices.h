// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Matrices of every element type, as the matrix instructions read them, and their products on the
// host. Elements are chosen so that their type holds them exactly.
#pragma once

#include <functional>

#include "harness/kernel_test.h"

namespace heddle::kernels {

// An integer type if it has no exponent.
struct ElementType {
  int bits;
  int exponent_bits, fraction_bits;
};
inline constexpr ElementType kF16{16, 5, 10}, kBf16{16, 8, 7}, kTf32{32, 8, 23}, kF64{64, 11, 52},
    kE4m3{8, 4, 3}, kE5m2{8, 5, 2}, kE2m1{4, 2, 1}, k8Bits{8, 0, 0}, k4Bits{4, 0, 0},
    k1Bit{1, 0, 0};

// The bits of a finite number that the type holds exactly.
uint64_t encoded(double value, const ElementType& type);
// The value of a half.
double half_value(uint16_t half);

// Rows of doubles.
struct Matrix {
  int rows, columns;
  std::vector<double> elements;
  double operator()(int row, int column) const {
    return elements[size_t(row) * size_t(columns) + size_t(column)];
  }
};
Matrix tabulated(int rows, int columns, const std::function<double(int row, int column)>& element);
// Integers from `least` to `most`.
Matrix integers(int rows, int columns, int least, int most, uint64_t seed);
// Numbers of `digits` binary digits below one, with exponents down to -5.
Matrix fractions(int rows, int columns, int digits, uint64_t seed);
Matrix transposed(const Matrix& matrix);
Matrix product(const Matrix& a, const Matrix& b);
// The sum of the products' magnitudes, to which errors are proportional.
Matrix magnitudes(const Matrix& a, const Matrix& b);

// A matrix in device memory, whose rows begin every `pitch` bytes. What is no element has all bits
// set.
struct Operand {
  CUdeviceptr data;
  int rows, bytes, pitch;
};
class DeviceMatrix {
 public:
  DeviceMatrix(const Matrix& matrix, const ElementType& type);
  Operand operand() const { return {buffer_.address(), rows_, bytes_, pitch_}; }

 private:
  int rows_, bytes_, pitch_;
  Buffer<uint8_t> buffer_;
};

// The elements as T, row by row.
template <class T>
std::vector<T> as(const Matrix& matrix) {
  return tabulate(matrix.elements.size(), [&](size_t i) { return T(matrix.elements[i]); });
}
// Whether each element is as near as `tolerance` times its magnitude.
testing::AssertionResult near(const std::vector<float>& actual, const Matrix& expected,
                              const Matrix& magnitudes, double tolerance);

}  // namespace heddle::kernels
