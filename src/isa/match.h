// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// From the modifiers as they are written to the forms that they may mean. Modifiers are a set (the
// vendor's assembler takes them in any order); only types, and words that a form has in two places,
// keep their order, because `cvt.s32.f32` is not `cvt.f32.s32` and `mma.row.col` not `mma.col.row`.
#pragma once

#include <array>
#include <functional>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "isa/form.h"

namespace heddle::isa {

/// A form that the written modifiers fit, and what they choose in it.
struct Candidate {
  const Form* form;
  std::array<u8, kMaxSlots> values{};  ///< by slot; 0: absent. Derived slots too.

  std::span<const u8> slot_values() const { return {values.data(), form->slots.size()}; }
};

/// Why no form fits. `nearest` is the form that comes closest, null only for the first three
/// reasons.
struct Mismatch {
  enum class Reason : u8 {
    unknown_opcode,
    unknown_modifier,  ///< `word`: no instruction has it
    not_of_opcode,     ///< `word`: no form of this opcode has it
    not_with_others,   ///< `word`: some form has it, but not together with the other modifiers
    repeated,          ///< `word`: is there twice
    misplaced,         ///< `word`: belongs to the opcode, so it comes before the word before it
    type,              ///< `word` is a type that `slot` does not accept
    missing,           ///< no word for the required `slot`
    combination,       ///< each word is fine, but no row of the form has them together
    rule,              ///< `rule` is broken
  };
  Reason reason;
  const Form* nearest = nullptr;
  int word = -1;  ///< index into the written words
  int slot = -1;  ///< index into nearest->slots; its choices are what could have been written
  const Rule* rule = nullptr;  ///< of `nearest`
  std::vector<u16> wanted{};   ///< missing: the words any one of which some form needs here
};

struct Match {
  std::vector<Candidate> candidates;  ///< in table order; operands and gates decide among them
  std::optional<Mismatch> mismatch;   ///< set exactly when there is no candidate
};

/// A legal form near to modifiers that are not, and what it takes to get there.
struct Nearest {
  Candidate candidate;
  std::vector<u16> added;
  std::vector<int> removed;  ///< indices into the written words
};

/// `words` are the modifiers as written, as find_word() gives them; kNoWord stands for an unknown
/// one.
Match match(std::string_view opcode, std::span<const u16> words);

/// Whether a form is one that is wanted: see nearest().
using Fits = std::function<bool(const Candidate&)>;

/// The legal forms of `opcode` with the fewest modifiers added to and removed from `words`; those
/// with a type like the one removed come first, otherwise in table order. None when there are more
/// than kMaxSlots words, which are near to nothing.
/// Those that `fits`, when there is one and it holds for some of them, are the only ones.
std::vector<Nearest> nearest(std::string_view opcode, std::span<const u16> words,
                             const Fits& fits = nullptr);

}  // namespace heddle::isa
