// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "base/check.h"
#include "isa/atomic_headers.inc"
#include "machine/read_modify_write.h"

namespace heddle::machine {
namespace {

constexpr AtomicFunction kAtomicFunctions[] = {
#define HEDDLE_ATOMIC(index, ...) kAtomicFunction<&__VA_ARGS__>,
#define HEDDLE_NO_ATOMIC(index) AtomicFunction{0, nullptr},
#include "isa/atomic_functions.inc"
#undef HEDDLE_ATOMIC
#undef HEDDLE_NO_ATOMIC
};

constexpr u32 kMostBytes = 16;

}  // namespace

void combine(const AtomicFunction& function, u64 to, const void* from, u64 bytes, bool shared) {
  u8 old[kMostBytes];
  for (u64 at = 0; at < bytes; at += function.bytes) {
    const void* const value = static_cast<const u8*>(from) + at;
    function.run(to + at, value, value, old, shared);
  }
}

const AtomicFunction& atomic_function(u32 index) {
  HEDDLE_CHECK(index < std::size(kAtomicFunctions) && kAtomicFunctions[index].run);
  return kAtomicFunctions[index];
}

}  // namespace heddle::machine
