// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What to say to people who know another language, or who mixed two modifiers up. Only asked after
// a mistake, so nothing here needs to be fast.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <string_view>

#include "base/types.h"
#include "isa/match.h"

namespace heddle::check {

/// "did you mean '.b32'?": the types of variables that a misspelt one is near to, if it is.
std::string like_a_type(std::string_view word);
/// The same for the modifiers of an instruction, its types among them or not.
std::string like_a_modifier(std::string_view opcode, std::string_view word, bool types);
/// A help for a type of LLVM or C++: "i32" -> "the PTX types are .s32 and .u32"; empty for a
/// word that is none.
std::string about_foreign_type(std::string_view word);

/// What may have been meant by a target that does not exist: one that is spelt nearly so, or the
/// architectures beside it; empty when nothing is near.
std::string about_target(std::string_view name);

/// Why one of the `wanted` modifiers has to be chosen, and which one does what C++ does; empty when
/// there is nothing to say.
std::string_view about_choice(std::span<const u16> wanted);

/// The word without which `words[word]` would fit, or -1.
int conflicting_word(std::string_view opcode, std::span<const u16> words, int word);

/// For a form that version or target refuse: ".approx, .full or .rn" when one of these words makes
/// it one that `is_open`; empty when there are none, or too many to be of help.
std::string opening_words(std::string_view opcode, std::span<const u16> words,
                          const std::function<bool(const isa::Candidate&)>& is_open);

}  // namespace heddle::check
