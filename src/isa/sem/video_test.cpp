// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The video instructions against the manual's stages (9.7.18), written out in 128-bit numbers,
// division and comparison only; random and corner values under every modifier.
#include "isa/sem/video.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

namespace heddle::sem {
namespace {

constexpr int kRounds = 2000;

class Numbers {
 public:
  u32 operator()() {
    static constexpr u32 kCorners[] = {0,          1,          0x7f,       0x80,       0xff,
                                       0x7fff,     0x8000,     0xffff,     0x7fffffff, 0x80000000,
                                       0xffffffff, 0x807f01fe, 0xff80ff80, 31,         32};
    const u32 value = static_cast<u32>(engine_());
    return value % 3 ? value / 3 * 5 : kCorners[value / 3 % std::size(kCorners)];
  }
  template <class E>
  E pick(u32 count) {
    return static_cast<E>((*this)() / 7 % count);
  }
  Type type() { return pick<u32>(2) ? Type::s32 : Type::u32; }

 private:
  std::mt19937 engine_{1};
};

s128 power(u32 exponent) { return s128{1} << exponent; }

/// The number in the low `bits` bits of `value`, computed by arithmetic alone.
s128 read(s128 value, u32 bits, bool is_signed) {
  s128 low = value % power(bits);
  if (low < 0) low += power(bits);
  return is_signed && low >= power(bits - 1) ? low - power(bits) : low;
}

s128 select(u32 value, int selector, Type type) {
  const u32 bits = selector == 0 ? 32 : selector <= 4 ? 8 : 16;
  const u32 first = selector == 0   ? 0
                    : selector <= 4 ? 8 * (static_cast<u32>(selector) - 1)
                                    : 16 * (static_cast<u32>(selector) - 5);
  return read(value / static_cast<s128>(power(first)), bits, type == Type::s32);
}

s128 floor_divide(s128 value, s128 by) { return (value - read(value, 64, false) % by) / by; }

s128 clamp(s128 value, u32 bits, bool is_signed) {
  const s128 least = is_signed ? -power(bits - 1) : 0;
  return std::clamp(value, least, least + power(bits) - 1);
}

u32 replace(u32 into, s128 value, u32 first, u32 bits) {
  const s128 old = read(into / power(first), bits, false);
  return static_cast<u32>(into + (read(value, bits, false) - old) * power(first));
}

enum class Op { add, sub, absdiff, min, max, average };

s128 compute(Op op, s128 a, s128 b) {
  switch (op) {
    case Op::add:
      return a + b;
    case Op::sub:
      return a - b;
    case Op::absdiff:
      return std::max(a - b, b - a);
    case Op::min:
      return std::min(a, b);
    case Op::max:
      return std::max(a, b);
    case Op::average:
      return a + b >= 0 ? (a + b + 1) / 2 : -((1 - a - b) / 2);
  }
  return 0;
}

bool compare(Cmp cmp, s128 a, s128 b) {
  switch (cmp) {
    case Cmp::eq:
      return a == b;
    case Cmp::ne:
      return a != b;
    case Cmp::lt:
      return a < b;
    case Cmp::le:
      return a <= b;
    case Cmp::gt:
      return a > b;
    default:
      return a >= b;
  }
}

struct Scalar {
  Type a_type, b_type;
  Flag sat;
  Asel asel;
  Bsel bsel;
  Dsel dsel;
  Secop secop;
  Wrapmode mode;
  Cmp cmp;
  u32 a, b, c;

  explicit Scalar(Numbers& next)
      : a_type(next.type()),
        b_type(next.type()),
        sat(next.pick<Flag>(2)),
        asel(next.pick<Asel>(7)),
        bsel(next.pick<Bsel>(7)),
        dsel(static_cast<Dsel>(1 + next.pick<int>(6))),
        secop(static_cast<Secop>(1 + next.pick<int>(3))),
        mode(static_cast<Wrapmode>(1 + next.pick<int>(2))),
        cmp(static_cast<Cmp>(1 + next.pick<int>(6))),
        a(next()),
        b(next()),
        c(next()) {}

  s128 left() const { return select(a, static_cast<int>(asel), a_type); }
  s128 right(Type type) const { return select(b, static_cast<int>(bsel), type); }

