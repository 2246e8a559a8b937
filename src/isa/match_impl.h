// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What matching modifiers and explaining a mismatch share.
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
/// from left to right: `slot` takes none when such a slot after it has one already. What belongs to
/// the opcode comes in its order before everything else.
bool is_passed(const Form& form, std::size_t slot, const Values& values);
/// Finds a slot for each of `words`, whether or not all that must be written then is.
bool place(const Form& form, Words words, Values& values);
/// The same; what must be written is.
bool fill(const Form& form, Words words, Values& values);
/// Every way in which the rows allow `values`, with the derived slots filled.
std::vector<Values> derive(const Form& form, const Values& values);
const Rule* broken_rule(const Form& form, const Values& values);

/// Why the words, which no form takes, do not fit.
Mismatch explain(std::span<const Form> forms, Words words);

}  // namespace heddle::isa
