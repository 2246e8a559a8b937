// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "base/huge_pages.h"

#include <sys/mman.h>

#include <cstdint>
#include <new>

#include "base/check.h"

namespace heddle {
void prefer_huge_pages(const void* begin, std::size_t bytes) {
  const auto address = reinterpret_cast<std::uintptr_t>(begin);
  const std::uintptr_t first = (address + kHugePage - 1) / kHugePage * kHugePage;
  const std::uintptr_t last = (address + bytes) / kHugePage * kHugePage;
  if (first < last) madvise(reinterpret_cast<void*>(first), last - first, MADV_HUGEPAGE);
}

void* allocate_big(std::size_t bytes) {
  const bool is_big = bytes >= kHugePage;
  const std::size_t rounded = is_big ? (bytes + kHugePage - 1) / kHugePage * kHugePage : bytes;
  const auto allocate = [&] {
    return is_big ? std::aligned_alloc(kHugePage, rounded) : std::malloc(bytes);
  };
  void* memory = allocate();
  // As `new` does: the program may have installed a handler for the case that memory is exhausted.
  while (memory == nullptr && bytes != 0) {
    const std::new_handler handler = std::get_new_handler();
    HEDDLE_CHECK(handler != nullptr);  // out of memory
    handler();
    memory = allocate();
  }
  if (is_big) prefer_huge_pages(memory, rounded);
  return memory;
}

}  // namespace heddle
