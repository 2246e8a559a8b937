// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "machine/printf.h"

#include <algorithm>
#include <bit>
#include <cstdio>
#include <cstdlib>

namespace heddle::machine {
namespace {

constexpr int kWidest = 4096;  // a larger width or precision is reduced to this
constexpr int kNone = -1, kArgument = -2;

/// A part of a format: text as it is, or a conversion.
struct Piece {
  std::string_view text;   ///< the whole piece
  std::string_view flags;  ///< of a conversion
  int width = kNone, precision = kNone;
  u32 bits = 32;        ///< of an integer, by the length modifier
  char conversion = 0;  ///< 0: text
};

bool is_one_of(char c, std::string_view set) { return set.find(c) != std::string_view::npos; }

class Reader {
 public:
  explicit Reader(std::string_view format) : rest_(format) {}
  bool at_end() const { return rest_.empty(); }

  Piece next() {
    at_ = 0;
    if (rest_[0] != '%') {
      at_ = std::min(rest_.find('%'), rest_.size());
      return {.text = taken(), .flags = {}};
    }
    ++at_;
    Piece piece{};
    while (is_one_of(peek(), "-+ #0")) ++at_;
    piece.flags = rest_.substr(1, at_ - 1);
    piece.width = number();
    if (peek() == '.') {
      ++at_;
      piece.precision = number();
      if (piece.precision == kNone) piece.precision = 0;  // "%.f"
    }
    for (; is_one_of(peek(), "hlLqjzt"); ++at_) piece.bits = peek() == 'h' ? piece.bits / 2 : 64;
    const char conversion = peek();
    if (is_one_of(conversion, "diouxXcsfFeEgGaAp%")) piece.conversion = conversion;
    if (conversion) ++at_;
    piece.text = taken();
    return piece;
  }

 private:
  char peek() const { return at_ < rest_.size() ? rest_[at_] : '\0'; }
  int number() {
    if (peek() == '*') {
      ++at_;
      return kArgument;
    }
    int value = kNone;
    for (; peek() >= '0' && peek() <= '9'; ++at_)
      value = std::min(std::max(value, 0) * 10 + (peek() - '0'), kWidest);
    return value;
  }
  std::string_view taken() {
    const std::string_view text = rest_.substr(0, at_);
    rest_.remove_prefix(at_);
    return text;
  }
  std::string_view rest_;
  std::size_t at_ = 0;
};

bool is_real(char conversion) { return is_one_of(conversion, "fFeEgGaA"); }

/// Bytes of the conversion's own argument; 0 when it has none.
u32 argument_bytes(const Piece& piece) {
  if (piece.conversion == 0 || piece.conversion == '%') return 0;
  if (is_real(piece.conversion) || is_one_of(piece.conversion, "sp")) return 8;
  return piece.conversion != 'c' && piece.bits == 64 ? 8 : 4;
}

template <class T>
std::string formatted(const std::string& format, T value) {
  const int length = std::snprintf(nullptr, 0, format.c_str(), value);
  std::string text(static_cast<std::size_t>(std::max(length, 0)) + 1, '\0');
  std::snprintf(text.data(), text.size(), format.c_str(), value);
  text.pop_back();
  return text;
}

/// The value converted by the C library, with this width and precision.
std::string convert(const Piece& piece, int width, int precision, const PrintfValue& value) {
  std::string format = "%";
  format += piece.flags;
  if (width < 0 && width != kNone) format += '-';
  if (width != kNone) format += std::to_string(std::min(std::abs(width), kWidest));
  if (precision >= 0) format += '.' + std::to_string(std::min(precision, kWidest));
  const u32 drop = 64 - piece.bits;
  switch (piece.conversion) {
    case 'd':
    case 'i':
      return formatted(format + "lld",
                       static_cast<long long>(value.bits << drop) >> static_cast<int>(drop));
    case 'c':
      return formatted(format + 'c', static_cast<int>(value.bits & 0xff));
    case 's':
      return formatted(format + 's', value.text.c_str());
    case 'p':
      return formatted(format + 'p', std::bit_cast<const void*>(value.bits));
    default:
      if (is_real(piece.conversion))
        return formatted(format + piece.conversion, std::bit_cast<double>(value.bits));
      return formatted(format + "ll" + piece.conversion,
                       static_cast<unsigned long long>(value.bits << drop >> drop));
  }
}

}  // namespace

std::vector<PrintfArgument> printf_arguments(std::string_view format) {
  std::vector<PrintfArgument> arguments;
  u32 end = 0;
  const auto add = [&](u32 bytes, bool is_string) {
    const u32 offset = (end + bytes - 1) / bytes * bytes;
    arguments.push_back({offset, bytes, is_string});
    end = offset + bytes;
  };
  for (Reader reader(format); !reader.at_end();) {
    const Piece piece = reader.next();
    if (!piece.conversion) continue;
    if (piece.width == kArgument) add(4, false);
    if (piece.precision == kArgument) add(4, false);
    if (const u32 bytes = argument_bytes(piece)) add(bytes, piece.conversion == 's');
  }
  return arguments;
}

std::string print_formatted(std::string_view format, std::span<const PrintfValue> values) {
  std::string out;
  std::size_t next = 0;
  const auto take = [&]() -> PrintfValue {
    return next < values.size() ? values[next++] : PrintfValue();
  };
  for (Reader reader(format); !reader.at_end();) {
    const Piece piece = reader.next();
    if (!piece.conversion) {
      out += piece.text;
      continue;
    }
    const auto number = [&](int written) {
      return written == kArgument ? static_cast<int>(take().bits) : written;
    };
    const int width = number(piece.width);
    const int precision = number(piece.precision);
    out += piece.conversion == '%' ? "%" : convert(piece, width, precision, take());
  }
  return out;
}

}  // namespace heddle::machine
