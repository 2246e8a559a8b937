// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "matrix_value.h"

#include <algorithm>

#include "value.h"

namespace heddle::golden {
namespace {

struct ElementInfo {
  std::string_view name;
  u32 bits;
  std::optional<Format> format = {};  ///< none: an integer
};
constexpr ElementInfo kElementInfos[kElements] = {
    {"f16", 16, kFormatF16},
    {"bf16", 16, kFormatBf16},
    {"tf32", 32, kFormatF32},
    {"e4m3", 8, Format{4, 3, false}},
    {"e5m2", 8, Format{5, 2}},
    {"s8", 8},
    {"u8", 8},
    {"s4", 4},
    {"u4", 4},
    {"b1", 1},
    {"f32", 32, kFormatF32},
    {"s32", 32},
    {"f64", 64, kFormatF64},
};
const ElementInfo& info(Element element) { return kElementInfos[static_cast<int>(element)]; }

u64 random_bits(u32 number, u32 matrix, u32 position) {
  return spread((u64{number} << 34) ^ (u64{matrix} << 32) ^ position ^ 0xabcdef0123456789);
}

u64 integer_element(Element element, Profile profile, u64 bits) {
  const u64 mask = (u64{1} << info(element).bits) - 1;
  const u64 any = (bits >> 8) & mask;
  if (element == Element::kS32) {  // only C has large values; the sums of products are small
    if (profile == Profile::kHuge) return (bits & 1 ? 0x7fffffff : 0x80000000) ^ (any & 0xffff);
    return profile == Profile::kZeros ? 0 : any;
  }
  const bool is_signed = element == Element::kS8 || element == Element::kS4;
  switch (profile) {
    case Profile::kZeros:
      return bits & 3 ? any : 0;
    case Profile::kHuge:
      return bits & 1 ? (is_signed ? (mask >> 1) + 1 : mask) : mask >> (is_signed ? 1 : 0);
    case Profile::kSpecials:
      return bits & 15 ? 0 : any;
    default:
      return any;
  }
}

/// Generates numbers of one format from one element's random bits.
class Maker {
 public:
  Maker(Format format, u64 bits)
      : format_(format),
        bias_(format.bias()),
        last_(format.last_exponent()),
        sign_((bits >> 8) & 1 ? format.sign() : 0),
        mantissa_((bits >> 12) & format.mantissa_mask()),
        more_(spread(bits)),
        choice_(static_cast<int>(more_ & 0xffff)) {}

  u64 make(Profile profile, Matrix matrix) const {
    const bool a = matrix == Matrix::kA, b = matrix == Matrix::kB;
    switch (profile) {
      case Profile::kAnyBits:
        return sign_ | ((more_ >> 20 << format_.mantissa) & format_.exponent_mask()) | mantissa_;
      case Profile::kFinite:
        return any_finite();
      case Profile::kNearOne:
        return near_one(choice_);
      case Profile::kZeros:
        return choice_ & (matrix == Matrix::kC ? 1 : 3) ? near_one(choice_ >> 4) : sign_;
      case Profile::kCancelling:
        return matrix == Matrix::kC ? number(bias_ - 14 + choice_ % 29, mantissa_)
                                    : number(bias_ - (choice_ & 1), mantissa_);
      case Profile::kTiny:
        return a   ? number(choice_ % 3, mantissa_)
               : b ? any_finite()
                   : number(choice_ % 4, mantissa_);
      case Profile::kHuge:
        return number(last_ - choice_ % 3, mantissa_);
      case Profile::kSpecials:
        return choice_ % 100 < 80 ? zero_or_one() : special(choice_ >> 8);
      case Profile::kZeroTimesHuge:
        if (a) return choice_ & 1 ? sign_ : number(1 + (choice_ >> 4) % 3, mantissa_);
        if (b) return number(last_ - (choice_ & 1), mantissa_);
        return choice_ & 1 ? 0 : number(bias_ - 8 + (choice_ >> 4) % 8, mantissa_);
      case Profile::kAlignment:
        return alignment(matrix);
      case Profile::kSpecialSummand:
        return matrix == Matrix::kC ? special_summand() : near_one(choice_);
      case Profile::kZeroProducts:
        return a ? sign_ : b ? any_finite() : choice_ & 3 ? any_finite() : sign_;
    }
    return 0;
  }

