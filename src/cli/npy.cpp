// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "cli/npy.h"

#include <fmt/format.h>

#include <charconv>
#include <optional>
#include <utility>

namespace heddle::cli {
namespace {

constexpr std::string_view kMagic = "\x93NUMPY";
constexpr std::size_t kMostDimensions = 64;  // NumPy's own limit

/// The fields of the header.
struct Header {
  std::string descr;
  bool fortran_order = false;
  std::vector<u64> shape;
};

/// Reads the dictionary literal. Its keys may be in any order; each must occur once.
class HeaderReader {
 public:
  explicit HeaderReader(std::string_view text) : text_(text) {}

  std::optional<Header> read() {
    Header header;
    bool has_descr = false, has_order = false, has_shape = false;
    if (!take('{')) return std::nullopt;
    while (!take('}')) {
      const auto key = string();
      if (!key || !take(':')) return std::nullopt;
      const auto once = [](bool& seen) { return !std::exchange(seen, true); };
      bool good = false;
      if (*key == "descr") {
        const auto value = string();
        good = value && once(has_descr);
        if (good) header.descr = *value;
      } else if (*key == "fortran_order") {
        header.fortran_order = word("True");
        good = (header.fortran_order || word("False")) && once(has_order);
      } else if (*key == "shape") {
        good = shape(header.shape) && once(has_shape);
      }
      if (!good || (!take(',') && !at('}'))) return std::nullopt;
    }
    if (!has_descr || !has_order || !has_shape) return std::nullopt;
    return header;
  }

 private:
  void skip_blanks() {
    while (!text_.empty() && (text_[0] == ' ' || text_[0] == '\n')) text_.remove_prefix(1);
  }
  bool at(char c) {
    skip_blanks();
    return text_.starts_with(c);
  }
  bool take(char c) {
    if (!at(c)) return false;
    text_.remove_prefix(1);
    return true;
  }
  bool word(std::string_view expected) {
    skip_blanks();
    if (!text_.starts_with(expected)) return false;
    text_.remove_prefix(expected.size());
    return true;
  }
  std::optional<std::string_view> string() {
    if (!at('\'') && !at('"')) return std::nullopt;
    const std::size_t end = text_.find(text_[0], 1);
    if (end == text_.npos) return std::nullopt;
    const std::string_view value = text_.substr(1, end - 1);
    text_.remove_prefix(end + 1);
    return value;
  }
  bool shape(std::vector<u64>& dimensions) {
    if (!take('(')) return false;
    while (!take(')')) {
      u64 value = 0;
      skip_blanks();
      const auto [end, error] = std::from_chars(text_.data(), text_.data() + text_.size(), value);
      if (error != std::errc{}) return false;
      text_.remove_prefix(static_cast<std::size_t>(end - text_.data()));
      dimensions.push_back(value);
      if (dimensions.size() > kMostDimensions) return false;
      if (!take(',') && !at(')')) return false;
    }
    return true;
  }

  std::string_view text_;
};

struct Descr {
  std::string_view text;
  Scalar type;
};

/// For each type, the first entry is the one that print_npy() writes.
constexpr Descr kDescrs[] = {
    {"|u1", Scalar::u8},   {"<u2", Scalar::u16}, {"<u4", Scalar::u32}, {"<u8", Scalar::u64},
    {"|i1", Scalar::s8},   {"<i2", Scalar::s16}, {"<i4", Scalar::s32}, {"<i8", Scalar::s64},
    {"<f2", Scalar::f16},  {"<f4", Scalar::f32}, {"<f8", Scalar::f64}, {"|b1", Scalar::u8},
    {"<u2", Scalar::bf16},
};

std::optional<Scalar> type_of(std::string_view descr) {
  for (const Descr& known : kDescrs) {
    if (known.text == descr) return known.type;
  }
  return std::nullopt;
}

std::string_view descr_of(Scalar type) {
  for (const Descr& known : kDescrs) {
    if (known.type == type) return known.text;
  }
  HEDDLE_UNREACHABLE();
}

/// The size in bytes of an array of that shape; nothing when it overflows.
std::optional<u64> size_of(Scalar type, const std::vector<u64>& shape) {
  u64 bytes = bytes_of(type);
  for (const u64 extent : shape) {
    if (__builtin_mul_overflow(bytes, extent, &bytes)) return std::nullopt;
  }
  return bytes;
}

u32 little_endian(std::string_view bytes) {
  u32 value = 0;
  for (std::size_t i = bytes.size(); i-- > 0;) value = value << 8 | static_cast<u8>(bytes[i]);
  return value;
}

}  // namespace

Result<Array> parse_npy(std::string_view file) {
  if (!file.starts_with(kMagic) || file.size() < 10) return Error{"is not a .npy file"};
  const u8 version = static_cast<u8>(file[6]);
  if (version != 1 && version != 2)
    return Error{fmt::format("has .npy version {}, only 1 and 2 are read", version)};
  const std::size_t length_bytes = version == 1 ? 2 : 4;
  if (file.size() < 8 + length_bytes) return Error{"ends inside its header"};
  const u64 header_bytes = little_endian(file.substr(8, length_bytes));
  std::string_view rest = file.substr(8 + length_bytes);
  if (rest.size() < header_bytes) return Error{"ends inside its header"};
  const auto header = HeaderReader(rest.substr(0, header_bytes)).read();
  if (!header)
    return Error{"has a header that is not {'descr': ..., 'fortran_order': ..., 'shape': ...}"};
  rest.remove_prefix(header_bytes);

  const auto type = type_of(header->descr);
  if (!type) {
    return Error{
        fmt::format("holds elements of type '{}'; only little-endian numbers of one kind are read",
                    header->descr)};
  }
  if (header->fortran_order && header->shape.size() > 1) {
    return Error{"is in Fortran order; save it with numpy.ascontiguousarray"};
  }
  const auto bytes = size_of(*type, header->shape);
  if (!bytes || *bytes != rest.size()) {
    return Error{fmt::format("has {} bytes of elements, its shape asks for {}", rest.size(),
                             bytes ? fmt::format("{}", *bytes) : "more than 2^64")};
  }
  return Array{*type, header->shape, {rest.begin(), rest.end()}};
}

std::string print_npy(const Array& array) {
  std::string shape;
  for (const u64 extent : array.shape) shape += fmt::format("{}, ", extent);
  if (array.shape.size() > 1) shape.resize(shape.size() - 2);
  std::string header = fmt::format("{{'descr': '{}', 'fortran_order': False, 'shape': ({}), }}",
                                   descr_of(array.type), shape);
  // The elements begin at a multiple of 64, the header ends with a newline.
  constexpr std::size_t kBefore = kMagic.size() + 4;
  header.append(63 - (kBefore + header.size()) % 64, ' ');
  header += '\n';
  std::string file(kMagic);
  file += {1, 0, static_cast<char>(header.size() & 0xff), static_cast<char>(header.size() >> 8)};
  file += header;
  file.append(array.bytes.begin(), array.bytes.end());
  return file;
}

}  // namespace heddle::cli
