// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The tables that the generated isa/tables.cpp defines for the look-ups of this folder, beside the
// public tables.
#pragma once

#include <span>
#include <string_view>

#include "isa/entry.h"
#include "isa/form.h"
#include "isa/special_registers.h"  // generated

namespace heddle::isa::tables {

std::span<const std::string_view> words();
/// First form of each opcode, and the number of forms at the end.
std::span<const u16> opcode_first();

// Hash tables for find_in(): of opcodes(), words(), the names of the types from enumerator 1,
// special_registers().
std::span<const u16> opcode_hash();
std::span<const u16> word_hash();
std::span<const u16> type_hash();
std::span<const u16> register_hash();

/// FNV-1a; scripts/isagen_lib/emit_tables.py fills the tables with the same function.
constexpr u32 hash_text(std::string_view text) {
  u32 value = 0x811c9dc5u;
  for (char c : text) value = (value ^ static_cast<u8>(c)) * 0x01000193u;
  return value;
}

/// The position of `text` among the names of the hash table, or -1. `name_at(i)` is the i-th name.
template <class NameAt>
int find_in(std::span<const u16> table, std::string_view text, NameAt name_at) {
  std::size_t mask =
      table.size() - 1;  // open addressing in a power of two; entries are position + 1
  for (std::size_t place = hash_text(text) & mask; table[place] != 0; place = (place + 1) & mask)
    if (name_at(table[place] - 1) == text) return table[place] - 1;
  return -1;
}

}  // namespace heddle::isa::tables
