// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "case_file.h"

#include <fmt/format.h>

#include <bit>
#include <charconv>
#include <fstream>

#include "isa/sem/softfloat.h"

namespace heddle::isa_cases {
namespace {

using isa::Type;
using isa::TypeClass;

std::vector<std::string_view> split(std::string_view text, char at) {
  std::vector<std::string_view> parts;
  for (std::size_t end; (end = text.find(at)) != text.npos; text.remove_prefix(end + 1))
    parts.push_back(text.substr(0, end));
  parts.push_back(text);
  return parts;
}

std::vector<std::string_view> columns_of_list(std::string_view text) {
  return text == "-" ? std::vector<std::string_view>{} : split(text, ' ');
}

std::optional<u64> parse_unsigned(std::string_view digits, int base) {
  u64 value = 0;
  const auto [end, error] =
      std::from_chars(digits.data(), digits.data() + digits.size(), value, base);
  if (digits.empty() || error != std::errc{} || end != digits.data() + digits.size())
    return std::nullopt;
  return value;
}

u64 mask_of(u32 bits) { return bits >= 64 ? ~u64{0} : (u64{1} << bits) - 1; }

/// A real number in the format of a floating-point type; nothing for other types.
std::optional<u64> encode(Type type, double value) {
  using namespace sem;
  const u64 bits = std::bit_cast<u64>(value);
  const auto narrow = [&]<class F>(F) -> u64 {
    return soft_convert<F, FormatF64>(bits, Round::nearest_even);
  };
  switch (type) {
    case Type::f16:
      return narrow(FormatF16{});
    case Type::bf16:
      return narrow(FormatBf16{});
    case Type::f32:
      return narrow(FormatF32{});
    case Type::f64:
      return bits;
    default:
      return std::nullopt;
  }
}

u64 canonical_nan(Type type) {
  switch (type) {
    case Type::f16:
    case Type::bf16:
      return 0x7fff;
    case Type::f64:
      return 0x7ff8000000000000;
    default:
      return 0x7fffffff;
  }
}

bool parse_scalar(std::string_view text, Element& element) {
  const u32 width = isa::type_info(element.type).bits;
  const auto set = [&](std::optional<u64> bits) {
    if (bits) element.bits.lo = *bits & mask_of(width);
    return bits.has_value();
  };
  const auto has_prefix = [&](std::string_view prefix) {
    return text.starts_with(prefix) && text.size() > 2;
  };
  if (text == "_") return element.any = true;
  if (text == "true" || text == "false") return set(text == "true");
  if (text == "nan") {
    element.any_nan = true;
    return set(canonical_nan(element.type));
  }
  if (has_prefix("0x")) {
    std::string_view digits = text.substr(2);
    if (digits.size() > 16) {
      const auto high = parse_unsigned(digits.substr(0, digits.size() - 16), 16);
      if (!high) return false;
      element.bits.hi = *high;
      digits.remove_prefix(digits.size() - 16);
    }
    return set(parse_unsigned(digits, 16));
  }
  if (has_prefix("0b")) return set(parse_unsigned(text.substr(2), 2));
  if (has_prefix("0f") || has_prefix("0d")) {
    const auto bits = parse_unsigned(text.substr(2), 16);
    if (!bits) return false;
    const bool same = width == (text[1] == 'f' ? 32 : 64);
    return set(same ? bits
                    : encode(element.type, text[1] == 'f'
                                               ? std::bit_cast<float>(static_cast<u32>(*bits))
                                               : std::bit_cast<double>(*bits)));
  }
  double real = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), real);
  const bool is_real = !text.empty() && error == std::errc{} && end == text.data() + text.size();
  if (is_real) {
    if (const auto bits = encode(element.type, real)) return set(bits);
  }
  const bool negative = text.starts_with('-');
  const auto magnitude = parse_unsigned(text.substr(negative), 10);
  return set(magnitude && negative ? std::optional(u64{0} - *magnitude) : magnitude);
}

