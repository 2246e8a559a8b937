// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See epilogue.h. GELU is cuBLAS's approximation with tanh: x/2 (1 + tanh(sqrt(2/pi) (x + 0.044715
// x^3))).
#include "mathlibs/core/epilogue.h"

namespace heddle::mathlibs {
namespace {

constexpr double kRoot = 0.7978845608028654, kCubic = 0.044715;  // sqrt(2/pi)

template <class T>
T gelu(T x) {
  return T(0.5) * x * (1 + std::tanh(T(kRoot) * (x + T(kCubic) * x * x * x)));
}

template <class T>
T gelu_derivative(T x) {
  const T t = std::tanh(T(kRoot) * (x + T(kCubic) * x * x * x));
  return T(0.5) * (1 + t) + T(0.5) * x * (1 - t * t) * T(kRoot) * (1 + 3 * T(kCubic) * x * x);
}

template <class T>
T read(const void* data, cudaDataType type, int64_t at) {
  T value{};
  visit_type(type, [&]<class E>(E) {
    if constexpr (!requires(E e) { e.imag; } && !is_complex<E>)
      value = static_cast<T>(widen(static_cast<const E*>(data)[at]));
  });
  return value;
}

template <class T>
void write(void* data, cudaDataType type, int64_t at, T value) {
  visit_type(type, [&]<class E>(E) { static_cast<E*>(data)[at] = narrow<E>(value); });
}

constexpr int kRelu = CUBLASLT_EPILOGUE_RELU, kGelu = CUBLASLT_EPILOGUE_GELU, kAux = 128,
              kBias = CUBLASLT_EPILOGUE_BIAS, kReluDerivative = 8, kGeluDerivative = 64;

}  // namespace

template <class T>
void Epilogue::apply(int64_t row, int64_t column, std::span<T> values) const {
  auto* const bits = static_cast<uint8_t*>(aux);
  for (size_t i = 0; i < values.size(); ++i) {
    T& x = values[i];
    const int64_t r = row + static_cast<int64_t>(i), at = r + column * aux_ld;
    if (has(kBias)) x += read<T>(bias, bias_type, r);
    if (has(kRelu)) {
      if (has(kAux)) {
        const auto bit = static_cast<uint8_t>(1 << (at & 7));
        bits[at >> 3] = static_cast<uint8_t>(x > 0 ? bits[at >> 3] | bit : bits[at >> 3] & ~bit);
      }
      x = x > 0 || x != x ? x : T{};
    } else if (has(kGelu)) {
      if (has(kAux)) write(aux, aux_type, at, x);
      x = gelu(x);
    } else if (has(kReluDerivative)) {
      if (!(bits[at >> 3] >> (at & 7) & 1)) x = T{};
    } else if (has(kGeluDerivative)) {
      x *= gelu_derivative(read<T>(aux, aux_type, at));
    }
    if (d_amax) *d_amax = std::max(*d_amax, static_cast<float>(std::abs(x)));
    x *= static_cast<T>(d_scale);
  }
}

template void Epilogue::apply(int64_t, int64_t, std::span<float>) const;
template void Epilogue::apply(int64_t, int64_t, std::span<double>) const;

}  // namespace heddle::mathlibs