  u32 plain(s128 result, bool is_signed) const {
    return static_cast<u32>(sat == Flag::on ? clamp(result, 32, is_signed) : result);
  }
  u32 merged(s128 result, bool is_signed) const {
    const auto selector = static_cast<u32>(dsel);
    const u32 bits = selector <= 4 ? 8 : 16;
    if (sat == Flag::on) result = clamp(result, bits, is_signed);
    return replace(c, result, selector <= 4 ? 8 * (selector - 1) : 16 * (selector - 5), bits);
  }
  u32 then(s128 result, bool is_signed) const {
    const s128 one = read(plain(result, is_signed), 32, is_signed), two = read(c, 32, is_signed);
    return static_cast<u32>(secop == Secop::add   ? one + two
                            : secop == Secop::min ? std::min(one, two)
                                                  : std::max(one, two));
  }
};

template <auto op, class T>
void check_scalar(Op reference) {
  Numbers next;
  constexpr bool is_signed = std::is_signed_v<T>;
  for (int i = 0; i < kRounds; ++i) {
    const Scalar x(next);
    const auto& [A, B, sat, asel, bsel, dsel, secop, mode, cmp, a, b, c] = x;
    const s128 result = compute(reference, x.left(), x.right(B));
    EXPECT_EQ((video<op, T>(A, B, sat, asel, bsel, a, b)), x.plain(result, is_signed));
    EXPECT_EQ((video_merge<op, T>(A, B, sat, dsel, asel, bsel, a, b, c)),
              x.merged(result, is_signed));
    EXPECT_EQ((video_then<op, T>(A, B, sat, secop, asel, bsel, a, b, c)),
              x.then(result, is_signed));
  }
}

TEST(Video, ScalarArithmetic) {
  check_scalar<video_add, u32>(Op::add);
  check_scalar<video_add, s32>(Op::add);
  check_scalar<video_sub, u32>(Op::sub);
  check_scalar<video_sub, s32>(Op::sub);
  check_scalar<video_absdiff, u32>(Op::absdiff);
  check_scalar<video_absdiff, s32>(Op::absdiff);
  check_scalar<video_min, u32>(Op::min);
  check_scalar<video_min, s32>(Op::min);
  check_scalar<video_max, u32>(Op::max);
  check_scalar<video_max, s32>(Op::max);
}

template <auto op, class T>
void check_shift(bool left) {
  Numbers next;
  constexpr bool is_signed = std::is_signed_v<T>;
  for (int i = 0; i < kRounds; ++i) {
    const Scalar x(next);
    const auto& [A, B, sat, asel, bsel, dsel, secop, mode, cmp, a, b, c] = x;
    const s128 written = x.right(Type::u32);
    const auto amount =
        static_cast<u32>(mode == Wrapmode::wrap ? written % 32 : std::min<s128>(written, 32));
    const s128 result =
        left ? read(x.left() * power(amount), 34, true) : floor_divide(x.left(), power(amount));
    EXPECT_EQ((video_shift<op, T>(A, sat, mode, asel, bsel, a, b)), x.plain(result, is_signed));
    EXPECT_EQ((video_shift_merge<op, T>(A, sat, mode, dsel, asel, bsel, a, b, c)),
              x.merged(result, is_signed));
    EXPECT_EQ((video_shift_then<op, T>(A, sat, mode, secop, asel, bsel, a, b, c)),
              x.then(result, is_signed));
  }
}

TEST(Video, Shifts) {
  check_shift<video_shl, u32>(true);
  check_shift<video_shl, s32>(true);
  check_shift<video_shr, u32>(false);
  check_shift<video_shr, s32>(false);
}

TEST(Video, Comparisons) {
  Numbers next;
  for (int i = 0; i < 4 * kRounds; ++i) {
    Scalar x(next);
    x.sat = Flag::off;
    const auto& [A, B, sat, asel, bsel, dsel, secop, mode, cmp, a, b, c] = x;
    const s128 result = compare(cmp, x.left(), x.right(B));
    EXPECT_EQ(vset(A, B, cmp, asel, bsel, a, b), x.plain(result, false));
    EXPECT_EQ(vset_merge(A, B, cmp, dsel, asel, bsel, a, b, c), x.merged(result, false));
    EXPECT_EQ(vset_then(A, B, cmp, secop, asel, bsel, a, b, c), x.then(result, false));
  }
}

template <bool minus_a, bool minus_b, bool minus_c, bool plus_one>
void check_vmad() {
  Numbers next;
  for (int i = 0; i < kRounds; ++i) {
    const Scalar x(next);
    const auto scale = next.pick<Vmadscale>(3);
    const bool is_signed =
        x.a_type == Type::s32 || x.b_type == Type::s32 || minus_a != minus_b || minus_c;
    const s128 product = x.left() * x.right(x.b_type);
    // The addend is negated as a number of 32 bits, before it is extended.
    const s128 addend = minus_c ? -read(~x.c, 32, true) - 1 : read(x.c, 32, is_signed);
    const s128 sum = (minus_a != minus_b ? -product : product) + (minus_c ? -addend : addend) +
                     (plus_one ? 1 : 0);
    const s128 unit = power(scale == Vmadscale::shr7 ? 7 : scale == Vmadscale::shr15 ? 15 : 0);
    const s128 scaled = (sum - ((sum % unit) + unit) % unit) / unit;
    EXPECT_EQ((vmad<minus_a, minus_b, minus_c, plus_one>(x.a_type, x.b_type, x.sat, scale, x.asel,
                                                         x.bsel, x.a, x.b, x.c)),
              x.plain(scaled, is_signed));
  }
}

TEST(Video, MultiplyAndAdd) {
  check_vmad<false, false, false, false>();
  check_vmad<true, false, false, false>();
  check_vmad<false, true, false, false>();
  check_vmad<true, true, false, false>();
  check_vmad<false, false, true, false>();
  check_vmad<false, false, false, true>();
}

template <u32 kBits>
struct Simd {
  Type a_type, b_type;
  u32 mask, a, b, c, lanes[2] = {0, 0};
  static constexpr u32 kElements = 32 / kBits;

