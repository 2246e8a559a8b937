// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "machine/wide_access.h"

#ifdef __x86_64__
#include <emmintrin.h>
#endif

namespace heddle::machine {
namespace {

/// Whether aligned loads and stores of 128 bits are indivisible, as Intel and AMD document for
/// their processors with AVX.
bool has_wide_moves() {
#ifdef __x86_64__
  static const bool has = __builtin_cpu_supports("avx");
  return has;
#else
  return false;
#endif
}

}  // namespace

/// The one 128-bit access that all processors perform indivisibly; sequentially consistent.
WideBits compare_exchange_wide(u64 address, WideBits expected, WideBits value) {
  return __sync_val_compare_and_swap(reinterpret_cast<WideBits*>(address), expected, value);
}

WideBits load_wide(u64 address) {
#ifdef __x86_64__
  if (has_wide_moves()) {
    __m128i loaded;
    asm volatile("movdqa %1, %0"
                 : "=x"(loaded)
                 : "m"(*reinterpret_cast<const __m128i*>(address))
                 : "memory");
    WideBits value;
    std::memcpy(&value, &loaded, sizeof value);
    return value;
  }
#endif
  return compare_exchange_wide(address, 0, 0);
}

WideBits exchange_wide(u64 address, WideBits value) {
  WideBits old;
  std::memcpy(&old, reinterpret_cast<const void*>(address), sizeof old);  // a guess, perhaps torn
  for (;;) {
    const WideBits found = compare_exchange_wide(address, old, value);
    if (found == old) return old;
    old = found;
  }
}

void store_wide(u64 address, WideBits value) {
#ifdef __x86_64__
  if (has_wide_moves()) {
    __m128i stored;
    std::memcpy(&stored, &value, sizeof stored);
    asm volatile("movdqa %1, %0"
                 : "=m"(*reinterpret_cast<__m128i*>(address))
                 : "x"(stored)
                 : "memory");
    return;
  }
#endif
  exchange_wide(address, value);
}

}  // namespace heddle::machine
