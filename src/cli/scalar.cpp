// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "cli/scalar.h"

#include <fmt/format.h>

#include <bit>
#include <charconv>
#include <cmath>

#include "isa/sem/softfloat.h"

namespace heddle::cli {
namespace {

enum class Class : u8 { unsigned_, signed_, floating };

struct ScalarInfo {
  std::string_view name;
  u32 bytes;
  Class cls;
};

constexpr ScalarInfo kScalars[] = {
    {"u8", 1, Class::unsigned_},  {"u16", 2, Class::unsigned_}, {"u32", 4, Class::unsigned_},
    {"u64", 8, Class::unsigned_}, {"s8", 1, Class::signed_},    {"s16", 2, Class::signed_},
    {"s32", 4, Class::signed_},   {"s64", 8, Class::signed_},   {"f16", 2, Class::floating},
    {"bf16", 2, Class::floating}, {"f32", 4, Class::floating},  {"f64", 8, Class::floating},
};

const ScalarInfo& info(Scalar type) { return kScalars[static_cast<std::size_t>(type)]; }
u64 mask_of(Scalar type) { return ~u64{0} >> (64 - 8 * info(type).bytes); }

/// `text` as an unsigned number; nothing when it is not a number or does not fit 64 bits.
std::optional<u64> parse_digits(std::string_view text, int base) {
  u64 value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, base);
  if (text.empty() || error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return value;
}

bool has_prefix(std::string_view text, char letter) {
  return text.size() > 2 && text[0] == '0' && (text[1] | 0x20) == letter;
}

Error does_not_fit(std::string_view text, Scalar type) {
  return {fmt::format("'{}' does not fit .{}", text, name_of(type))};
}

Error not_a_number(std::string_view text, Scalar type) {
  return {fmt::format("'{}' is not a number of type .{}", text, name_of(type))};
}

/// 0x and 0b: bits of any type.
Result<u64> parse_bits(Scalar type, std::string_view text) {
  const auto bits = parse_digits(text.substr(2), (text[1] | 0x20) == 'x' ? 16 : 2);
  if (!bits) return not_a_number(text, type);
  if (*bits & ~mask_of(type)) return does_not_fit(text, type);
  return *bits;
}

Result<u64> parse_integer(Scalar type, std::string_view text) {
  const bool negative = text.starts_with('-');
  const std::string_view digits = text.substr(negative || text.starts_with('+') ? 1 : 0);
  const bool is_number = !digits.empty() && digits.find_first_not_of("0123456789") == digits.npos;
  if (!is_number) return not_a_number(text, type);
  const auto magnitude = parse_digits(digits, 10);
  const u64 most_negative = (mask_of(type) >> 1) + 1;
  const u64 most = negative ? most_negative : is_signed(type) ? most_negative - 1 : mask_of(type);
  if (!magnitude || *magnitude > most) return does_not_fit(text, type);
  return (negative ? u64{0} - *magnitude : *magnitude) & mask_of(type);
}

Result<u64> parse_decimal(Scalar type, std::string_view text) {
  const std::string_view digits = text.substr(text.starts_with('+') ? 1 : 0);
  const char* const end = digits.data() + digits.size();
  if (type == Scalar::f32) {
    float value = 0;
    const auto result = std::from_chars(digits.data(), end, value);
    if (result.ec == std::errc::result_out_of_range) return does_not_fit(text, type);
    if (digits.empty() || result.ec != std::errc{} || result.ptr != end)
      return not_a_number(text, type);
    return u64{std::bit_cast<u32>(value)};
  }
  double value = 0;
  const auto result = std::from_chars(digits.data(), end, value);
  if (result.ec == std::errc::result_out_of_range) return does_not_fit(text, type);
  if (digits.empty() || result.ec != std::errc{} || result.ptr != end)
    return not_a_number(text, type);
  const u64 bits = scalar_of(type, value);
  const u64 infinity = scalar_of(type, HUGE_VAL);
  if (std::isfinite(value) && (bits & (mask_of(type) >> 1)) == infinity)
    return does_not_fit(text, type);
  return bits;
}

Result<u64> parse_float(Scalar type, std::string_view text) {
  const bool is_single = has_prefix(text, 'f'), is_double = has_prefix(text, 'd');
  if (!is_single && !is_double) return parse_decimal(type, text);
  const std::string_view digits = text.substr(2);
  const auto bits = parse_digits(digits, 16);
  if (!bits || digits.size() != (is_single ? 8u : 16u)) {
    return Error{fmt::format("'{}' needs {} hexadecimal digits after {}", text, is_single ? 8 : 16,
                             text.substr(0, 2))};
  }
  if (is_single && type == Scalar::f32) return *bits;
  return scalar_of(type, is_single ? std::bit_cast<float>(static_cast<u32>(*bits))
                                   : std::bit_cast<double>(*bits));
}

template <class Format>
std::string print_narrow(u64 bits) {
  const u32 single =
      sem::soft_convert<sem::FormatF32, Format>(static_cast<u16>(bits), sem::Round::nearest_even);
  return fmt::format("{}", std::bit_cast<float>(single));
}

}  // namespace

std::optional<Scalar> find_scalar(std::string_view name) {
  for (std::size_t i = 0; i < std::size(kScalars); ++i) {
    if (kScalars[i].name == name) return static_cast<Scalar>(i);
  }
  return std::nullopt;
}

std::string_view name_of(Scalar type) { return info(type).name; }
u32 bytes_of(Scalar type) { return info(type).bytes; }
bool is_float(Scalar type) { return info(type).cls == Class::floating; }
bool is_signed(Scalar type) { return info(type).cls == Class::signed_; }

std::string scalar_names() {
  std::string names;
  for (const ScalarInfo& scalar : kScalars) {
    if (!names.empty()) names += ", ";
    names += scalar.name;
  }
  return names;
}

Result<u64> parse_scalar(Scalar type, std::string_view text) {
  if (has_prefix(text, 'x') || has_prefix(text, 'b')) return parse_bits(type, text);
  return is_float(type) ? parse_float(type, text) : parse_integer(type, text);
}

u64 scalar_of(Scalar type, u64 value) {
  return is_float(type) ? scalar_of(type, static_cast<double>(value)) : value & mask_of(type);
}

u64 scalar_of(Scalar type, double value) {
  using sem::soft_convert, sem::Round, sem::FormatBf16, sem::FormatF16, sem::FormatF32,
      sem::FormatF64;
  const u64 bits = std::bit_cast<u64>(value);
  switch (type) {
    case Scalar::f64:
      return bits;
    case Scalar::f32:
      return soft_convert<FormatF32, FormatF64>(bits, Round::nearest_even);
    case Scalar::f16:
      return soft_convert<FormatF16, FormatF64>(bits, Round::nearest_even);
    case Scalar::bf16:
      return soft_convert<FormatBf16, FormatF64>(bits, Round::nearest_even);
    default:
      return static_cast<u64>(static_cast<s64>(value)) & mask_of(type);
  }
}

std::string print_scalar(Scalar type, u64 bits) {
  using sem::FormatBf16, sem::FormatF16;
  switch (type) {
    case Scalar::f64:
      return fmt::format("{}", std::bit_cast<double>(bits));
    case Scalar::f32:
      return fmt::format("{}", std::bit_cast<float>(static_cast<u32>(bits)));
    case Scalar::f16:
      return print_narrow<FormatF16>(bits);
    case Scalar::bf16:
      return print_narrow<FormatBf16>(bits);
    default:
      break;
  }
  if (!is_signed(type)) return fmt::format("{}", bits);
  const int unused = 64 - 8 * static_cast<int>(bytes_of(type));
  return fmt::format("{}", static_cast<s64>(bits << unused) >> unused);
}

}  // namespace heddle::cli