  explicit Simd(Numbers& next)
      : a_type(next.type()),
        b_type(next.type()),
        mask(next.pick<u32>(1u << kElements)),
        a(next()),
        b(next()),
        c(next()) {
    for (u32& digits : lanes) {
      for (u32 i = 0; i < kElements; ++i) digits = digits * 16 + next.pick<u32>(2 * kElements);
    }
  }

  s128 element(u32 which, u32 i, Type type) const {
    u32 digits = lanes[which];
    for (u32 skipped = 0; skipped < i; ++skipped) digits /= 16;
    const u32 place = digits % 16;
    const u32 from = place < kElements ? a : b;
    return read(from / power(place % kElements * kBits), kBits, type == Type::s32);
  }
  bool wanted(u32 i) const { return mask == 0 || (mask >> i) % 2 == 1; }
};

template <u32 kBits, auto op, class T>
void check_simd(Op reference) {
  Numbers next;
  for (int i = 0; i < kRounds; ++i) {
    const Simd<kBits> x(next);
    const auto sat = next.pick<Flag>(2);
    const auto mask = static_cast<MaskOf<kBits>>(x.mask);
    u32 merged = x.c;
    s128 sum = x.c;
    for (u32 e = 0; e < x.kElements; ++e) {
      if (!x.wanted(e)) continue;
      const s128 result = compute(reference, x.element(0, e, x.a_type), x.element(1, e, x.b_type));
      const bool is_signed = std::is_signed_v<T>;
      merged = replace(merged, sat == Flag::on ? clamp(result, kBits, is_signed) : result,
                       e * kBits, kBits);
      sum += result;
    }
    EXPECT_EQ((video_simd<kBits, op, T, false>(x.a_type, x.b_type, sat, mask, x.a, x.lanes[0], x.b,
                                               x.lanes[1], x.c)),
              merged);
    EXPECT_EQ((video_simd<kBits, op, T, true>(x.a_type, x.b_type, Flag::off, mask, x.a, x.lanes[0],
                                              x.b, x.lanes[1], x.c)),
              static_cast<u32>(sum));
  }
}

TEST(Video, SimdArithmetic) {
  check_simd<16, video_add, u32>(Op::add);
  check_simd<8, video_add, s32>(Op::add);
  check_simd<16, video_sub, s32>(Op::sub);
  check_simd<8, video_sub, u32>(Op::sub);
  check_simd<16, video_absdiff, u32>(Op::absdiff);
  check_simd<8, video_absdiff, s32>(Op::absdiff);
  check_simd<16, video_min, s32>(Op::min);
  check_simd<8, video_min, u32>(Op::min);
  check_simd<16, video_max, u32>(Op::max);
  check_simd<8, video_max, s32>(Op::max);
  check_simd<16, video_average, s32>(Op::average);
  check_simd<8, video_average, u32>(Op::average);
}

template <u32 kBits>
void check_simd_set() {
  Numbers next;
  for (int i = 0; i < kRounds; ++i) {
    const Simd<kBits> x(next);
    const auto cmp = static_cast<Cmp>(1 + next.pick<int>(6));
    const auto mask = static_cast<MaskOf<kBits>>(x.mask);
    u32 merged = x.c, sum = x.c;
    for (u32 e = 0; e < x.kElements; ++e) {
      if (!x.wanted(e)) continue;
      const bool holds = compare(cmp, x.element(0, e, x.a_type), x.element(1, e, x.b_type));
      merged = replace(merged, holds, e * kBits, kBits);
      sum += holds;
    }
    EXPECT_EQ((vset_simd<kBits, false>(x.a_type, x.b_type, cmp, mask, x.a, x.lanes[0], x.b,
                                       x.lanes[1], x.c)),
              merged);
    EXPECT_EQ((vset_simd<kBits, true>(x.a_type, x.b_type, cmp, mask, x.a, x.lanes[0], x.b,
                                      x.lanes[1], x.c)),
              sum);
  }
}

TEST(Video, SimdComparisons) {
  check_simd_set<16>();
  check_simd_set<8>();
}

}  // namespace
}  // namespace heddle::sem
