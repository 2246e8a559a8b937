// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A table that is filled once, from its front to its end, costs a page fault each 4 KiB: a quarter
// of the time to check a large module. With pages of 2 MiB there are 500 times fewer.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <vector>

namespace heddle {

inline constexpr std::uint64_t kHugePage = 2 << 20;

/// Advises the system to use large pages between `begin` and `begin + bytes`, which were not
/// touched yet. Does nothing for small ranges.
void prefer_huge_pages(const void* begin, std::size_t bytes);

/// Memory that std::free() frees, on large pages when it is large.
void* allocate_big(std::size_t bytes);

template <class T>
struct BigAllocator {
  using value_type = T;
  BigAllocator() = default;
  template <class U>
  BigAllocator(const BigAllocator<U>&) {}
  T* allocate(std::size_t count) { return static_cast<T*>(allocate_big(count * sizeof(T))); }
  void deallocate(T* memory, std::size_t) { std::free(memory); }
  bool operator==(const BigAllocator&) const = default;
};

/// An allocator for tables that may have millions of elements.
template <class T>
using BigVector = std::vector<T, BigAllocator<T>>;

}  // namespace heddle
