// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "jobs/job.h"

#include <fmt/format.h>
#include <sys/mman.h>

#include <algorithm>
#include <cmath>

#include "base/check.h"

namespace heddle::bench {
namespace {

// Large pages where they are to be had: Heddle's device memory has them, too.
constexpr std::size_t kPage = std::size_t{2} << 20;

template <class T>
std::string compare(const T* expected, const T* found, std::size_t count, double relative) {
  for (std::size_t i = 0; i < count; ++i) {
    const double e = static_cast<double>(expected[i]), f = static_cast<double>(found[i]);
    if (std::abs(e - f) <= relative * std::max(std::abs(e), std::abs(f))) continue;
    return fmt::format("element {} is {}, not {}", i, f, e);
  }
  return "";
}

}  // namespace

void* Job::allocate(std::size_t bytes) {
  const std::size_t unit = bytes < kPage ? 64 : kPage;
  const std::size_t whole = (bytes + unit - 1) / unit * unit;
  void* memory = std::aligned_alloc(unit, whole);
  HEDDLE_CHECK(memory);
  if (unit == kPage) madvise(memory, whole, MADV_HUGEPAGE);
  arrays.push_back({{memory, std::free}, bytes});
  return memory;
}

int Job::index_of(const void* array) const {
  const auto is = [&](const Array& a) { return a.memory.get() == array; };
  const auto found = std::find_if(arrays.begin(), arrays.end(), is);
  HEDDLE_CHECK(found != arrays.end());
  return static_cast<int>(found - arrays.begin());
}

std::string difference(const Job& job, const void* expected, const void* found) {
  const std::size_t bytes = job.arrays[job.result].bytes;
  switch (job.tolerance.type) {
    case Tolerance::Type::kFloat:
      return compare(static_cast<const float*>(expected), static_cast<const float*>(found),
                     bytes / sizeof(float), job.tolerance.relative);
    case Tolerance::Type::kHalf:
      return compare(static_cast<const _Float16*>(expected), static_cast<const _Float16*>(found),
                     bytes / sizeof(_Float16), job.tolerance.relative);
    case Tolerance::Type::kBits:
      break;
  }
  const auto* e = static_cast<const unsigned char*>(expected);
  const auto* f = static_cast<const unsigned char*>(found);
  const auto at = std::mismatch(e, e + bytes, f).first - e;
  return static_cast<std::size_t>(at) == bytes ? ""
                                               : fmt::format("byte {} of {} differs", at, bytes);
}

}  // namespace heddle::bench
