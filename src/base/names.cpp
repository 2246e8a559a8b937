// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "base/names.h"

#include <cstring>

namespace heddle {
namespace {

constexpr std::size_t kChunk = 64 * 1024;
/// Two different texts of the same length below this have different hashes: each step of hash_of()
/// is invertible.
constexpr std::size_t kExact = 8;

u64 hash_of(std::string_view text) {
  u64 h = 0x9e3779b97f4a7c15ull ^ text.size();
  const char* p = text.data();
  std::size_t n = text.size();
  for (; n >= 8; p += 8, n -= 8) {
    u64 word;
    std::memcpy(&word, p, 8);
    h = (h ^ word) * 0xff51afd7ed558ccdull;
    h ^= h >> 32;
  }
  // The last 0 to 7 bytes, without a call for a copy of unknown size.
  u64 word = 0;
  if (n >= 4) {
    u32 low, high;
    std::memcpy(&low, p, 4);
    std::memcpy(&high, p + n - 4, 4);
    word = low | u64{high} << 32;
  } else if (n) {
    const auto byte = [&](std::size_t i) { return u64{static_cast<unsigned char>(p[i])}; };
    word = byte(0) | byte(n / 2) << 8 | byte(n - 1) << 16;
  }
  h = (h ^ word) * 0xc4ceb9fe1a85ec53ull;
  return h ^ (h >> 29);
}

}  // namespace

inline std::size_t Names::slot_of(std::string_view text, u64 hash) const {
  const std::size_t mask = slots_.size() - 1;
  std::size_t slot = hash & mask;
  while (const u32 entry = slots_[slot].entry) {
    const bool alike = slots_[slot].hash == hash && slots_[slot].size == text.size();
    if (alike && (text.size() < kExact || texts_[entry - 1] == text)) break;
    slot = (slot + 1) & mask;
  }
  return slot;
}

NameId Names::intern(std::string_view text) {
  if (slots_.empty()) grow();
  const u64 hash = hash_of(text);
  Slot& slot = slots_[slot_of(text, hash)];
  if (slot.entry) return NameId(slot.entry - 1);
  texts_.push_back(keep(text));
  slot = {hash, static_cast<u32>(text.size()), static_cast<u32>(texts_.size())};
  if (texts_.size() * 2 >= slots_.size()) grow();
  return NameId(texts_.size() - 1);
}

NameId Names::find(std::string_view text) const {
  if (slots_.empty()) return {};
  const u32 entry = slots_[slot_of(text, hash_of(text))].entry;
  return entry ? NameId(entry - 1) : NameId();
}

void Names::grow() {
  std::vector<Slot> before(slots_.empty() ? 256 : slots_.size() * 2);
  before.swap(slots_);
  const std::size_t mask = slots_.size() - 1;
  for (const Slot& old : before) {
    if (!old.entry) continue;
    std::size_t slot = old.hash & mask;
    while (slots_[slot].entry) slot = (slot + 1) & mask;
    slots_[slot] = old;
  }
}

std::string_view Names::keep(std::string_view text) {
  if (chunks_.empty() || chunks_.back().capacity() - chunks_.back().size() < text.size()) {
    chunks_.emplace_back().reserve(text.size() > kChunk ? text.size() : kChunk);
  }
  std::string& chunk = chunks_.back();
  const std::size_t begin = chunk.size();
  chunk.append(text);
  return {chunk.data() + begin, text.size()};
}

}  // namespace heddle
