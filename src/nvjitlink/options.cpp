// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See options.h.
#include "nvjitlink/options.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <optional>

#include "base/spelling.h"
#include "isa/entry.h"

namespace heddle::nvjitlink {
namespace {

enum class Value : u8 { none, any, number, flag };

struct Known {
  std::string_view name;
  Value value;
};
constexpr Known kKnown[] = {
    {"-arch", Value::any},
    {"-maxrregcount", Value::number},
    {"-time", Value::none},
    {"-verbose", Value::none},
    {"-lto", Value::none},
    {"-ptx", Value::none},
    {"-g", Value::none},
    {"-lineinfo", Value::none},
    {"-ftz", Value::flag},
    {"-prec-div", Value::flag},
    {"-prec-sqrt", Value::flag},
    {"-fma", Value::flag},
    {"-kernels-used", Value::any},
    {"-variables-used", Value::any},
    {"-optimize-unused-variables", Value::none},
    {"-Xptxas", Value::any},
    {"-split-compile", Value::number},
    {"-split-compile-extended", Value::number},
    {"-jump-table-density", Value::number},
    {"-no-cache", Value::none},
    {"-device-stack-protector", Value::none},
    {"-O0", Value::none},
    {"-O3", Value::none},
};

std::optional<u32> number(std::string_view text) {
  u32 value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

bool is_flag(std::string_view text) {
  return text == "0" || text == "1" || text == "true" || text == "false";
}

struct Word {
  std::string_view whole, name, value;
  bool has_value;
};

Word split(std::string_view whole) {
  const auto equals = whole.find('=');
  if (equals == whole.npos) return {whole, whole, "", false};
  return {whole, whole.substr(0, equals), whole.substr(equals + 1), true};
}

std::string unknown(std::string_view name) {
  Spelling spelling(name, true);
  for (const Known& known : kKnown) spelling.consider(known.name);
  const std::string question = spelling.question();
  return fmt::format("unrecognized option: {}{}", name, question.empty() ? "" : "; " + question);
}

/// Why the value does not fit; empty: it does.
std::string refuse_value(const Word& word, Value wanted) {
  if (wanted == Value::none)
    return word.has_value ? fmt::format("option {} takes no value", word.name) : "";
  if (!word.has_value || word.value.empty())
    return fmt::format("option {} needs a value: {}=...", word.name, word.name);
  if (wanted == Value::number && !number(word.value))
    return fmt::format("the value of {} is no number: {}", word.name, word.value);
  if (wanted == Value::flag && !is_flag(word.value))
    return fmt::format("the value of {} is neither 0 nor 1: {}", word.name, word.value);
  return {};
}

nvJitLinkResult set_arch(std::string_view value, Options& options, std::string& why) {
  std::string name(value);
  options.is_virtual = name.starts_with("compute_");
  if (options.is_virtual) name.replace(0, 8, "sm_");
  const auto target = isa::parse_target(name);
  if (!target || !isa::find_target(*target)) {
    why = fmt::format("-arch={}: no such architecture", value);
    return NVJITLINK_ERROR_UNRECOGNIZED_ARCH;
  }
  options.arch = *target;
  return NVJITLINK_SUCCESS;
}

/// -Xptxas: of the assembler's options, those that matter here.
void pass_to_assembler(std::string_view option, Options& options) {
  if (option == "-v" || option == "--verbose") options.assembler_is_verbose = true;
  const Word word = split(option);
  if (word.name == "-fmad" || word.name == "--fmad") options.contract = word.value != "false";
  if (word.name == "-maxrregcount" || word.name == "--maxrregcount")
    options.max_registers = number(word.value).value_or(0);
}

}  // namespace

nvJitLinkResult parse(std::span<const char* const> words, Options& options, std::string& why) {
  for (const char* const text : words) {
    if (!text) {
      why = "an option is a null pointer";
      return NVJITLINK_ERROR_NULL_INPUT;
    }
    const Word word = split(text);
    const auto known = std::ranges::find(kKnown, word.name, &Known::name);
    if (known == std::end(kKnown)) {
      why = unknown(word.name);
      return NVJITLINK_ERROR_UNRECOGNIZED_OPTION;
    }
    if (why = refuse_value(word, known->value); !why.empty())
      return NVJITLINK_ERROR_UNRECOGNIZED_OPTION;
    if (word.name == "-arch") {
      if (const auto bad = set_arch(word.value, options, why)) return bad;
    }
    if (word.name == "-maxrregcount") options.max_registers = *number(word.value);
    if (word.name == "-Xptxas") pass_to_assembler(word.value, options);
    if (word.name == "-verbose") options.verbose = options.assembler_is_verbose = true;
    options.time |= word.name == "-time";
    options.lto |= word.name == "-lto";
    options.ptx |= word.name == "-ptx";
  }
  if (!options.arch.sm) {
    why = "the option -arch=sm_NN is missing";
    return NVJITLINK_ERROR_MISSING_ARCH;
  }
  if (options.ptx && !options.lto) {
    why = "-ptx requires -lto";
    return NVJITLINK_ERROR_INCOMPATIBLE_OPTIONS;
  }
  if (options.is_virtual && !options.ptx) {
    why = "a virtual architecture requires -ptx";
    return NVJITLINK_ERROR_INCOMPATIBLE_OPTIONS;
  }
  return NVJITLINK_SUCCESS;
}

}  // namespace heddle::nvjitlink
