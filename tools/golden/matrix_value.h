// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The inputs of recorded matrix instructions: cases, each with a profile, the same on every
// machine.
#pragma once

#include <optional>
#include <string_view>

#include "base/types.h"
#include "format.h"

namespace heddle::golden {

/// The element type of a matrix.
enum class Element : u8 {
  kF16,
  kBf16,
  kTf32,
  kE4m3,
  kE5m2,
  kS8,
  kU8,
  kS4,
  kU4,
  kB1,
  kF32,
  kS32,
  kF64
};
inline constexpr int kElements = static_cast<int>(Element::kF64) + 1;

/// The element type with the name of instructions: `f16`.
std::optional<Element> element_named(std::string_view name);
std::string_view name_of(Element element);
u32 bits_of(Element element);
/// The format of a floating-point type.
std::optional<Format> format_of(Element element);

/// The kind of values of a case: case number modulo kProfiles.
enum class Profile : u8 {
  kAnyBits,
  kFinite,      ///< any number
  kNearOne,     ///< exponents that hardly differ
  kZeros,       ///< many zeros
  kCancelling,  ///< sums are small
  kTiny,        ///< subnormal A, tiny C
  kHuge,        ///< sums overflow
  kSpecials,    ///< a few infinities, NaNs and limits among ones and zeros
  kZeroTimesHuge,
  kAlignment,       ///< products with few bits, far apart
  kSpecialSummand,  ///< infinities and NaNs in C
  kZeroProducts,    ///< A is zero, so D is C
};
inline constexpr u32 kProfiles = static_cast<u32>(Profile::kZeroProducts) + 1;
/// For people: `near one`.
std::string_view name_of(Profile profile);

enum class Matrix : u8 { kA, kB, kC };

/// The word `position` of a matrix of the case: elements packed from the low bits on; f64 takes two
/// words.
u32 matrix_word(Element element, u32 number, Matrix matrix, u32 position);

/// A thread's metadata of a sparse A: two of four, or one of two (tf32), in each group.
u32 metadata_word(Element element, u32 number, u32 thread);

}  // namespace heddle::golden