 private:
  u64 number(int exponent, u64 mantissa) const {
    exponent = std::clamp(exponent, 0, last_);
    if (!format_.has_infinity && exponent == last_ && mantissa == format_.mantissa_mask())
      --mantissa;
    return sign_ | (static_cast<u64>(exponent) << format_.mantissa) | mantissa;
  }
  u64 any_finite() const {
    return number(static_cast<int>((more_ >> 20) % static_cast<u64>(last_ + 1)), mantissa_);
  }
  u64 near_one(int bits) const { return number(bias_ - 3 + bits % 7, mantissa_); }
  u64 zero_or_one() const { return choice_ & 1 ? sign_ : number(bias_, 0); }
  /// Infinity; for E4M3 its NaN.
  u64 infinity() const {
    return sign_ | format_.exponent_mask() | (format_.has_infinity ? 0 : format_.mantissa_mask());
  }
  u64 nan() const { return infinity() | mantissa_ | 1; }
  u64 special(int bits) const {
    switch (bits % 7) {
      case 0:
        return infinity();
      case 1:
        return nan();
      case 2:
        return number(last_, format_.mantissa_mask());
      case 3:
        return sign_ | 1;
      case 4:
        return format_.sign();
      case 5:
        return number(1, 0);
      default:
        return number(bias_, mantissa_);
    }
  }
  u64 alignment(Matrix matrix) const {
    const u64 mantissas[] = {0, 1, u64{1} << (format_.mantissa - 1), format_.mantissa_mask()};
    if (matrix == Matrix::kA)
      return number(bias_ - choice_ % std::min(bias_, 15), mantissas[choice_ >> 4 & 3]);
    if (matrix == Matrix::kB) return number(bias_, mantissas[choice_ >> 4 & 1]);
    if ((choice_ & 7) == 0) return 0;
    return (choice_ & 7) < 5 ? number(bias_ - 1 + (choice_ >> 4) % 4, mantissa_)
                             : number(bias_ - 20 - (choice_ >> 4) % 8, mantissa_);
  }
  u64 special_summand() const {
    switch (choice_ & 3) {
      case 0:
        return infinity();
      case 1:
        return nan();
      case 2:
        return sign_;
      default:
        return number(last_, format_.mantissa_mask());
    }
  }

  Format format_;
  int bias_, last_;
  u64 sign_, mantissa_, more_;
  int choice_;
};

u64 matrix_element(Element element, u32 number, Matrix matrix, u32 position) {
  const u64 bits = random_bits(number, static_cast<u32>(matrix), position);
  const Profile profile = static_cast<Profile>(number % kProfiles);
  if (element == Element::kB1) return bits & 1;
  const auto format = format_of(element);
  if (!format) return integer_element(element, profile, bits);
  // In every second case A and B change roles.
  if (number / kProfiles % 2 && matrix != Matrix::kC)
    matrix = matrix == Matrix::kA ? Matrix::kB : Matrix::kA;
  const u64 value = Maker(*format, bits).make(profile, matrix);
  // The low 13 bits are not part of a tf32: half of the elements have zeros there.
  const bool cleared =
      element == Element::kTf32 && profile != Profile::kAnyBits && (spread(bits) >> 40 & 1);
  return cleared ? value & ~u64{0x1fff} : value;
}

}  // namespace

std::optional<Element> element_named(std::string_view name) {
  for (int i = 0; i < kElements; ++i) {
    if (kElementInfos[i].name == name) return static_cast<Element>(i);
  }
  return std::nullopt;
}

std::string_view name_of(Element element) { return info(element).name; }
std::string_view name_of(Profile profile) {
  constexpr std::string_view kNames[kProfiles] = {
      "any bits", "finite",   "near one",        "zeros",     "cancelling",      "tiny",
      "huge",     "specials", "zero times huge", "alignment", "special summand", "zero products"};
  return kNames[static_cast<int>(profile)];
}
u32 bits_of(Element element) { return info(element).bits; }
std::optional<Format> format_of(Element element) { return info(element).format; }

u32 matrix_word(Element element, u32 number, Matrix matrix, u32 position) {
  const u32 bits = bits_of(element);
  if (bits == 64)
    return static_cast<u32>(matrix_element(element, number, matrix, position / 2) >>
                            (position % 2 * 32));
  if (bits == 1) return static_cast<u32>(random_bits(number, static_cast<u32>(matrix), position));
  const u32 count = 32 / bits;
  u32 word = 0;
  for (u32 i = 0; i < count; ++i)
    word |= static_cast<u32>(matrix_element(element, number, matrix, position * count + i))
            << (i * bits);
  return word;
}

u32 metadata_word(Element element, u32 number, u32 thread) {
  constexpr u32 kTwoOfFour[] = {0x4, 0x8, 0xc, 0x9, 0xd, 0xe}, kOneOfTwo[] = {0x4, 0xe};
  u64 bits = random_bits(number, 3, thread);
  u32 word = 0;
  for (u32 i = 0; i < 32; i += 4, bits = spread(bits))
    word |= (element == Element::kTf32 ? kOneOfTwo[bits % 2] : kTwoOfFour[bits % 6]) << i;
  return word;
}

}  // namespace heddle::golden
