// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The taken and free parts of an address range, for device memory and the device heap.
#pragma once

#include <map>
#include <optional>
#include <utility>

#include "base/types.h"

namespace heddle::machine {

struct AddressRange {
  u64 base = 0;
  u64 size = 0;
  constexpr u64 end() const { return base + size; }
  constexpr bool contains(u64 address) const { return address - base < size; }
  constexpr bool contains(u64 address, u64 bytes) const {
    return address - base < size && bytes <= size - (address - base);
  }
};

constexpr u64 round_up(u64 value, u64 to) { return (value + to - 1) / to * to; }

/// A first-fit allocator. Pieces are multiples of `unit` with `guard` unused bytes after each.
class Ranges {
 public:
  explicit Ranges(u64 unit, u64 guard) : unit_(unit), guard_(guard) {}
  void reset(AddressRange range);
  u64 take(u64 bytes, u64 align);  ///< 0: no room
  /// Takes the bytes at `base`, a multiple of the unit; false when they are not free.
  bool take_at(u64 base, u64 bytes);
  /// Frees the piece that begins at `base` and returns it; none when there is no such piece.
  std::optional<AddressRange> give(u64 base);
  std::optional<AddressRange> find(u64 address) const;
  std::optional<AddressRange> nearest(u64 address) const;

 private:
  void split(std::map<u64, u64>::iterator free, u64 base, u64 bytes);

  u64 unit_, guard_;
  AddressRange range_;
  std::map<u64, u64> free_;                   // base -> bytes
  std::map<u64, std::pair<u64, u64>> taken_;  // base -> (requested bytes, bytes with guard)
};

}  // namespace heddle::machine
