// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "instruction.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>

#include "isa/match.h"

namespace heddle::matrices {
namespace {

std::vector<std::string> words_of(std::string_view mnemonic) {
  std::vector<std::string> words;
  while (!mnemonic.empty()) {
    const std::size_t end = std::min(mnemonic.find('.'), mnemonic.size());
    words.emplace_back(mnemonic.substr(0, end));
    mnemonic.remove_prefix(std::min(end + 1, mnemonic.size()));
  }
  return words;
}

/// The form of wgmma whose A is in registers; of other instructions the only one.
bool is_wanted(const isa::Form& form) {
  if (form.opcode != "wgmma") return true;
  return std::ranges::any_of(form.operands, [](const isa::OperandSpec& operand) {
    return operand.name == "a" && operand.vector_length > 1;
  });
}

void find_function(Instruction& to, const std::vector<std::string>& words) {
  std::vector<u16> numbers;
  for (std::size_t i = 1; i < words.size(); ++i)
    numbers.push_back(static_cast<u16>(isa::find_word(words[i])));
  for (const isa::Candidate& one : isa::match(words[0], numbers).candidates) {
    if (!is_wanted(*one.form)) continue;
    to.function = &machine::warp_function(isa::dispatch_index(*one.form, one.slot_values()));
    u32 i = 0;
    for (const u8 slot : one.form->runtime_slots) to.modifiers[i++] = one.values[slot];
    return;
  }
  fmt::print(stderr, "{}: there is no such instruction\n", to.mnemonic);
  std::exit(2);
}

u32 register_bits(isa::Type type, std::string_view kind) {
  const u32 bits = isa::type_info(type).bits;
  return bits < 8 && (kind == "f8f6f4" || kind == "mxf8f6f4") ? 8 : bits;
}

constexpr isa::Type kElements[] = {
    isa::Type::f64,  isa::Type::f32,  isa::Type::f16,  isa::Type::bf16,
    isa::Type::tf32, isa::Type::e4m3, isa::Type::e5m2, isa::Type::e3m2,
    isa::Type::e2m3, isa::Type::e2m1, isa::Type::s32,  isa::Type::s8,
    isa::Type::u8,   isa::Type::s4,   isa::Type::u4,   isa::Type::b1};

}  // namespace

u32 Instruction::bits_of_a() const { return register_bits(a, kind); }
u32 Instruction::bits_of_b() const { return register_bits(b, kind); }

Instruction find_instruction(const std::string& mnemonic) {
  Instruction result{};
  result.mnemonic = mnemonic;
  const std::vector<std::string> words = words_of(mnemonic);
  result.unit = words[0] == "mma"     ? Instruction::Unit::mma
                : words[0] == "wmma"  ? Instruction::Unit::wmma
                : words[0] == "wgmma" ? Instruction::Unit::wgmma
                                      : Instruction::Unit::tcgen05;
  std::vector<isa::Type> types;
  std::vector<std::string> layouts;
  for (const std::string& word : words) {
    const isa::Type type = isa::find_type(word);
    if (std::ranges::find(kElements, type) != std::end(kElements)) types.push_back(type);
    if (type == isa::Type::ue8m0 || type == isa::Type::ue4m3) result.scale = type;
    std::sscanf(word.c_str(), "m%un%uk%u", &result.m, &result.n, &result.k);
    std::sscanf(word.c_str(), "scale_vec::%uX", &result.scales);
    if (word.starts_with("kind::")) result.kind = word.substr(6);
    if (word == "row" || word == "col") layouts.push_back(word);
    if (word == "rz" || word == "rm" || word == "rp") result.rounding = word;
    result.sparse |= word.starts_with("sp");
    result.saturates |= word == "satfinite";
    result.counts_ands |= word == "and";
  }
  if (types.size() == 2) types = {types[0], isa::Type::f16, isa::Type::f16, types[1]};
  if (types.size() == 3) types.push_back(types[0]);  // wgmma, tcgen05
  result.d = types[0], result.a = types[1], result.b = types[2], result.c = types[3];
  if (layouts.size() == 2) result.row_a = layouts[0] == "row", result.row_b = layouts[1] == "row";
  if (result.unit != Instruction::Unit::tcgen05) find_function(result, words);
  return result;
}

std::vector<std::string> expand(std::string_view pattern) {
  const std::size_t open = pattern.find('{'), close = pattern.find('}');
  if (open == pattern.npos) return {std::string(pattern)};
  std::vector<std::string> all;
  std::string_view choices = pattern.substr(open + 1, close - open - 1);
  const std::vector<std::string> rest = expand(pattern.substr(close + 1));
  while (true) {
    const std::size_t comma = choices.find(',');
    for (const std::string& end : rest) {
      all.push_back(fmt::format("{}{}{}", pattern.substr(0, open), choices.substr(0, comma), end));
    }
    if (comma == choices.npos) return all;
    choices.remove_prefix(comma + 1);
  }
}

}  // namespace heddle::matrices
