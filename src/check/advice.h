// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Helps in messages, for users who know another language or who confused two modifiers. These
// functions run only after a mistake, so they need not be fast.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <string_view>

#include "base/types.h"
#include "isa/match.h"

namespace heddle::check {

/// "did you mean '.b32'?": the types of variables that are spelt similarly to `word`; empty when
/// there are none.
std::string like_a_type(std::string_view word);
/// As like_a_type(), for the modifiers of an instruction. `types`: its types are included.
std::string like_a_modifier(std::string_view opcode, std::string_view word, bool types);
/// A help for a type of LLVM or C++: "i32" -> "the PTX types are .s32 and .u32"; empty for any
/// other word.
std::string about_foreign_type(std::string_view word);

/// A help for a target that does not exist: targets that are spelt similarly, or the nearest
/// architectures; empty when there are none.
std::string about_target(std::string_view name);

/// Why one of the `wanted` modifiers is required, and which one has the semantics of C++; empty
/// when there is no such help.
std::string_view about_choice(std::span<const u16> wanted);

/// The word without which `words[word]` would fit, or -1.
int conflicting_word(std::string_view opcode, std::span<const u16> words, int word);

/// For a form that version or target refuse: words that turn it into a form for which `is_open`
/// holds, as ".approx, .full or .rn"; empty when there are none, or too many for a help.
std::string opening_words(std::string_view opcode, std::span<const u16> words,
                          const std::function<bool(const isa::Candidate&)>& is_open);

}  // namespace heddle::check
