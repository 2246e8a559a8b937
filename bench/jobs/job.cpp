// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "jobs/job.h"

#include <fmt/format.h>
#include <sys/mman.h>

#include <algorithm>
#include <cmath>

#include "base/check.h"

namespace heddle::bench {
namespace {

// Large pages if available: Heddle's device memory has them, too.
constexpr std::size_t kPage = std::size_t{2} << 20;

template <class T>
std::string compare(const T* expected, const T* found, std::size_t count, double relative,
                    bool roughly) {
  double largest = 0;
  for (std::size_t i = 0; i < count; ++i) {
    largest = std::max(largest, std::abs(static_cast<double>(expected[i])));
  }
  std::size_t forgiven = roughly ? count / 100 : 0;
  for (std::size_t i = 0; i < count; ++i) {
    const double e = static_cast<double>(expected[i]), f = static_cast<double>(found[i]);
    const double allowed = roughly ? 1e-3 * largest : relative * std::max(std::abs(e), std::abs(f));
    if (std::abs(e - f) <= allowed) continue;  // false for a NaN
    if (forgiven-- == 0) return fmt::format("element {} is {}, not {}", i, f, e);
  }
  return "";
}

}  // namespace

void* Job::allocate(std::size_t bytes) {
  // If the starts of arrays differ by a multiple of 4 KB, loads wait for unrelated stores (4K
  // aliasing).
  const std::size_t apart = arrays.size() * 11 * 64;
  const std::size_t unit = bytes < kPage ? 64 : kPage;
  const std::size_t whole = (bytes + apart + unit - 1) / unit * unit;
  void* memory = std::aligned_alloc(unit, whole);
  HEDDLE_CHECK(memory);
  if (unit == kPage) madvise(memory, whole, MADV_HUGEPAGE);
  void* begin = static_cast<char*>(memory) + apart;
  arrays.push_back({{memory, std::free}, begin, bytes});
  return begin;
}

int Job::index_of(const void* array) const {
  const auto is = [&](const Array& a) { return a.begin == array; };
  const auto found = std::find_if(arrays.begin(), arrays.end(), is);
  HEDDLE_CHECK(found != arrays.end());
  return static_cast<int>(found - arrays.begin());
}

std::string difference(const Job& job, const void* expected, const void* found, bool roughly) {
  const std::size_t bytes = job.arrays[job.result].bytes;
  if (std::memcmp(expected, found, bytes) == 0) return "";
  const auto compare_as = [&]<class T>(T) {
    return compare(static_cast<const T*>(expected), static_cast<const T*>(found), bytes / sizeof(T),
                   job.tolerance, roughly);
  };
  const std::string text = job.element == Element::kFloat  ? compare_as(float{})
                           : job.element == Element::kHalf ? compare_as(_Float16{})
                                                           : compare_as(unsigned{});
  // Zeros of different sign compare equal, but have different bits.
  return text.empty() && job.tolerance == 0 && !roughly ? "bits differ" : text;
}

}  // namespace heddle::bench
