// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The types of elements: C++ types for those that C++ lacks, and conversions. Narrowing rounds to
// the nearest value, ties to even; it saturates where the type has no infinity or cuBLAS saturates
// (f8 and integers).
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <complex>
#include <cstdint>
#include <limits>

#include "mathlibs/abi/library_types.h"

namespace heddle::mathlibs {

using Complex = std::complex<float>;
using DoubleComplex = std::complex<double>;

struct Half {
  uint16_t bits;
};
struct BFloat16 {
  uint16_t bits;
};
struct E4M3 {
  uint8_t bits;
};
struct E5M2 {
  uint8_t bits;
};
/// A complex number with parts of a type that std::complex does not know.
template <class Part>
struct Pair {
  Part real, imag;
};

template <class T>
inline constexpr bool is_complex = false;
template <class T>
inline constexpr bool is_complex<std::complex<T>> = true;

/// The real type of the same precision, float where the type is narrower.
template <class T>
struct RealOf {
  using type = float;
};
template <>
struct RealOf<double> {
  using type = double;
};
template <>
struct RealOf<DoubleComplex> {
  using type = double;
};
template <class T>
using Real = typename RealOf<T>::type;

/// The type in which elements of type T are computed.
template <class T>
using Computed = std::conditional_t<is_complex<T>, std::complex<Real<T>>, Real<T>>;

template <class T>
concept HasBlas = std::is_same_v<T, float> || std::is_same_v<T, double> ||
                  std::is_same_v<T, Complex> || std::is_same_v<T, DoubleComplex>;

// --- widening: exact ---

inline float widen(Half h) {
  // The exponent is rebased by a multiplication, which also normalizes subnormal numbers.
  const float shifted =
      std::bit_cast<float>(static_cast<uint32_t>(h.bits & 0x7fff) << 13) * 0x1p112F;
  const uint32_t special = (h.bits & 0x7c00) == 0x7c00 ? 0x7f800000U : 0U;
  const uint32_t sign = static_cast<uint32_t>(h.bits & 0x8000) << 16;
  return std::bit_cast<float>(std::bit_cast<uint32_t>(shifted) | special | sign);
}
inline float widen(BFloat16 b) { return std::bit_cast<float>(static_cast<uint32_t>(b.bits) << 16); }
inline float widen(E5M2 e) { return widen(Half{static_cast<uint16_t>(e.bits << 8)}); }
inline float widen(E4M3 e) {
  if ((e.bits & 0x7f) == 0x7f) return std::numeric_limits<float>::quiet_NaN();
  const auto bits = static_cast<uint16_t>((e.bits & 0x80) << 8 | (e.bits & 0x7f) << 7);
  return widen(Half{bits}) * 256;
}
inline float widen(float f) { return f; }
inline double widen(double d) { return d; }
inline Complex widen(Complex c) { return c; }
inline DoubleComplex widen(DoubleComplex c) { return c; }
inline double widen(int8_t i) { return i; }
inline double widen(uint8_t i) { return i; }
inline double widen(int32_t i) { return i; }
inline double widen(int64_t i) { return static_cast<double>(i); }
template <class Part>
Complex widen(Pair<Part> p) {
  return {static_cast<float>(widen(p.real)), static_cast<float>(widen(p.imag))};
}

// --- narrowing ---

template <class To>
struct Narrow {
  static To from(float value) { return static_cast<To>(value); }
};

template <>
struct Narrow<Half> {
  static Half from(float value) {
    uint32_t bits = std::bit_cast<uint32_t>(value);
    const auto sign = static_cast<uint16_t>(bits >> 16 & 0x8000);
    bits &= 0x7fffffff;
    uint32_t out;
    if (bits > 0x7f800000) {
      out = 0x7fff;
    } else if (bits >= 0x47800000) {  // at least 2^16
      out = 0x7c00;
    } else if (bits < 0x38800000) {  // subnormal: the unit in the last place of 0.5 is 2^-24
      out = std::bit_cast<uint32_t>(std::bit_cast<float>(bits) + 0.5F) - 0x3f000000;
    } else {
      out = (bits - 0x38000000 + 0xfff + (bits >> 13 & 1)) >> 13;
    }
    return {static_cast<uint16_t>(out | sign)};
  }
};

template <>
struct Narrow<BFloat16> {
  static BFloat16 from(float value) {
    const uint32_t bits = std::bit_cast<uint32_t>(value);
    if (value != value) return {0x7fff};
    return {static_cast<uint16_t>((bits + 0x7fff + (bits >> 16 & 1)) >> 16)};
  }
};

/// f8 with `Mantissa` bits: the largest finite code is `Largest`, and stands for every larger
/// value.
template <int Mantissa, int Bias, uint32_t Largest>
uint8_t narrow_f8(float value) {
  uint32_t bits = std::bit_cast<uint32_t>(value);
  const auto sign = static_cast<uint8_t>(bits >> 24 & 0x80);
  bits &= 0x7fffffff;
  if (bits > 0x7f800000) return static_cast<uint8_t>(sign | 0x7f);
  uint32_t code;
  if (std::bit_cast<float>(bits) < std::ldexp(1.0F, 1 - Bias)) {
    code = static_cast<uint32_t>(
        std::nearbyint(std::ldexp(std::bit_cast<float>(bits), Bias - 1 + Mantissa)));
  } else {
    constexpr int kDropped = 23 - Mantissa;
    bits += (1U << (kDropped - 1)) - 1 + (bits >> kDropped & 1);
    code = (bits >> kDropped) - ((127U - Bias) << Mantissa);
  }
  return static_cast<uint8_t>(sign | std::min(code, Largest));
}
template <>
struct Narrow<E4M3> {
  static E4M3 from(float value) { return {narrow_f8<3, 7, 0x7e>(value)}; }
};
template <>
struct Narrow<E5M2> {
  static E5M2 from(float value) { return {narrow_f8<2, 15, 0x7b>(value)}; }
};

template <class Integer>
  requires std::is_integral_v<Integer>
struct Narrow<Integer> {
  static Integer from(double value) {
    if (value != value) return 0;
    constexpr auto kLeast = static_cast<double>(std::numeric_limits<Integer>::min());
    constexpr auto kMost = static_cast<double>(std::numeric_limits<Integer>::max());
    return static_cast<Integer>(std::clamp(std::nearbyint(value), kLeast, kMost));
  }
};

/// `value` as To, rounded once. A complex value loses its imaginary part where To is real.
template <class To, class From>
To narrow(From value) {
  if constexpr (std::is_same_v<To, From>) {
    return value;
  } else if constexpr (is_complex<From> && is_complex<To>) {
    return To(value);
  } else if constexpr (is_complex<From> && requires(To to) { to.imag; }) {
    using Part = decltype(To::real);
    return {narrow<Part>(value.real()), narrow<Part>(value.imag())};
  } else if constexpr (is_complex<From>) {
    return narrow<To>(value.real());
  } else if constexpr (is_complex<To>) {
    return To(static_cast<typename To::value_type>(value));
  } else if constexpr (requires(To to) { to.imag; }) {
    using Part = decltype(To::real);
    return {narrow<Part>(value), Part{}};
  } else if constexpr (std::is_floating_point_v<To>) {
    return static_cast<To>(value);
  } else if constexpr (std::is_integral_v<To>) {
    return Narrow<To>::from(static_cast<double>(value));
  } else {
    return Narrow<To>::from(static_cast<float>(value));
  }
}

inline float conjugate(float x) { return x; }
inline double conjugate(double x) { return x; }
inline Complex conjugate(Complex x) { return std::conj(x); }
inline DoubleComplex conjugate(DoubleComplex x) { return std::conj(x); }

// --- types known at run time ---

/// Calls `visitor(T{})` with the C++ type of `type`; false when Heddle computes with no such
/// elements.
template <class Visitor>
bool visit_type(cudaDataType type, Visitor&& visitor) {
  switch (type) {
    case CUDA_R_16F:
      visitor(Half{});
      return true;
    case CUDA_R_16BF:
      visitor(BFloat16{});
      return true;
    case CUDA_R_32F:
      visitor(float{});
      return true;
    case CUDA_R_64F:
      visitor(double{});
      return true;
    case CUDA_C_16F:
      visitor(Pair<Half>{});
      return true;
    case CUDA_C_16BF:
      visitor(Pair<BFloat16>{});
      return true;
    case CUDA_C_32F:
      visitor(Complex{});
      return true;
    case CUDA_C_64F:
      visitor(DoubleComplex{});
      return true;
    case CUDA_R_8I:
      visitor(int8_t{});
      return true;
    case CUDA_R_8U:
      visitor(uint8_t{});
      return true;
    case CUDA_C_8I:
      visitor(Pair<int8_t>{});
      return true;
    case CUDA_R_32I:
      visitor(int32_t{});
      return true;
    case CUDA_R_8F_E4M3:
      visitor(E4M3{});
      return true;
    case CUDA_R_8F_E5M2:
      visitor(E5M2{});
      return true;
    default:
      return false;
  }
}

/// Bytes of an element; 0 when there are no such elements.
inline int64_t size_of(cudaDataType type) {
  int64_t size = 0;
  visit_type(type, [&]<class T>(T) { size = sizeof(T); });
  return size;
}

/// The type of elements of T.
template <class T>
inline constexpr cudaDataType type_of = CUDA_R_32F;
template <>
inline constexpr cudaDataType type_of<Half> = CUDA_R_16F;
template <>
inline constexpr cudaDataType type_of<BFloat16> = CUDA_R_16BF;
template <>
inline constexpr cudaDataType type_of<double> = CUDA_R_64F;
template <>
inline constexpr cudaDataType type_of<Complex> = CUDA_C_32F;
template <>
inline constexpr cudaDataType type_of<DoubleComplex> = CUDA_C_64F;
template <>
inline constexpr cudaDataType type_of<int32_t> = CUDA_R_32I;

}  // namespace heddle::mathlibs
