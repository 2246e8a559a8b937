// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Matches written modifiers with forms. Modifiers are a set (the vendor's assembler accepts them in
// any order); only types, and words that a form has in two places, keep their order, because
// `cvt.s32.f32` is not `cvt.f32.s32` and `mma.row.col` not `mma.col.row`.
#pragma once

#include <array>
#include <functional>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "isa/form.h"

namespace heddle::isa {

/// A form that matches the written modifiers, and its slot values.
struct Candidate {
  const Form* form;
  std::array<u8, kMaxSlots> values{};  ///< by slot; 0: absent. Derived slots too.

  std::span<const u8> slot_values() const { return {values.data(), form->slots.size()}; }
};

/// Why no form matches. `nearest` is the form with the fewest differences, null only for the first
/// three reasons.
struct Mismatch {
  enum class Reason : u8 {
    unknown_opcode,
    unknown_modifier,  ///< `word`: no instruction has it
    not_of_opcode,     ///< `word`: no form of this opcode has it
    not_with_others,   ///< `word`: some form has it, but not together with the other modifiers
    repeated,          ///< `word`: is written twice
    misplaced,         ///< `word`: belongs to the opcode, and must come before the preceding word
    type,              ///< `word` is a type that `slot` does not accept
    missing,           ///< no word for the required `slot`
    combination,       ///< each word is legal, but no row of the form has them together
    rule,              ///< `rule` is broken
  };
  Reason reason;
  const Form* nearest = nullptr;
  int word = -1;               ///< index into the written words
  int slot = -1;               ///< index into nearest->slots; its choices are the legal words
  const Rule* rule = nullptr;  ///< of `nearest`
  std::vector<u16> wanted{};   ///< missing: words, any one of which completes the mnemonic
};

struct Match {
  std::vector<Candidate> candidates;  ///< in table order; operands and gates decide among them
  std::optional<Mismatch> mismatch;   ///< set exactly when there is no candidate
};

/// A legal form near illegal modifiers, and its differences from them.
struct Nearest {
  Candidate candidate;
  std::vector<u16> added;
  std::vector<int> removed;  ///< indices into the written words
};

/// `words` are the modifiers as written, as find_word() gives them; kNoWord stands for an unknown
/// one.
Match match(std::string_view opcode, std::span<const u16> words);

/// Whether nearest() may return a form.
using Fits = std::function<bool(const Candidate&)>;

/// The legal forms of `opcode` with the fewest modifiers added to and removed from `words`; those
/// with a type like the one removed come first, otherwise in table order. None when there are more
/// than kMaxSlots words. If `fits` is given and holds for some of the forms, only these are
/// returned.
std::vector<Nearest> nearest(std::string_view opcode, std::span<const u16> words,
                             const Fits& fits = nullptr);

}  // namespace heddle::isa
