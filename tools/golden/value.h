// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The inputs of recorded instructions: a value for each kind of operand, operand and index, the
// same on every machine. The first ones are all pairs of special values, the others a mixture of
// special, related, moderate and random bits.
#pragma once

#include <optional>
#include <string_view>

#include "base/types.h"

namespace heddle::golden {

/// What an operand holds. Some are not types of the ISA: kShift, kPosition and kSelector are 32-bit
/// words with many values near a shift distance, a bit position and a selector of `prmt`; kLane is
/// 0 to 31.
enum class Kind : u8 {
  kU8,
  kS8,
  kU16,
  kS16,
  kB16,
  kF16,
  kBf16,
  kE4m3x2,
  kE5m2x2,  // 16-bit registers
  kU32,
  kS32,
  kB32,
  kF32,
  kF16x2,
  kBf16x2,
  kU16x2,
  kS16x2,
  kShift,
  kPosition,
  kLane,
  kSelector,
  kU64,
  kS64,
  kB64,
  kF64,
  kPred,
};
inline constexpr int kKinds = static_cast<int>(Kind::kPred) + 1;

/// The kind with that name in instances.txt: `u8`, `shift`, `pred`.
std::optional<Kind> kind_named(std::string_view name);
std::string_view name_of(Kind kind);
/// Bytes of its register, 2, 4 or 8; inputs of kind kPred are words.
u32 bytes_of(Kind kind);

/// Operand `slot` (0 is the first) of the vector `index`; bits above the register's are 0.
u64 value(Kind kind, u32 slot, u32 index);

/// Spreads all bits of its argument over all of its result.
u64 spread(u64 bits);

/// One result's summand in a checksum of many. It depends on the result and on its place, so
/// that the sum changes when results trade places. Kernels compute the same function.
u64 mixed(u64 result, u64 place);

}  // namespace heddle::golden
