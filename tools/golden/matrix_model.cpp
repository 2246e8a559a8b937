// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "matrix_model.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cfenv>
#include <cmath>
#include <cstring>
#include <limits>

#include "value.h"

namespace heddle::golden {
namespace {

__extension__ using s128 = __int128;
__extension__ using u128 = unsigned __int128;

// On sm_90: bits kept below the largest summand's exponent, and the least exponent that counts as
// the largest.
constexpr int kExtraBits = 25, kFloorF32 = -133, kFloorF16 = -21;

// ------------------------------------------------------------------------------ floating point

/// significand * 2^exponent. Subnormal numbers are not normalised: their `exponent` is that of the
/// last place of their format.
struct Number {
  bool nan = false, infinite = false, negative = false;
  u64 significand = 0;
  int exponent = 0;
  int scale = 0;  ///< exponent of the leading place, as the hardware compares it
};

Number decode(Element element, u64 bits) {
  if (element == Element::kTf32) bits &= ~u64{0x1fff};  // tf32 ignores the lower bits
  const Format f = *format_of(element);
  const u64 mantissa = bits & f.mantissa_mask();
  const int exponent = f.exponent_of(bits);
  Number number;
  number.negative = (bits & f.sign()) != 0;
  number.infinite = exponent > f.last_exponent() && mantissa == 0;
  number.nan = f.has_infinity ? exponent > f.last_exponent() && mantissa != 0
                              : exponent == f.last_exponent() && mantissa == f.mantissa_mask();
  number.significand = mantissa | (exponent ? f.mantissa_mask() + 1 : 0);
  number.scale = std::max(exponent, 1) - f.bias();
  number.exponent = number.scale - f.mantissa;
  return number;
}

Number product(const Number& a, const Number& b) {
  Number result;
  const bool a_zero = !a.infinite && !a.significand, b_zero = !b.infinite && !b.significand;
  result.nan = a.nan || b.nan || (a.infinite && b_zero) || (b.infinite && a_zero);
  result.infinite = a.infinite || b.infinite;
  result.negative = a.negative != b.negative;
  result.significand = a.significand * b.significand;
  result.exponent = a.exponent + b.exponent;
  result.scale = a.scale + b.scale;
  return result;
}

constexpr u64 nan_of(bool half) { return half ? 0x7fff : 0x7fffffff; }

/// sum * 2^exponent as f32, truncated, or as f16, rounded to nearest even.
u64 rounded(s128 sum, int exponent, bool half) {
  const Format f = half ? kFormatF16 : kFormatF32;
  const u64 sign = sum < 0 ? f.sign() : 0;
  const u128 magnitude = static_cast<u128>(sum < 0 ? -sum : sum);
  int leading = 127;
  while (!(magnitude >> leading & 1)) --leading;
  const int least = 1 - f.bias();  // least exponent of normal numbers
  const int scale = std::max(leading + exponent, least);
  const int shift = scale - f.mantissa - exponent;  // bits below 2^shift are dropped
  u64 significand =
      static_cast<u64>(shift > 0 ? (shift > 127 ? 0 : magnitude >> shift) : magnitude << -shift);
  if (half && shift > 0 && shift <= 127) {
    const u128 rest = magnitude & ((u128{1} << shift) - 1), middle = u128{1} << (shift - 1);
    significand += rest > middle || (rest == middle && (significand & 1));
  }
  // A carry of the significand increments the exponent.
  const u64 bits = (static_cast<u64>(scale - least) << f.mantissa) + significand;
  return sign | std::min(bits, f.exponent_mask());
}

/// The sum of all summands, each truncated to a multiple of 2^(largest scale - kExtraBits), where
/// the largest scale is at least the floor.
u64 sum_of(const std::vector<Number>& summands, bool half) {
  bool plus = false, minus = false;
  constexpr int kNone = std::numeric_limits<int>::min();
  int largest = kNone;
  for (const Number& one : summands) {
    if (one.nan) return nan_of(half);
    if (one.infinite) (one.negative ? minus : plus) = true;
    if (one.significand) largest = std::max(largest, one.scale);
  }
  if (plus && minus) return nan_of(half);
  if (plus || minus) return half ? (minus ? 0xfc00 : 0x7c00) : (minus ? 0xff800000 : 0x7f800000);
  if (largest == kNone) return 0;
  const int unit = std::max(largest, half ? kFloorF16 : kFloorF32) - kExtraBits;
  s128 sum = 0;
  for (const Number& one : summands) {
    if (!one.significand) continue;
    const int shift = one.exponent - unit;
    const s128 cut = shift >= 0    ? static_cast<s128>(one.significand) << shift
                     : shift > -64 ? static_cast<s128>(one.significand >> -shift)
                                   : 0;
    sum += one.negative ? -cut : cut;
  }
  return sum == 0 ? 0 : rounded(sum, unit, half);
}

double number_of(u64 bits, bool half) {
  if (!half) return std::bit_cast<float>(static_cast<u32>(bits));
  const Number n = decode(Element::kF16, bits);
  const double magnitude = n.nan ? NAN
                           : n.infinite
                               ? INFINITY
                               : std::ldexp(static_cast<double>(n.significand), n.exponent);
  return n.negative ? -magnitude : magnitude;
}

/// a + b, both of them f16 or f32, to nearest even.
u64 added(u64 a, u64 b, bool half) {
  if (!half) {
    const float sum =
        static_cast<float>(number_of(a, false)) + static_cast<float>(number_of(b, false));
    return std::isnan(sum) ? nan_of(false) : std::bit_cast<u32>(sum);
  }
  const double sum = number_of(a, true) + number_of(b, true);  // exact
  if (std::isnan(sum)) return nan_of(true);
  const u64 sign = std::signbit(sum) ? 0x8000 : 0;
  if (std::isinf(sum)) return sign | 0x7c00;
  constexpr int kLeast = -24;  // exponent of the least f16; sums are multiples of it
  const s128 units = static_cast<s128>(std::ldexp(sum, -kLeast));
  return units == 0 ? sign : rounded(units, kLeast, true);
}

/// ptxas turns an fp8 mma into conversions to f16, two mma of these, each with every second pair of
/// k, and an addition of C.
u64 dot_of_fp8(const std::vector<Number>& products, u64 c, Element d) {
  const bool half = d == Element::kF16;
  u64 sum = 0;
  for (const std::size_t pair : {0, 1}) {
    std::vector<Number> summands = {decode(d, sum)};
    for (std::size_t k = 0; k < products.size(); ++k) {
      if ((k / 2) % 2 == pair) summands.push_back(products[k]);
    }
    sum = sum_of(summands, half);
  }
  return added(sum, c, half);
}

// ----------------------------------------------------------------------------------- the others

s64 integer(Element element, u64 bits) {
  switch (element) {
    case Element::kS8:
      return static_cast<s8>(bits);
    case Element::kS4:
      return static_cast<s64>(bits << 60) >> 60;
    case Element::kS32:
      return static_cast<s32>(bits);
    default:
      return static_cast<s64>(bits);
  }
}

bool says(const MatrixInstruction& i, std::string_view modifier) {
  return i.instruction.find(modifier) != std::string::npos;
}

u64 dot_of_f64(const MatrixInstruction& i, const std::vector<u64>& a, const std::vector<u64>& b,
               u64 c) {
  const int before = std::fegetround();
  std::fesetround(says(i, ".rz.")   ? FE_TOWARDZERO
                  : says(i, ".rm.") ? FE_DOWNWARD
                  : says(i, ".rp.") ? FE_UPWARD
                                    : FE_TONEAREST);
  volatile double sum = std::bit_cast<double>(c);
  for (std::size_t k = 0; k < a.size(); ++k)
    sum = std::fma(std::bit_cast<double>(a[k]), std::bit_cast<double>(b[k]), sum);
  std::fesetround(before);
  const double result = sum;
  return std::isnan(result) ? 0x7fffffffffffffff : std::bit_cast<u64>(result);
}

u64 dot(const MatrixInstruction& i, const std::vector<u64>& a, const std::vector<u64>& b, u64 c) {
  if (i.d == Element::kF64) return dot_of_f64(i, a, b, c);
  if (i.d == Element::kS32) {
    s64 sum = integer(Element::kS32, c);
    for (std::size_t k = 0; k < a.size(); ++k) {
      sum += i.a != Element::kB1 ? integer(i.a, a[k]) * integer(i.b, b[k])
             : says(i, ".xor")   ? static_cast<s64>(a[k] ^ b[k])
                                 : static_cast<s64>(a[k] & b[k]);
    }
    if (says(i, ".satfinite")) sum = std::clamp<s64>(sum, INT32_MIN, INT32_MAX);
    return static_cast<u32>(sum);
  }
  std::vector<Number> summands;
  for (std::size_t k = 0; k < a.size(); ++k)
    summands.push_back(product(decode(i.a, a[k]), decode(i.b, b[k])));
  if (bits_of(i.a) == 8) return dot_of_fp8(summands, c, i.d);
  summands.push_back(decode(i.c, c));
  return sum_of(summands, i.d == Element::kF16);
}

// ----------------------------------------------------------------------------------- fragments

/// The place in the matrix of element `part` of register `index` of a thread (PTX ISA 9.7.14.5.2 to
/// .13).
struct Place {
  u32 row, column;
};
Place place_in_a(const MatrixInstruction& i, u32 lane, u32 index, u32 part, u32 parts) {
  const u32 group = lane / 4, thread = lane % 4;
  const u32 rows = i.m == 16 ? 2 : 1;  // of eight, register by register
  return {group + index % rows * 8, thread * parts + part + index / rows * 4 * parts};
}
Place place_in_b(u32 lane, u32 index, u32 part, u32 parts) {
  return {lane % 4 * parts + part + index * 4 * parts, lane / 4};
}
Place place_in_c(u32 lane, u32 index, u32 part, u32 parts) {
  const u32 column = index * parts + part;  // two of them in a row
  return {lane / 4 + column / 2 * 8, lane % 4 * 2 + column % 2};
}

/// Calls visit(word, shift, place) for each element of registers of 32 bits and more.
void for_each_element(u32 words, Element element, auto place, auto visit) {
  const u32 bits = bits_of(element), parts = std::max(32 / bits, 1u),
            size = std::max(bits / 32, 1u);
  for (u32 word = 0; word < words; word += size) {
    const u32 lane = word / size % 32, index = word / size / 32;
    for (u32 part = 0; part < parts; ++part)
      visit(word, part * bits, place(lane, index, part, parts));
  }
}

u64 element_at(u32 bits, auto word, u32 at, u32 shift) {
  if (bits == 64) return word(at) | u64{word(at + 1)} << 32;
  return word(at) >> shift & (~u64{0} >> (64 - bits));
}

}  // namespace

bool has_model(const MatrixInstruction& i) {
  return i.unit == Unit::kMma && !i.sparse && !(i.m == 8 && i.k == 4 && i.a == Element::kF16);
}

std::vector<u64> multiply(const MatrixInstruction& i, const Matrices& matrices) {
  std::vector<u64> d;
  for (u32 row = 0; row < i.m; ++row) {
    for (u32 column = 0; column < i.n; ++column) {
      std::vector<u64> a, b;
      for (u32 k = 0; k < i.k; ++k) {
        a.push_back(matrices.a[row * i.k + k]);
        b.push_back(matrices.b[k * i.n + column]);
      }
      d.push_back(dot(i, a, b, matrices.c[row * i.n + column]));
    }
  }
  return d;
}

Matrices matrices_of(const MatrixInstruction& i, u32 number) {
  Matrices result;
  const auto fill = [&](std::vector<u64>& to, Matrix matrix, Element element, u32 rows, u32 columns,
                        u32 words, auto place) {
    to.resize(u64{rows} * columns);
    const auto word = [&](u32 at) { return matrix_word(element, number, matrix, at); };
    for_each_element(words, element, place, [&](u32 at, u32 shift, Place where) {
      to[where.row * columns + where.column] = element_at(bits_of(element), word, at, shift);
    });
  };
  fill(result.a, Matrix::kA, i.a, i.m, i.k, i.words_of_a(),
       [&](auto... where) { return place_in_a(i, where...); });
  fill(result.b, Matrix::kB, i.b, i.k, i.n, i.words_of_b(), place_in_b);
  fill(result.c, Matrix::kC, i.c, i.m, i.n, i.words_of_c(), place_in_c);
  return result;
}

std::vector<u32> words_of(const MatrixInstruction& i, const std::vector<u64>& d) {
  std::vector<u32> words(i.words_of_d());
  for_each_element(i.words_of_d(), i.d, place_in_c, [&](u32 at, u32 shift, Place where) {
    const u64 bits = d[where.row * i.n + where.column];
    words[at] |= static_cast<u32>(bits << shift);
    if (bits_of(i.d) == 64) words[at + 1] = static_cast<u32>(bits >> 32);
  });
  return words;
}

Agreement compare_with_model(const MatrixInstruction& i, const Record& record) {
  Agreement result;
  const u32 per_case = i.words_of_d(), size = bits_of(i.d) == 64 ? 2 : 1;
  for (u32 number = 0; number < record.sums.size(); ++number) {
    const std::vector<u32> words = words_of(i, multiply(i, matrices_of(i, number)));
    u64 sum = 0;
    for (u32 at = 0; at < words.size(); at += size)
      sum += mixed(words[at] | (size == 2 ? u64{words[at + 1]} << 32 : 0), at / size);
    ++result.cases[number % kProfiles];
    if (folded(sum) == record.sums[number]) continue;
    ++result.different[number % kProfiles];
    for (u32 at = 0; at < words.size() && result.first.empty(); ++at) {
      const u64 byte = (u64{number} * per_case + at) * 4;
      u32 recorded = 0;
      if (byte + 4 > record.raw.size()) break;
      std::memcpy(&recorded, &record.raw[byte], 4);
      if (recorded != words[at])
        result.first = fmt::format("case {}, word {}: {:#010x}, the model has {:#010x}", number, at,
                                   recorded, words[at]);
    }
  }
  return result;
}

}  // namespace heddle::golden