/// `spec` is "name:type", "name:type*length", "name:imm" or "name:lanes"; a minus before it and a
/// word after it (`-a:u32.b0`) belong to the operand.
bool parse_value(std::string_view spec, std::string_view text, Value& value) {
  value.minus = spec.starts_with('-');
  spec.remove_prefix(value.minus);
  if (const std::size_t dot = spec.find('.'); dot != spec.npos) {
    value.suffix = spec.substr(dot + 1);
    spec = spec.substr(0, dot);
  }
  const std::size_t colon = spec.find(':');
  if (colon == spec.npos) return false;
  value.name = spec.substr(0, colon);
  const std::string_view type_name = spec.substr(colon + 1, spec.find('*') - colon - 1);
  value.lanes = type_name == "lanes";
  Element element;
  element.immediate = type_name == "imm" || value.lanes;
  element.type = element.immediate ? Type::b32 : isa::find_type(type_name);
  if (element.type == Type::none) return false;
  value.braces = text.starts_with('{') && text.ends_with('}');
  const auto parts = value.braces ? split(text.substr(1, text.size() - 2), ',') : std::vector{text};
  for (const std::string_view part : parts) {
    value.elements.push_back(element);
    if (!parse_scalar(part, value.elements.back())) return false;
  }
  const std::size_t star = spec.find('*');
  const auto length =
      star == spec.npos ? std::optional<u64>(1) : parse_unsigned(spec.substr(star + 1), 10);
  return length == value.elements.size();
}

std::optional<std::string> parse_values(std::string_view specs, std::string_view texts,
                                        std::vector<Value>& values) {
  const auto names = columns_of_list(specs), written = columns_of_list(texts);
  if (names.size() != written.size()) {
    return fmt::format("{} operands but {} values: '{}' and '{}'", names.size(), written.size(),
                       specs, texts);
  }
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (!parse_value(names[i], written[i], values.emplace_back()))
      return fmt::format("'{}' is no value of {}", written[i], names[i]);
  }
  return std::nullopt;
}

/// Marks the elements whose registers may be wider than their type.
void mark_wide(const isa::Form& form, std::vector<Value>& values) {
  for (Value& value : values) {
    for (const isa::OperandSpec& spec : form.operands) {
      if (spec.name != value.name) continue;
      for (Element& element : value.elements) element.wide = spec.wide;
    }
  }
}

/// The form with that number, with the slot values of the mnemonic.
std::optional<isa::Candidate> find_form(std::string_view number, std::string_view mnemonic) {
  const auto id = parse_unsigned(number, 10);
  const std::size_t dot = mnemonic.find('.');
  std::vector<u16> words;
  // Split at every dot: no single word contains a dot ("xorsign.abs" are two words).
  if (dot != mnemonic.npos) {
    for (const std::string_view word : split(mnemonic.substr(dot + 1), '.')) {
      const int found = isa::find_word(word);
      words.push_back(found < 0 ? isa::kNoWord : static_cast<u16>(found));
    }
  }
  const isa::Match match = isa::match(mnemonic.substr(0, dot), words);
  for (const isa::Candidate& candidate : match.candidates) {
    if (candidate.form->id == id) return candidate;
  }
  return std::nullopt;
}

}  // namespace

CaseFile read_cases(const std::string& path) {
  CaseFile file;
  std::ifstream stream(path);
  if (!stream) file.errors.push_back("cannot open " + path);
  int number = 0;
  for (std::string line; std::getline(stream, line);) {
    ++number;
    if (line.empty() || line[0] == '#') continue;
    const auto columns = split(line, '\t');
    const auto complain = [&](std::string_view why) {
      file.errors.push_back(fmt::format("{}:{}: {}", path, number, why));
    };
    if (columns.size() != 7) {
      complain("a case has 7 columns");
      continue;
    }
    const auto form = find_form(columns[0], columns[1]);
    if (!form) {
      complain(fmt::format("{} does not match form {}", columns[1], columns[0]));
      continue;
    }
    Case result{*form, std::string(columns[1]), {}, {}, std::string(columns[6])};
    auto error = parse_values(columns[2], columns[5], result.outputs);
    if (!error) error = parse_values(columns[3], columns[4], result.inputs);
    mark_wide(*form->form, result.outputs);
    mark_wide(*form->form, result.inputs);
    if (error) {
      complain(*error);
    } else {
      file.cases.push_back(std::move(result));
    }
  }
  return file;
}

bool is_as_expected(const Element& expected, Bits got) {
  if (expected.any) return true;
  if (!expected.any_nan) return got == expected.bits;
  const u64 infinity = *encode(expected.type, __builtin_inf());
  const u64 magnitude = mask_of(isa::type_info(expected.type).bits) >> 1;
  return (got.lo & magnitude) > infinity;
}

std::string print(Type type, Bits bits) {
  if (type == Type::pred) return bits.lo ? "true" : "false";
  const u32 width = isa::type_info(type).bits;
  if (width == 128) return fmt::format("0x{:016x}{:016x}", bits.hi, bits.lo);
  return fmt::format("0x{:0{}x}", bits.lo, width / 4);
}

}  // namespace heddle::isa_cases
