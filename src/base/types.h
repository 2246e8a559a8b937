// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The fixed-width names used everywhere, and strong 32-bit ids. A flat vector addressed by a typed
// id is Heddle's way to point at things: half the size of a pointer, stable when the vector grows,
// and an id of one kind cannot be used as another.
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <functional>

namespace heddle {

using u8 = std::uint8_t;
using u16 = std::uint16_t;
using u32 = std::uint32_t;
using u64 = std::uint64_t;
using s8 = std::int8_t;
using s16 = std::int16_t;
using s32 = std::int32_t;
using s64 = std::int64_t;

/// Index into the flat vector that holds things of kind `Tag`. Default: none.
template <class Tag>
struct Id {
  static constexpr u32 kNone = 0xffffffffu;
  u32 value = kNone;

  constexpr Id() = default;
  constexpr explicit Id(std::size_t index) : value(static_cast<u32>(index)) {}
  constexpr explicit operator bool() const { return value != kNone; }
  constexpr auto operator<=>(const Id&) const = default;
};

/// `count` consecutive elements from `first` in some flat vector.
template <class T>
struct Range {
  u32 first = 0;
  u32 count = 0;
};

/// Half-open byte range of the source text.
struct Span {
  u32 begin = 0;
  u32 end = 0;
  constexpr bool empty() const { return begin == end; }
  constexpr auto operator<=>(const Span&) const = default;
};

/// The smallest span that covers both.
constexpr Span join(Span a, Span b) {
  return {a.begin < b.begin ? a.begin : b.begin, a.end > b.end ? a.end : b.end};
}

}  // namespace heddle

template <class Tag>
struct std::hash<heddle::Id<Tag>> {
  std::size_t operator()(heddle::Id<Tag> id) const noexcept {
    return id.value * 0x9e3779b97f4a7c15ull;
  }
};
