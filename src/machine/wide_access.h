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
/// Stores `value` where `expected` is. Returns what was there.
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

/// Calls f(Word()) for the unsigned integer of so many bytes, 8 at most.
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
/// ... in which GPUs access so many bytes of a lane, 16 at most.
template <class F>
void with_word_of(u32 bytes, F f) {
  return bytes > 8 ? f(WideBits{}) : with_word(bytes, f);
}

/// Elements of a lane, which others may write meanwhile; `bytes` in all, a power of two, of which
/// the address is a multiple. By the memory model a vector is accesses in any order (8.2.2), but
/// GPUs access it at once, and programs rely on that: a state beside the number that it is of.
/// Stronger than asked otherwise, which the model allows and x86 gives for free.
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
