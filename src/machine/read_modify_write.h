// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Read-modify-write of memory (PTX ISA 9.7.13.5 to 9.7.13.7, 9.7.9.14, 9.7.9.25.4.2): one
// indivisible access, whichever instruction makes it. What it computes is the function that the
// instruction's form `applies`:
//
//   constexpr T f<compile-time arguments>(T old, T b[, T c[, bool global]])
#pragma once

#include <bit>
#include <cstring>
#include <type_traits>

#include "isa/sem/atom.h"
#include "machine/wide_access.h"

namespace heddle::machine {

template <class T, class... Rest>
T first_argument(T (*)(T, Rest...));
/// What the function computes with.
template <auto kFunction>
using AtomicValue = decltype(first_argument(kFunction));

template <auto kFunction, class T>
T apply(T old, T b, T c, bool global) {
  if constexpr (std::is_invocable_v<decltype(kFunction), T, T, T, bool>)
    return kFunction(old, b, c, global);
  else if constexpr (std::is_invocable_v<decltype(kFunction), T, T, T>)
    return kFunction(old, b, c);
  else
    return kFunction(old, b);
}

/// Whether the function is that one of sem/atom.h, which the host has an instruction for.
template <auto kFunction, sem::Atomop kOp>
constexpr bool is_atom_apply() {
  using T = AtomicValue<kFunction>;
  if constexpr (std::is_same_v<decltype(kFunction), T (*)(T, T, T, bool)>)
    return kFunction == &sem::atom_apply<kOp, T>;
  else
    return false;
}

/// Replaces the value at a host address, a multiple of its size; returns the old one. `shared`: the
/// memory is shared memory. A CTA, and a cluster, run on one host thread, so nobody else accesses
/// it meanwhile.
template <auto kFunction, class T = AtomicValue<kFunction>>
T read_modify_write(u64 address, T b, T c, bool shared) {
  if (shared) {
    T old;
    std::memcpy(&old, reinterpret_cast<const void*>(address), sizeof(T));
    const T made = apply<kFunction, T>(old, b, c, false);
    std::memcpy(reinterpret_cast<void*>(address), &made, sizeof(T));
    return old;
  }
  if constexpr (sizeof(T) == sizeof(WideBits)) {
    WideBits old = load_wide(address);
    while (true) {
      const T made = apply<kFunction, T>(std::bit_cast<T>(old), b, c, true);
      const WideBits found = compare_exchange_wide(address, old, std::bit_cast<WideBits>(made));
      if (found == old) return std::bit_cast<T>(old);
      old = found;
    }
  } else {
    using Word = sem::AtomWord<sizeof(T)>;
    Word* const at = reinterpret_cast<Word*>(address);
    if constexpr (is_atom_apply<kFunction, sem::Atomop::exch>()) {
      return std::bit_cast<T>(__atomic_exchange_n(at, std::bit_cast<Word>(b), __ATOMIC_SEQ_CST));
    } else if constexpr (std::is_integral_v<T> && is_atom_apply<kFunction, sem::Atomop::add>()) {
      return static_cast<T>(__atomic_fetch_add(at, static_cast<Word>(b), __ATOMIC_SEQ_CST));
    } else {
      Word old = __atomic_load_n(at, __ATOMIC_RELAXED);
      while (true) {
        const Word made =
            std::bit_cast<Word>(apply<kFunction, T>(std::bit_cast<T>(old), b, c, true));
        if (__atomic_compare_exchange_n(at, &old, made, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST))
          return std::bit_cast<T>(old);
      }
    }
  }
}

/// read_modify_write() of one function.
struct AtomicFunction {
  u32 bytes;  ///< of the value
  /// `b`, `c` and `old` are values of so many bytes; `old` may be one of the others.
  void (*run)(u64 address, const void* b, const void* c, void* old, bool shared);
};

template <auto kFunction>
void run_atomic(u64 address, const void* b, const void* c, void* old, bool shared) {
  using T = AtomicValue<kFunction>;
  T b_value, c_value;
  std::memcpy(&b_value, b, sizeof(T));
  std::memcpy(&c_value, c, sizeof(T));
  const T found = read_modify_write<kFunction>(address, b_value, c_value, shared);
  std::memcpy(old, &found, sizeof(T));
}
template <auto kFunction>
inline constexpr AtomicFunction kAtomicFunction = {sizeof(AtomicValue<kFunction>),
                                                   &run_atomic<kFunction>};

/// run() for each value in `bytes` bytes at `to` and at `from`; the old values are dropped.
void combine(const AtomicFunction& function, u64 to, const void* from, u64 bytes, bool shared);

/// By isa::dispatch_index() of a form that applies a function.
const AtomicFunction& atomic_function(u32 index);

}  // namespace heddle::machine
