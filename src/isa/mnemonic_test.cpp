// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "isa/mnemonic.h"

#include <gtest/gtest.h>

#include <string>

namespace heddle::isa {
namespace {

/// "ld | global@2+7 v4@9+3": the opcode, the words with their places, the bank.
std::string show(std::string_view mnemonic) {
  const MnemonicParts parts = take_apart(mnemonic);
  std::string text = std::string(parts.opcode) + " |";
  for (std::size_t i = 0; i < parts.words.size(); ++i) {
    const std::string_view word = parts.words[i] == kNoWord ? "?" : word_text(parts.words[i]);
    const auto [at, length] = parts.word_at[i];
    text += ' ' + std::string(word) + '@' + std::to_string(at) + '+' + std::to_string(length);
  }
  if (parts.bank >= 0) text += " bank " + std::to_string(parts.bank);
  return text;
}

TEST(Mnemonic, Parts) {
  constexpr struct {
    const char* mnemonic;
    const char* parts;
  } kCases[] = {
      {"ret", "ret |"},
      {"add.u32", "add | u32@3+4"},
      {"ld.global.L1::evict_last.v4.f32", "ld | global@2+7 L1::evict_last@9+15 v4@24+3 f32@27+4"},
      {"ld.const[2].u32", "ld | const@2+9 u32@11+4 bank 2"},
      {"add.frob.u32", "add | ?@3+5 u32@8+4"},
      {"add.", "add | ?@3+1"},
      {"", " |"},
  };
  for (const auto& one : kCases) EXPECT_EQ(show(one.mnemonic), one.parts) << one.mnemonic;
}

}  // namespace
}  // namespace heddle::isa
