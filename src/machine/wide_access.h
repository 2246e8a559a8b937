// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// 128 bits of memory as one access (PTX ISA 8.7.2, 8.10.3), indivisible also to atomics of other
// sizes that overlap it; and accesses that other threads may race with.
#pragma once

#include <algorithm>
#include <cstring>

#include "base/types.h"

namespace heddle::machine {

__extension__ typedef unsigned __int128 WideBits;

WideBits load_wide(u64 address);
void store_wide(u64 address, WideBits value);
WideBits exchange_wide(u64 address, WideBits value);
/// Stores `value` if the memory holds `expected`. Returns the old value.
WideBits compare_exchange_wide(u64 address, WideBits expected, WideBits value);

template <class Word>
Word load_word(u64 address) {
  if constexpr (sizeof(Word) > 8)
    return load_wide(address);
  else
    return __atomic_load_n(reinterpret_cast<const Word*>(address), __ATOMIC_ACQUIRE);
}
template <class Word>
void store_word(u64 address, Word value) {
  if constexpr (sizeof(Word) > 8)
    store_wide(address, value);
  else
    __atomic_store_n(reinterpret_cast<Word*>(address), value, __ATOMIC_RELEASE);
}

/// Calls f(Word()) with the unsigned integer type of `bytes` bytes, at most 8.
template <class F>
void with_word(u32 bytes, F f) {
  switch (bytes) {
    case 1:
      return f(u8{});
    case 2:
      return f(u16{});
    case 4:
      return f(u32{});
    default:
      return f(u64{});
  }
}
/// Calls f(Word()) with the type in which GPUs access `bytes` bytes of a lane, at most 16.
template <class F>
void with_word_of(u32 bytes, F f) {
  return bytes > 8 ? f(WideBits{}) : with_word(bytes, f);
}

/// Loads the elements of a lane, `bytes` in all, which other threads may write meanwhile. `bytes`
/// is a power of two, and the address a multiple of it. By the memory model, a vector access is
/// several accesses in any order (8.2.2), but GPUs access a vector at once, and programs rely on
/// that (a state and a number in one vector). The load is an acquire load, which is stronger than
/// necessary but free on x86.
inline void load_ordered(u64 address, void* elements, u32 bytes) {
  with_word_of(bytes, [&]<class Word>(Word) {
    for (u32 at = 0; at < bytes; at += sizeof(Word)) {
      const Word word = load_word<Word>(address + at);
      std::memcpy(static_cast<u8*>(elements) + at, &word, sizeof word);
    }
  });
}
inline void store_ordered(u64 address, const void* elements, u32 bytes) {
  with_word_of(bytes, [&]<class Word>(Word) {
    for (u32 at = 0; at < bytes; at += sizeof(Word)) {
      Word word;
      std::memcpy(&word, static_cast<const u8*>(elements) + at, sizeof word);
      store_word(address + at, word);
    }
  });
}

}  // namespace heddle::machine
