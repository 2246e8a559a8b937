// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "machine/ranges.h"

#include <algorithm>

namespace heddle::machine {

void Ranges::reset(AddressRange range) {
  range_ = range;
  if (range.size) free_[range.base] = range.size;
}

u64 Ranges::take(u64 bytes, u64 align) {
  if (bytes > range_.size) return 0;
  const u64 need = round_up(bytes, unit_) + guard_;
  for (auto it = free_.begin(); it != free_.end(); ++it) {
    const u64 base = round_up(it->first, std::max(align, unit_));
    const u64 end = it->first + it->second;
    if (base >= end || end - base < need) continue;
    split(it, base, bytes);
    return base;
  }
  return 0;
}

bool Ranges::take_at(u64 base, u64 bytes) {
  if (bytes > range_.size) return false;
  auto it = free_.upper_bound(base);
  if (it == free_.begin()) return false;
  --it;
  const u64 end = it->first + it->second, need = round_up(bytes, unit_) + guard_;
  if (base % unit_ || base >= end || end - base < need) return false;
  split(it, base, bytes);
  return true;
}

void Ranges::split(std::map<u64, u64>::iterator free, u64 base, u64 bytes) {
  const u64 need = round_up(bytes, unit_) + guard_;
  const u64 front = base - free->first;
  const u64 back = free->first + free->second - (base + need);
  if (front)
    free->second = front;
  else
    free_.erase(free);
  if (back) free_[base + need] = back;
  taken_[base] = {bytes, need};
}

std::optional<AddressRange> Ranges::give(u64 base) {
  const auto it = taken_.find(base);
  if (it == taken_.end()) return std::nullopt;
  const AddressRange piece{base, it->second.first};
  u64 size = it->second.second;
  taken_.erase(it);
  auto next = free_.lower_bound(base);
  if (next != free_.end() && next->first == base + size) {
    size += next->second;
    next = free_.erase(next);
  }
  if (next != free_.begin()) {
    const auto before = std::prev(next);
    if (before->first + before->second == base) {
      before->second += size;
      return piece;
    }
  }
  free_[base] = size;
  return piece;
}

std::optional<AddressRange> Ranges::find(u64 address) const {
  auto it = taken_.upper_bound(address);
  if (it == taken_.begin()) return std::nullopt;
  --it;
  const AddressRange piece{it->first, it->second.first};
  if (!piece.contains(address)) return std::nullopt;
  return piece;
}

std::optional<AddressRange> Ranges::nearest(u64 address) const {
  const auto after = taken_.upper_bound(address);
  std::optional<AddressRange> best;
  if (after != taken_.end()) best = AddressRange{after->first, after->second.first};
  if (after != taken_.begin()) {
    const auto before = std::prev(after);
    const AddressRange piece{before->first, before->second.first};
    const u64 distance = address < piece.end() ? 0 : address - piece.end();
    if (!best || distance < best->base - address) best = piece;
  }
  return best;
}

}  // namespace heddle::machine
