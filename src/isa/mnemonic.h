// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A written mnemonic, split at its dots.
#pragma once

#include <string_view>
#include <utility>
#include <vector>

#include "isa/form.h"

namespace heddle::isa {

struct MnemonicParts {
  std::string_view opcode;  ///< part of the given text
  std::vector<u16> words;   ///< the modifiers, for match(); kNoWord: no instruction has it
  std::vector<std::pair<u32, u32>> word_at;  ///< of each: offset of its dot, and length with it
  s32 bank = -1;                             ///< of `ld.const[2]` in PTX 1.x
};

MnemonicParts take_apart(std::string_view mnemonic);

}  // namespace heddle::isa
