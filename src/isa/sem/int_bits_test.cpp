// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Bit fields and searches against the bit-by-bit definitions of PTX ISA 9.7.1.16 to 9.7.1.22, over
// values, positions and lengths on both sides of every limit.
#include "isa/sem/int_bits.h"

#include <random>
#include <vector>

#include <gtest/gtest.h>

namespace heddle::sem {
namespace {

constexpr u32 kAmounts[] = {0,   1,   2,   7,   8,   15,  16,         30,         31,        32,
                            33,  47,  48,  62,  63,  64,  65,         100,        127,       128,
                            200, 254, 255, 256, 291, 303, 0x80000000, 0xfffffff0, 0xffffffff};

/// The effective position or length: the whole number for words of 64 bits, otherwise its low 8
/// bits.
template <class T>
u64 number_by_width(u32 number) {
  return sizeof(T) == 8 ? number : number & 0xff;
}

template <class T>
std::vector<T> patterns() {
  std::vector<T> list = {T{0}, T{1}, static_cast<T>(~T{0}),
                         static_cast<T>(unsigned_of<T>{1} << (8 * sizeof(T) - 1)),
                         static_cast<T>(static_cast<unsigned_of<T>>(~T{0}) >> 1)};
  std::mt19937_64 random(1);
  for (int i = 0; i < 40; ++i) list.push_back(static_cast<T>(random() >> (random() % 64)));
  return list;
}

template <class T>
bool bit(T value, u32 index) {
  return (static_cast<unsigned_of<T>>(value) >> index & 1) != 0;
}

template <class T>
T bfe_by_bits(T a, u32 b, u32 c) {
  const u64 msb = 8 * sizeof(T) - 1, pos = number_by_width<T>(b), len = number_by_width<T>(c);
  const bool sign =
      std::is_signed_v<T> && len != 0 && bit(a, static_cast<u32>(std::min(pos + len - 1, msb)));
  unsigned_of<T> d = 0;
  for (u32 i = 0; i <= msb; ++i) {
    const bool set = i < len && pos + i <= msb ? bit(a, static_cast<u32>(pos + i)) : sign;
    d |= unsigned_of<T>{set} << i;
  }
  return static_cast<T>(d);
}

template <class T>
T bfi_by_bits(T a, T b, u32 c, u32 d) {
  const u64 msb = 8 * sizeof(T) - 1, pos = number_by_width<T>(c), len = number_by_width<T>(d);
  T f = b;
  for (u32 i = 0; i < len && pos + i <= msb; ++i) {
    f = static_cast<T>((f & ~(T{1} << (pos + i))) | T{bit(a, i)} << (pos + i));
  }
  return f;
}

template <class T, Wrapmode mode>
T szext_by_mask(T a_signed, u32 b) {
  const u32 a = static_cast<u32>(a_signed), b1 = b & 0x1f;
  const bool too_large = b >= 32 && mode == Wrapmode::clamp;
  const u32 mask = too_large ? 0 : ~0u << b1;
  const bool sign = b1 != 0 && !too_large && std::is_signed_v<T> && bit(a, (b1 - 1) & 0x1f);
  return static_cast<T>((a & ~mask) | (sign ? mask : 0));
}

template <Wrapmode mode>
u32 bmsk_by_masks(u32 a, u32 b) {
  const u32 a1 = a & 0x1f, b1 = b & 0x1f, sum = a1 + b1;
  u32 mask0 = ~0u << a1;
  u32 mask1 = sum < 32 ? ~0u << sum : 0;
  bool overflow = sum >= 32;
  if (mode == Wrapmode::clamp) {
    if (a >= 32) overflow = true, mask0 = 0;
    if (b >= 32) overflow = true;
  }
  if (overflow) {
    mask1 = 0;
  } else if (b1 == 0) {
    mask1 = ~0u;
  }
  return mask0 & ~mask1;
}

u32 fns_by_bits(u32 mask, u32 base, s32 offset) {
  if (offset == 0) return bit(mask, base) ? base : 0xffffffffu;
  s64 count = (offset < 0 ? -s64{offset} : s64{offset}) - 1;
  for (s64 pos = base; pos >= 0 && pos < 32; pos += offset > 0 ? 1 : -1) {
    if (!bit(mask, static_cast<u32>(pos))) continue;
    if (count-- == 0) return static_cast<u32>(pos);
  }
  return 0xffffffffu;
}

template <class T, bool shift_amount>
u32 bfind_by_bits(T a) {
  const u32 msb = 8 * sizeof(T) - 1;
  if (a < T{0}) a = static_cast<T>(~a);
  for (u32 i = msb + 1; i-- > 0;) {
    if (bit(a, i)) return shift_amount ? msb - i : i;
  }
  return 0xffffffffu;
}

template <class T>
class IntBits : public testing::Test {};
using BitFieldTypes = testing::Types<u32, s32, u64, s64>;
TYPED_TEST_SUITE(IntBits, BitFieldTypes);

TYPED_TEST(IntBits, FieldsMatchTheirDefinitionBitByBit) {
  using U = unsigned_of<TypeParam>;
  for (TypeParam a : patterns<TypeParam>()) {
    for (u32 pos : kAmounts) {
      for (u32 len : kAmounts) {
        ASSERT_EQ(extract_field(a, pos, len), bfe_by_bits(a, pos, len))
            << +a << " " << pos << " " << len;
        ASSERT_EQ(insert_field<U>(static_cast<U>(a), 0x5a5a5a5a, pos, len),
                  bfi_by_bits<U>(static_cast<U>(a), 0x5a5a5a5a, pos, len))
            << +a << " " << pos << " " << len;
      }
    }
  }
}

TYPED_TEST(IntBits, SearchAndReversal) {
  using U = unsigned_of<TypeParam>;
  for (TypeParam a : patterns<TypeParam>()) {
    ASSERT_EQ((find_non_sign_bit<TypeParam, false>(a)), (bfind_by_bits<TypeParam, false>(a))) << +a;
    ASSERT_EQ((find_non_sign_bit<TypeParam, true>(a)), (bfind_by_bits<TypeParam, true>(a))) << +a;
    const U reversed = reverse_bits(static_cast<U>(a));
    for (u32 i = 0; i < 8 * sizeof(U); ++i)
      ASSERT_EQ(bit(reversed, i), bit(a, 8 * sizeof(U) - 1 - i));
  }
}

TEST(IntBits, ExtensionAndMasks) {
  for (u32 a : patterns<u32>()) {
    const s32 s = static_cast<s32>(a);
    for (u32 n : kAmounts) {
      ASSERT_EQ((extend_from<u32, Wrapmode::clamp>(a, n)),
                (szext_by_mask<u32, Wrapmode::clamp>(a, n)));
      ASSERT_EQ((extend_from<u32, Wrapmode::wrap>(a, n)),
                (szext_by_mask<u32, Wrapmode::wrap>(a, n)));
      ASSERT_EQ((extend_from<s32, Wrapmode::clamp>(s, n)),
                (szext_by_mask<s32, Wrapmode::clamp>(s, n)));
      ASSERT_EQ((extend_from<s32, Wrapmode::wrap>(s, n)),
                (szext_by_mask<s32, Wrapmode::wrap>(s, n)));
    }
  }
  for (u32 a : kAmounts) {
    for (u32 b : kAmounts) {
      ASSERT_EQ(field_mask<Wrapmode::clamp>(a, b), bmsk_by_masks<Wrapmode::clamp>(a, b))
          << a << " " << b;
      ASSERT_EQ(field_mask<Wrapmode::wrap>(a, b), bmsk_by_masks<Wrapmode::wrap>(a, b))
          << a << " " << b;
    }
  }
}

TEST(IntBits, NthSetBit) {
  for (u32 mask : patterns<u32>()) {
    for (u32 base = 0; base < 32; ++base) {
      for (s32 offset = -34; offset <= 34; ++offset) {
        ASSERT_EQ(find_nth_set(mask, base, static_cast<u32>(offset)),
                  fns_by_bits(mask, base, offset))
            << mask << " " << base << " " << offset;
      }
    }
  }
}

}  // namespace
}  // namespace heddle::sem
