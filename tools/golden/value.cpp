// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "value.h"

#include <array>
#include <bit>
#include <cmath>
#include <vector>

#include "format.h"

namespace heddle::golden {
namespace {

using Values = std::vector<u64>;

struct Description {
  std::string_view name;
  u32 bytes;
};
constexpr Description kDescriptions[kKinds] = {
    {"u8", 2},       {"s8", 2},     {"u16", 2},      {"s16", 2},   {"b16", 2},   {"f16", 2},
    {"bf16", 2},     {"e4m3x2", 2}, {"e5m2x2", 2},   {"u32", 4},   {"s32", 4},   {"b32", 4},
    {"f32", 4},      {"f16x2", 4},  {"bf16x2", 4},   {"u16x2", 4}, {"s16x2", 4}, {"shift", 4},
    {"position", 4}, {"lane", 4},   {"selector", 4}, {"u64", 8},   {"s64", 8},   {"b64", 8},
    {"f64", 8},      {"pred", 4},
};

std::optional<Format> format_of(Kind kind) {
  switch (kind) {
    case Kind::kF16:
      return kFormatF16;
    case Kind::kBf16:
      return kFormatBf16;
    case Kind::kF32:
      return kFormatF32;
    case Kind::kF64:
      return kFormatF64;
    default:
      return std::nullopt;
  }
}

bool is_finite(Format f, u64 bits) { return f.exponent_of(bits) <= f.last_exponent(); }

double decode(Format f, u64 bits) {
  if (f.mantissa == 52) return std::bit_cast<double>(bits);
  const int exponent = f.exponent_of(bits);
  const u64 mantissa = bits & f.mantissa_mask();
  const u64 significand = exponent ? mantissa | (u64{1} << f.mantissa) : mantissa;
  const double magnitude =
      std::ldexp(static_cast<double>(significand), std::max(exponent, 1) - f.bias() - f.mantissa);
  return bits & f.sign() ? -magnitude : magnitude;
}

/// Truncates; numbers that are too large become infinite.
u64 encode(Format f, double x) {
  if (f.mantissa == 52) return std::bit_cast<u64>(x);
  const u64 sign = std::signbit(x) ? f.sign() : 0;
  const double magnitude = std::fabs(x);
  if (magnitude == 0) return sign;
  const int exponent = std::ilogb(magnitude) + f.bias();
  if (exponent > f.last_exponent()) return sign | f.exponent_mask();
  if (exponent <= 0)
    return sign | static_cast<u64>(std::ldexp(magnitude, f.bias() - 1 + f.mantissa));
  const u64 significand = static_cast<u64>(std::ldexp(magnitude, f.mantissa - exponent + f.bias()));
  return sign | (static_cast<u64>(exponent) << f.mantissa) | (significand & f.mantissa_mask());
}

u64 random(Kind kind, u32 slot, u32 index, u32 which) {
  return spread((u64{index} << 24) ^ (u64{slot} << 16) ^ (static_cast<u64>(kind) << 8) ^ which ^
                (u64{0x5bd1e995} * (slot + 1)));
}

Values with_signs(const Values& magnitudes, u64 sign) {
  Values all;
  for (const u64 magnitude : magnitudes) {
    all.push_back(magnitude);
    all.push_back(magnitude | sign);
  }
  return all;
}

// Zeros, subnormal numbers, the neighbours of 1, limits of integers and of narrower formats,
// infinities, NaNs.
Values special_f16() {
  return with_signs({0,      1,      2,      0x1ff,  0x200,  0x3ff,  0x400,  0x401,  0x1400, 0x3800,
                     0x37ff, 0x3bff, 0x3c00, 0x3c01, 0x4000, 0x4170, 0x4248, 0x5bff, 0x5c00, 0x5f00,
                     0x6400, 0x77ff, 0x7bfe, 0x7bff, 0x7c00, 0x7c01, 0x7dff, 0x7e00, 0x7fff},
                    0x8000);
}
Values special_bf16() {
  return with_signs({0,      1,      2,      0x3f,   0x40,   0x7f,   0x80,   0x81,   0x100,
                     0x3e80, 0x3f00, 0x3f7f, 0x3f80, 0x3f81, 0x3fc0, 0x4000, 0x4049, 0x437f,
                     0x4380, 0x43e0, 0x4700, 0x477f, 0x4780, 0x4eff, 0x4f00, 0x4f80, 0x5f00,
                     0x7e80, 0x7f7e, 0x7f7f, 0x7f80, 0x7f81, 0x7fbf, 0x7fc0, 0x7fff},
                    0x8000);
}
Values special_f32() {
  return with_signs(
      {0,          1,          2,          0x3fffff,   0x400000,   0x7fffff,   0x800000,
       0x800001,   0x1000000,  0x33000000, 0x33800000, 0x387fc000, 0x38800000, 0x3effffff,
       0x3f000000, 0x3f000001, 0x3f7fffff, 0x3f800000, 0x3f800001, 0x3fc00000, 0x40000000,
       0x40200000, 0x40490fdb, 0x42fe0000, 0x43000000, 0x437f0000, 0x43e00000, 0x43e80000,
       0x46fffe00, 0x47000000, 0x477fe000, 0x477fefff, 0x477ff000, 0x47800000, 0x4b000000,
       0x4b7fffff, 0x4b800000, 0x4effffff, 0x4f000000, 0x4f7fffff, 0x4f800000, 0x5effffff,
       0x5f000000, 0x5f7fffff, 0x5f800000, 0x7e800000, 0x7e800001, 0x7f000000, 0x7f7ffffe,
       0x7f7fffff, 0x7f800000, 0x7f800001, 0x7fa00000, 0x7fbfffff, 0x7fc00000, 0x7fffffff},
      0x80000000);
}
Values special_f64() {
  return with_signs({0, 1, 2, 0x7ffffffffffff, 0x8000000000000, 0xfffffffffffff, 0x10000000000000,
                     0x10000000000001,
                     // Around the least f32, half of it, and the least normal f32.
                     0x36a0000000000000, 0x3690000000000000, 0x380fffffe0000000, 0x3810000000000000,
                     0x3e60000000000000,
                     // Around 1/2, 1, 2, e, pi.
                     0x3fdfffffffffffff, 0x3fe0000000000000, 0x3fe0000000000001, 0x3fefffffffffffff,
                     0x3ff0000000000000, 0x3ff0000000000001, 0x3ff8000000000000, 0x4000000000000000,
                     0x4004000000000000, 0x400921fb54442d18,
                     // Limits of f16 and of integers of 32 and 64 bits.
                     0x40efffe000000000, 0x40effdffffffffff, 0x40f0000000000000, 0x41dfffffffc00000,
                     0x41dfffffffffffff, 0x41e0000000000000, 0x41efffffffe00000, 0x41f0000000000000,
                     0x4330000000000000, 0x433fffffffffffff, 0x43dfffffffffffff, 0x43e0000000000000,
                     0x43efffffffffffff, 0x43f0000000000000,
                     // The largest f32 and what rounds to infinity, the largest f64, NaNs.
                     0x47efffffe0000000, 0x47efffffefffffff, 0x47effffff0000000, 0x47f0000000000000,
                     0x7fe0000000000000, 0x7feffffffffffffe, 0x7fefffffffffffff, 0x7ff0000000000000,
                     0x7ff0000000000001, 0x7ff4000000000000, 0x7ff8000000000000, 0x7fffffff00000000,
                     0x7fffffffffffffff},
                    0x8000000000000000);
}
Values special_16() {
  return {0,      1,      2,      3,      7,      8,      15,     16,
          0x7f,   0x80,   0xff,   0x100,  0x7ffe, 0x7fff, 0x8000, 0x8001,
          0xff7f, 0xff80, 0xff81, 0xfffe, 0xffff, 0x5555, 0xaaaa, 0x1234};
}
Values special_32() {
  return {0,          1,          2,          3,          7,          31,         32,
          33,         0x7f,       0x80,       0xff,       0x7fff,     0x8000,     0xffff,
          0x10000,    0x7fffff,   0x800000,   0xffffff,   0x1000000,  0x7ffffffe, 0x7fffffff,
          0x80000000, 0x80000001, 0xffff8000, 0xffffff80, 0xfffffffe, 0xffffffff, 0x55555555,
          0xaaaaaaaa, 0x12345678, 0x00ff00ff, 0xff00ff00};
}
Values special_64() {
  return {0,
          1,
          2,
          3,
          63,
          64,
          0x7fff,
          0x8000,
          0xffff,
          0x7fffffff,
          0x80000000,
          0xffffffff,
          0x100000000,
          0x1ffffffff,
          0x7fffffffffffffff,
          0x8000000000000000,
          0x8000000000000001,
          0xffffffff80000000,
          0xfffffffffffffffe,
          0xffffffffffffffff,
          0x5555555555555555,
          0xaaaaaaaaaaaaaaaa,
          0x123456789abcdef0,
          0x001fffffffffffff,
          0x0020000000000001,
          0xffffff8000000000};
}

Values make_special(Kind kind) {
  switch (kind) {
    case Kind::kU8:
    case Kind::kS8:
    case Kind::kU16:
    case Kind::kS16:
    case Kind::kB16:
    case Kind::kE4m3x2:
    case Kind::kE5m2x2:
      return special_16();
    case Kind::kF16:
      return special_f16();
    case Kind::kBf16:
      return special_bf16();
    case Kind::kF32:
      return special_f32();
    case Kind::kF64:
      return special_f64();
    case Kind::kU32:
    case Kind::kS32:
    case Kind::kB32:
    case Kind::kU16x2:
    case Kind::kS16x2:
      return special_32();
    case Kind::kU64:
    case Kind::kS64:
    case Kind::kB64:
      return special_64();
    case Kind::kShift:
      return {0,   1,   2,   7,   8,   15,         16,         17,         30,         31,
              32,  33,  47,  48,  62,  63,         64,         65,         95,         96,
              127, 128, 255, 256, 257, 0x7fffffff, 0x80000000, 0x80000001, 0xfffffff0, 0xffffffff};
    case Kind::kPosition:
      return {0,  1,  7,  8,  15, 16,  24,  30,  31,  32,  33,
              48, 62, 63, 64, 65, 100, 127, 128, 200, 254, 255};
    case Kind::kSelector:
      return {0x3210, 0x7654, 0x0123, 0x4567, 0x0000, 0x7777, 0x8888, 0xffff,     0xba98,
              0xfedc, 0x0246, 0x1357, 0x19,   0x3,    0x2,    0x1,    0x12345678, 0xffffffff};
    case Kind::kF16x2:
    case Kind::kBf16x2:  // halves of their own
    case Kind::kLane:
    case Kind::kPred:
      return {};
  }
  return {};
}

const Values& special(Kind kind) {
  static const auto all = [] {
    std::array<Values, kKinds> values;
    for (int i = 0; i < kKinds; ++i) values[i] = make_special(static_cast<Kind>(i));
    return values;
  }();
  return all[static_cast<int>(kind)];
}

s64 within(u64 bits, s64 distance) {
  return static_cast<s64>(bits % static_cast<u64>(2 * distance + 1)) - distance;
}

/// A number near the first operand, its negative, or a multiple of it by a power of two; for a
/// third operand also a number that cancels the product of the first two.
u64 related_number(Format f, Kind kind, u32 slot, u32 index, u64 bits) {
  const u64 a = value(kind, 0, index);
  const int how = static_cast<int>((bits >> 8) & 7);
  if (slot >= 2 && how < 5) {
    const u64 b = value(kind, 1, index);
    if (is_finite(f, a) && is_finite(f, b)) {
      const u64 product = encode(f, -(decode(f, a) * decode(f, b)));
      if (is_finite(f, product)) return product + within(bits >> 16, 2);
    }
  }
  const u64 same = a ^ (bits & 1 ? f.sign() : 0);
  if (how < 3) return same + within(bits >> 16, 4);
  if (how < 6) return same + (static_cast<u64>(within(bits >> 16, 25)) << f.mantissa);
  return same;
}

u64 related_integer(Kind kind, u32 index, u64 bits) {
  const u64 a = value(kind, 0, index);
  switch ((bits >> 8) & 3) {
    case 0:
      return a + within(bits >> 16, 4);
    case 1:
      return ~a + ((bits >> 16) & 1);
    case 2:
      return a ^ (u64{1} << ((bits >> 16) % (bytes_of(kind) * 8)));
    default:
      return a;
  }
}

/// A number with an exponent around 0, so that sums neither vanish nor overflow; the mantissas of
/// half of these numbers end in zeros or ones.
u64 moderate_number(Format f, u64 bits, u64 more) {
  const int span = f.mantissa == 52 ? 60 : f.mantissa == 23 ? 26 : f.mantissa == 7 ? 20 : f.bias();
  const u64 exponent = static_cast<u64>(f.bias() + within(bits, span));
  u64 mantissa = more & f.mantissa_mask();
  const u64 tail = (u64{1} << ((bits >> 44) % static_cast<u64>(f.mantissa + 1))) - 1;
  if (((bits >> 40) & 3) == 1) mantissa &= ~tail;
  if (((bits >> 40) & 3) == 2) mantissa |= tail;
  return ((bits >> 60) & 1 ? f.sign() : 0) | (exponent << f.mantissa) | mantissa;
}

u64 moderate_integer(Kind kind, u64 bits, u64 more) {
  const u64 width = 1 + bits % (bytes_of(kind) * 8);
  const u64 magnitude = width < 64 ? more & ((u64{1} << width) - 1) : more;
  return (bits >> 32) & 1 ? 0 - magnitude : magnitude;
}

/// Beyond the pairs of special values.
u64 any_value(Kind kind, u32 slot, u32 index) {
  const u64 choice = random(kind, slot, index, 0) & 15;
  const u64 bits = random(kind, slot, index, 1);
  const Values& specials = special(kind);
  const u64 one = specials[bits % specials.size()];
  switch (kind) {
    case Kind::kPosition:
      return choice < 8 ? bits % 70 : choice < 14 ? bits & 255 : bits;
    case Kind::kShift:
      return choice < 10 ? bits % 72 : choice < 13 ? one : bits;
    case Kind::kSelector:
      return choice < 3 ? one : bits;
    default:
      break;
  }
  const auto format = format_of(kind);
  if (choice < 2) return one;
  if (choice == 2) return one + within(bits >> 32, 3);
  if (choice == 3 && slot > 0)
    return format ? related_number(*format, kind, slot, index, bits)
                  : related_integer(kind, index, bits);
  const u64 more = random(kind, slot, index, 2);
  if (choice < 8)
    return format ? moderate_number(*format, bits, more) : moderate_integer(kind, bits, more);
  return more;
}

}  // namespace

std::optional<Kind> kind_named(std::string_view name) {
  for (int i = 0; i < kKinds; ++i) {
    if (kDescriptions[i].name == name) return static_cast<Kind>(i);
  }
  return std::nullopt;
}

std::string_view name_of(Kind kind) { return kDescriptions[static_cast<int>(kind)].name; }
u32 bytes_of(Kind kind) { return kDescriptions[static_cast<int>(kind)].bytes; }

u64 spread(u64 bits) {
  bits += 0x9e3779b97f4a7c15;
  bits = (bits ^ (bits >> 30)) * 0xbf58476d1ce4e5b9;
  bits = (bits ^ (bits >> 27)) * 0x94d049bb133111eb;
  return bits ^ (bits >> 31);
}

u64 mixed(u64 result, u64 place) {
  u64 bits = result ^ ((place + 1) * 0x9e3779b97f4a7c15);
  for (int i = 0; i < 2; ++i) bits = (bits ^ (bits >> 32)) * 0xd6e8feb86659fd93;
  return bits ^ (bits >> 32);
}

u64 value(Kind kind, u32 slot, u32 index) {
  if (kind == Kind::kPred) return random(kind, slot, index, 0) >> 63;
  if (kind == Kind::kLane) return random(kind, slot, index, 0) & 31;
  if (kind == Kind::kF16x2 || kind == Kind::kBf16x2) {
    const Kind half = kind == Kind::kF16x2 ? Kind::kF16 : Kind::kBf16;
    return value(half, slot, index * 2) | (value(half, slot, index * 2 + 1) << 16);
  }
  const u64 mask = ~u64{0} >> (64 - bytes_of(kind) * 8);
  const Values& specials = special(kind);
  const u32 count = static_cast<u32>(specials.size());
  if (index >= count * count) return any_value(kind, slot, index) & mask;
  // 7919 is prime and no factor of the count: every pair comes once, and near ones differ.
  const u32 pair = static_cast<u32>(u64{index} * 7919 % (count * count));
  if (slot == 0) return specials[pair % count];
  if (slot == 1) return specials[pair / count];
  return specials[(pair * 31 + slot * 5 + pair / count * 13) % count];
}

}  // namespace heddle::golden
