// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "base/huge_pages.h"

#include <sys/mman.h>

#include <cstdint>

namespace heddle {

void prefer_huge_pages(const void* begin, std::size_t bytes) {
  constexpr std::uintptr_t kHuge = 2 << 20;
  const auto address = reinterpret_cast<std::uintptr_t>(begin);
  const std::uintptr_t first = (address + kHuge - 1) / kHuge * kHuge;
  const std::uintptr_t last = (address + bytes) / kHuge * kHuge;
  if (first < last) madvise(reinterpret_cast<void*>(first), last - first, MADV_HUGEPAGE);
}

}  // namespace heddle
