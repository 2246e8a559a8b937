// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "interp/wide_access.h"

#include <cstring>

namespace heddle::interp {

/// The one 128-bit access that all processors perform indivisibly; sequentially consistent.
WideBits compare_exchange_wide(u64 address, WideBits expected, WideBits value) {
  return __sync_val_compare_and_swap(reinterpret_cast<WideBits*>(address), expected, value);
}

WideBits load_wide(u64 address) { return compare_exchange_wide(address, 0, 0); }

WideBits exchange_wide(u64 address, WideBits value) {
  WideBits old;
  std::memcpy(&old, reinterpret_cast<const void*>(address), sizeof old);  // a guess, perhaps torn
  for (;;) {
    const WideBits found = compare_exchange_wide(address, old, value);
    if (found == old) return old;
    old = found;
  }
}

void store_wide(u64 address, WideBits value) { exchange_wide(address, value); }

}  // namespace heddle::interp
