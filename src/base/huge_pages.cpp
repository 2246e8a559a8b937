// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "base/huge_pages.h"

#include <sys/mman.h>

#include <cstdint>

#include "base/check.h"

namespace heddle {
namespace {

constexpr std::size_t kHuge = 2 << 20;

}  // namespace

void prefer_huge_pages(const void* begin, std::size_t bytes) {
  const auto address = reinterpret_cast<std::uintptr_t>(begin);
  const std::uintptr_t first = (address + kHuge - 1) / kHuge * kHuge;
  const std::uintptr_t last = (address + bytes) / kHuge * kHuge;
  if (first < last) madvise(reinterpret_cast<void*>(first), last - first, MADV_HUGEPAGE);
}

void* allocate_big(std::size_t bytes) {
  const bool is_big = bytes >= kHuge;
  const std::size_t rounded = is_big ? (bytes + kHuge - 1) / kHuge * kHuge : bytes;
  void* memory = is_big ? std::aligned_alloc(kHuge, rounded) : std::malloc(bytes);
  HEDDLE_CHECK(memory != nullptr || bytes == 0);  // out of memory
  if (is_big) prefer_huge_pages(memory, rounded);
  return memory;
}

}  // namespace heddle
