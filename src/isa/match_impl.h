// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Functions that matching and the explanation of a mismatch share.
#pragma once

#include "isa/match.h"

namespace heddle::isa {

using Values = std::array<u8, kMaxSlots>;
using Words = std::span<const u16>;

bool is_type(u16 word);
/// Slots that may hold a type are filled from left to right.
bool is_typed(const Slot& slot);
/// Whether a word in the mnemonic may set the slot.
bool in_mnemonic(const Slot& slot);
bool must_be_written(const Slot& slot);
/// The value that `word` stands for in `slot`, or 0.
u8 value_of(const Slot& slot, u16 word);
/// Index of the first slot that must be written and is not, or -1.
int first_missing(const Form& form, const Values& values);
/// Types, and words that mean different things in different places (`.row.col`), fill their slots
/// from left to right: `slot` takes no word if a later slot of this kind has one already. Words of
/// the opcode come first, in their order.
bool is_passed(const Form& form, std::size_t slot, const Values& values);
/// Finds a slot for each of `words`; required slots may stay empty.
bool place(const Form& form, Words words, Values& values);
/// As place(), but every required slot must have a word.
bool fill(const Form& form, Words words, Values& values);
/// `values` with the derived slots filled, in every way that the rows allow.
std::vector<Values> derive(const Form& form, const Values& values);
const Rule* broken_rule(const Form& form, const Values& values);

/// The reason why no form matches the words.
Mismatch explain(std::span<const Form> forms, Words words);

}  // namespace heddle::isa
