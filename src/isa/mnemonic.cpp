// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "isa/mnemonic.h"

#include <algorithm>
#include <charconv>

namespace heddle::isa {

MnemonicParts take_apart(std::string_view mnemonic) {
  MnemonicParts parts;
  std::size_t at = std::min(mnemonic.find('.'), mnemonic.size());
  parts.opcode = mnemonic.substr(0, at);
  while (at < mnemonic.size()) {
    const std::size_t end = std::min(mnemonic.find('.', at + 1), mnemonic.size());
    std::string_view word = mnemonic.substr(at + 1, end - at - 1);
    if (const std::size_t bracket = word.find('['); bracket != std::string_view::npos) {
      parts.bank = 0;
      std::from_chars(word.data() + bracket + 1, word.data() + word.size(), parts.bank);
      word = word.substr(0, bracket);
    }
    const int id = find_word(word);
    parts.words.push_back(id < 0 ? kNoWord : static_cast<u16>(id));
    parts.word_at.emplace_back(static_cast<u32>(at), static_cast<u32>(end - at));
    at = end;
  }
  return parts;
}

}  // namespace heddle::isa
