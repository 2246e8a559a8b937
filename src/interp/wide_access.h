// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// 128 bits of memory as one access (PTX ISA 8.7.2, 8.10.3), indivisible also to atomics of other
// sizes that overlap it.
#pragma once

#include "base/types.h"

namespace heddle::interp {

__extension__ typedef unsigned __int128 WideBits;

WideBits load_wide(u64 address);
void store_wide(u64 address, WideBits value);
WideBits exchange_wide(u64 address, WideBits value);
/// Stores `value` where `expected` is. Returns what was there.
WideBits compare_exchange_wide(u64 address, WideBits expected, WideBits value);

}  // namespace heddle::interp
