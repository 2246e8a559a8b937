// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See advice.h.
#include "driver/core/memory/advice.h"

#include <algorithm>
#include <iterator>

namespace heddle::driver {
namespace {

bool is_same(const std::optional<CUmemLocation>& a, const std::optional<CUmemLocation>& b) {
  return a.has_value() == b.has_value() && (!a || (a->type == b->type && a->id == b->id));
}

}  // namespace

void AdviceBook::split(u64 at) {
  const auto piece = std::prev(pieces_.upper_bound(at));
  if (piece->first != at) pieces_.emplace(at, piece->second);
}

Advice AdviceBook::common(u64 base, u64 bytes) const {
  const std::lock_guard lock(mutex_);
  auto it = std::prev(pieces_.upper_bound(base));
  Advice all = it->second;
  for (++it; it != pieces_.end() && it->first < base + bytes; ++it) {
    const Advice& more = it->second;
    all.read_mostly &= more.read_mostly;
    if (!is_same(all.preferred, more.preferred)) all.preferred.reset();
    if (!is_same(all.last_prefetch, more.last_prefetch)) all.last_prefetch.reset();
    std::erase_if(all.accessed_by, [&](int device) { return !more.accessed_by.contains(device); });
  }
  return all;
}

AdviceBook& advice() {
  static AdviceBook& instance = *new AdviceBook;
  return instance;
}

}  // namespace heddle::driver
