// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "cli/args.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstring>
#include <optional>

namespace heddle::cli {
namespace {

template <class T>
std::optional<T> parse_count(std::string_view text) {
  T value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (text.empty() || error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return value;
}

/// SplitMix64: the same numbers on every host.
u64 next_random(u64& state) {
  u64 z = (state += 0x9e3779b97f4a7c15u);
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return z ^ (z >> 31);
}

/// Any bits for an integer; for floating point a number in [-1, 1).
u64 random_scalar(Scalar type, u64& state) {
  const u64 bits = next_random(state);
  return is_float(type)
             ? scalar_of(type, static_cast<double>(static_cast<s64>(bits) >> 11) * 0x1p-52)
             : scalar_of(type, bits);
}

/// Parses the text after the `=` of a buffer.
Result<bool> parse_fill(BufferArg& buffer, std::string_view text) {
  using Fill = BufferArg::Fill;
  if (text == "iota") {
    buffer.fill = Fill::iota;
    return true;
  }
  if (text.starts_with("rand:")) {
    const auto seed = parse_count<u64>(text.substr(5));
    if (!seed) return Error{fmt::format("'{}': the seed after rand: must be a number", text)};
    buffer.fill = Fill::random;
    buffer.value = *seed;
    return true;
  }
  const auto value = parse_scalar(buffer.type, text);
  if (!value.ok())
    return Error{value.error().message + "; a buffer is filled with a number, iota or rand:SEED"};
  buffer.value = *value;
  return true;
}

/// More elements would not fit any device; the limit keeps sizes in bytes from overflowing.
constexpr u64 kMostElements = u64{1} << 40;

Result<Argument> parse_buffer(std::string_view text, std::size_t bracket) {
  const auto type = find_scalar(text.substr(0, bracket));
  if (!type) {
    return Error{fmt::format("'{}' is not an element type; there are {}", text.substr(0, bracket),
                             scalar_names())};
  }
  const std::size_t close = text.find(']', bracket);
  if (close == text.npos) return Error{fmt::format("'{}' has no ']'", text)};
  const auto count = parse_count<u64>(text.substr(bracket + 1, close - bracket - 1));
  if (!count || *count == 0 || *count > kMostElements) {
    return Error{fmt::format("'{}': the number of elements must be 1 to {}", text, kMostElements)};
  }
  BufferArg buffer{.type = *type, .count = *count};
  const std::string_view rest = text.substr(close + 1);
  if (rest.empty()) return Argument(buffer);
  if (rest[0] != '=') return Error{fmt::format("'{}': expected '=' after ']'", text)};
  if (const auto parsed = parse_fill(buffer, rest.substr(1)); !parsed.ok()) return parsed.error();
  return Argument(buffer);
}

Result<Argument> parse_bytes(std::string_view digits) {
  if (digits.size() % 2)
    return Error{fmt::format("'{}' has an odd number of hexadecimal digits", digits)};
  BytesArg result;
  for (std::size_t i = 0; i < digits.size(); i += 2) {
    u8 byte = 0;
    const auto [end, error] = std::from_chars(digits.data() + i, digits.data() + i + 2, byte, 16);
    if (error != std::errc{} || end != digits.data() + i + 2) {
      return Error{fmt::format("'{}' is not a hexadecimal byte", digits.substr(i, 2))};
    }
    result.bytes.push_back(byte);
  }
  return Argument(std::move(result));
}

bool is_aggregate(const ir::Parameter& parameter) {
  return parameter.is_array || parameter.vector > 1;
}

/// The type with which a number is parsed for this parameter. For a `.b32` or `.b64` parameter, the
/// text decides between integer and float: newer compilers declare `float` parameters as .b32.
std::optional<Scalar> scalar_for(const ir::Parameter& parameter, std::string_view text) {
  if (is_aggregate(parameter)) return std::nullopt;
  const isa::TypeInfo& type = isa::type_info(parameter.type);
  if (type.cls != isa::TypeClass::bits) return find_scalar(type.name);
  const bool is_hex = text.find_first_of("xX") != text.npos;
  const bool looks_real = !is_hex && text.find_first_not_of("+-0123456789b") != text.npos;
  if (type.bits == 32) return looks_real ? Scalar::f32 : Scalar::u32;
  if (type.bits == 64) return looks_real ? Scalar::f64 : Scalar::u64;
  return type.bits == 16  ? std::optional(Scalar::u16)
         : type.bits == 8 ? std::optional(Scalar::u8)
                          : std::nullopt;
}

Result<bool> store_number(const ir::Parameter& parameter, const std::string& text,
                          std::vector<u8>& block) {
  const auto type = scalar_for(parameter, text);
  if (!type) return Error{fmt::format("is {} bytes, write them as bytes:HEX", parameter.size)};
  const auto bits = parse_scalar(*type, text);
  if (!bits.ok()) return bits.error();
  std::memcpy(block.data() + parameter.offset, &*bits, bytes_of(*type));
  return true;
}

Result<bool> store_bytes(const ir::Parameter& parameter, const std::vector<u8>& bytes,
                         std::vector<u8>& block) {
  if (bytes.size() != parameter.size) {
    return Error{fmt::format("is {} bytes, bytes: gives {}", parameter.size, bytes.size())};
  }
  std::copy(bytes.begin(), bytes.end(),
            block.begin() + static_cast<std::ptrdiff_t>(parameter.offset));
  return true;
}

}  // namespace

Result<Argument> parse_argument(std::string_view text) {
  if (text.empty()) return Error{"an argument is empty"};
  if (text[0] == '@') return Argument(FileArg{std::string(text.substr(1))});
  if (text.starts_with("bytes:")) return parse_bytes(text.substr(6));
  if (const std::size_t bracket = text.find('['); bracket != text.npos)
    return parse_buffer(text, bracket);
  return Argument(NumberArg{std::string(text)});
}

void fill(const BufferArg& buffer, u8* bytes) {
  using Fill = BufferArg::Fill;
  const u32 size = bytes_of(buffer.type);
  u64 state = buffer.value;
  for (u64 i = 0; i < buffer.count; ++i) {
    const u64 bits = buffer.fill == Fill::value  ? buffer.value
                     : buffer.fill == Fill::iota ? scalar_of(buffer.type, i)
                                                 : random_scalar(buffer.type, state);
    std::memcpy(bytes + i * size, &bits, size);
  }
}

std::string describe(const ir::Parameter& parameter) {
  std::string text = parameter.name + ": ";
  if (parameter.vector > 1) text += fmt::format(".v{} ", parameter.vector);
  const isa::TypeInfo& type = isa::type_info(parameter.type);
  text += fmt::format(".{}", type.name);
  if (parameter.is_array) text += fmt::format("[{}]", parameter.size / std::max(1, type.bits / 8));
  if (parameter.is_pointer) text += " .ptr";
  return text;
}

Result<bool> store_value(const ir::Parameter& parameter, const Argument& argument,
                         std::vector<u8>& block) {
  HEDDLE_CHECK(parameter.offset + parameter.size <= block.size());
  if (const auto* number = std::get_if<NumberArg>(&argument))
    return store_number(parameter, number->text, block);
  if (const auto* bytes = std::get_if<BytesArg>(&argument))
    return store_bytes(parameter, bytes->bytes, block);
  HEDDLE_UNREACHABLE();
}

Result<bool> store_address(const ir::Parameter& parameter, u64 address, u8 address_size,
                           std::vector<u8>& block) {
  HEDDLE_CHECK(parameter.offset + parameter.size <= block.size());
  const isa::TypeInfo& type = isa::type_info(parameter.type);
  const bool is_integer = type.cls != isa::TypeClass::float_ && type.cls != isa::TypeClass::opaque;
  if (is_aggregate(parameter) || !is_integer || type.bits != address_size) {
    return Error{fmt::format(
        "cannot hold the address of a buffer, which has {} bits in this module", address_size)};
  }
  std::memcpy(block.data() + parameter.offset, &address, address_size / 8);
  return true;
}

Result<machine::Dim3> parse_extent(std::string_view text) {
  u32 values[3] = {1, 1, 1};
  std::string_view rest = text;
  for (u32& value : values) {
    const std::size_t comma = rest.find(',');
    const auto count = parse_count<u32>(rest.substr(0, comma));
    if (!count || *count == 0) break;
    value = *count;
    if (comma == rest.npos) return machine::Dim3{values[0], values[1], values[2]};
    rest.remove_prefix(comma + 1);
  }
  return Error{fmt::format("'{}' is not X, X,Y or X,Y,Z with numbers from 1 to {}", text, ~u32{0})};
}

Result<u64> parse_whole(std::string_view text, u64 low, u64 high) {
  const auto value = parse_count<u64>(text);
  if (value && *value >= low && *value <= high) return *value;
  return Error{fmt::format("'{}' is not a whole number from {} to {}", text, low, high)};
}

Result<double> parse_seconds(std::string_view text) {
  constexpr double kLeast = 1e-6, kMost = 1e9;
  const auto value = parse_count<double>(text);
  if (value && *value >= kLeast && *value <= kMost) return *value;
  return Error{fmt::format("'{}' is not a number of seconds from {} to {}", text, kLeast, kMost)};
}

Result<Dump> parse_dump(std::string_view text) {
  const std::size_t colon = text.find(':');
  const auto argument = parse_count<u32>(text.substr(0, colon));
  const auto count =
      colon == text.npos ? std::optional(~u64{0}) : parse_count<u64>(text.substr(colon + 1));
  if (!argument || !count) return Error{fmt::format("'{}' is not I or I:COUNT", text)};
  return Dump{*argument, *count};
}

Result<Save> parse_save(std::string_view text) {
  const std::size_t equals = text.find('=');
  const auto argument = parse_count<u32>(text.substr(0, equals));
  if (equals == text.npos || !argument || equals + 1 == text.size()) {
    return Error{fmt::format("'{}' is not I=FILE.npy", text)};
  }
  return Save{*argument, std::string(text.substr(equals + 1))};
}

}  // namespace heddle::cli
