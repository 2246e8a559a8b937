// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The words of the grammar. They are interned first, in this order, so that in a Tree of the parser
// the NameId of a word equals its Word: one switch finds a directive. PTX ISA 4.3.1 table 1, 5.1,
// 5.4, chapter 11. Types, opcodes and modifiers are not words: the parser does not know them.
#pragma once

#include <array>
#include <string_view>

#include "base/names.h"

namespace heddle::syntax {

enum class WordClass : u8 {
  space,      ///< declares variables
  linkage,    ///< 11.6
  statement,  ///< begins a statement
  tuning,     ///< belongs to a function header (11.4, 11.7, 11.8)
  other,      ///< used within statements only
};

// X(enumerator, text, class)
#define HEDDLE_SYNTAX_WORDS(X)                            \
  X(reg, "reg", space)                                    \
  X(sreg, "sreg", space)                                  \
  X(const_, "const", space)                               \
  X(global, "global", space)                              \
  X(local, "local", space)                                \
  X(param, "param", space)                                \
  X(shared, "shared", space)                              \
  X(tex, "tex", space)                                    \
  X(extern_, "extern", linkage)                           \
  X(visible, "visible", linkage)                          \
  X(weak, "weak", linkage)                                \
  X(common, "common", linkage)                            \
  X(version, "version", statement)                        \
  X(target, "target", statement)                          \
  X(address_size, "address_size", statement)              \
  X(entry, "entry", statement)                            \
  X(func, "func", statement)                              \
  X(alias, "alias", statement)                            \
  X(branchtargets, "branchtargets", statement)            \
  X(calltargets, "calltargets", statement)                \
  X(callprototype, "callprototype", statement)            \
  X(pragma, "pragma", statement)                          \
  X(loc, "loc", statement)                                \
  X(file, "file", statement)                              \
  X(section, "section", statement)                        \
  X(maxnreg, "maxnreg", tuning)                           \
  X(maxntid, "maxntid", tuning)                           \
  X(reqntid, "reqntid", tuning)                           \
  X(minnctapersm, "minnctapersm", tuning)                 \
  X(maxnctapersm, "maxnctapersm", tuning)                 \
  X(noreturn, "noreturn", tuning)                         \
  X(abi_preserve, "abi_preserve", tuning)                 \
  X(abi_preserve_control, "abi_preserve_control", tuning) \
  X(reqnctapercluster, "reqnctapercluster", tuning)       \
  X(explicitcluster, "explicitcluster", tuning)           \
  X(maxclusterrank, "maxclusterrank", tuning)             \
  X(blocksareclusters, "blocksareclusters", tuning)       \
  X(align, "align", other)                                \
  X(attribute, "attribute", other)                        \
  X(managed, "managed", other)                            \
  X(unified, "unified", other)                            \
  X(ptr, "ptr", other)                                    \
  X(hidden, "hidden", other)                              \
  X(texref, "texref", other)                              \
  X(samplerref, "samplerref", other)                      \
  X(surfref, "surfref", other)                            \
  X(v2, "v2", other)                                      \
  X(v4, "v4", other)                                      \
  X(v8, "v8", other)                                      \
  X(s64, "s64", other)                                    \
  X(u64, "u64", other)                                    \
  X(generic, "generic", other)                            \
  X(function_name, "function_name", other)                \
  X(inlined_at, "inlined_at", other)                      \
  X(sink, "_", other)                                     \
  X(warp_sz, "WARP_SZ", other)

enum class Word : u32 {
#define X(id, text, word_class) id,
  HEDDLE_SYNTAX_WORDS(X)
#undef X
};

struct WordInfo {
  std::string_view text;
  WordClass word_class;
};
inline constexpr std::array kWords = {
#define X(id, text, word_class) WordInfo{text, WordClass::word_class},
    HEDDLE_SYNTAX_WORDS(X)
#undef X
};

inline void intern_words(Names& names) {
  for (const WordInfo& word : kWords) names.intern(word.text);
}

constexpr NameId id_of(Word word) { return NameId(static_cast<std::size_t>(word)); }
/// Valid for names of a Tree that intern_words() began.
constexpr bool is_word(NameId id) { return id.value < kWords.size(); }
constexpr Word word_of(NameId id) { return static_cast<Word>(id.value); }
constexpr WordClass class_of(Word word) {
  return kWords[static_cast<std::size_t>(word)].word_class;
}

/// Whether `.text` is a directive of that class.
inline bool is_directive(std::string_view text, WordClass word_class) {
  for (const WordInfo& word : kWords) {
    if (word.text == text) return word.word_class == word_class;
  }
  return false;
}

/// Whether `.text` has the shape of a type, known or not: .b32, .f16, .pred.
inline bool looks_like_type(std::string_view text) {
  return text == "pred" || (text.size() > 1 && text[1] >= '0' && text[1] <= '9' &&
                            std::string_view("busf").find(text[0]) != text.npos);
}

/// Whether `.text` may begin a statement.
inline bool begins_statement(std::string_view text) {
  for (const WordInfo& word : kWords) {
    if (word.text == text) return word.word_class <= WordClass::statement;
  }
  return false;
}

}  // namespace heddle::syntax
