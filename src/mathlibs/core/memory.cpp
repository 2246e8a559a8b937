// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See memory.h.
#include "mathlibs/core/memory.h"

#include <cstdlib>
#include <limits>

#include "driver/api.h"

namespace heddle::mathlibs {
namespace {

int64_t checked(int64_t count, int64_t step, int64_t last) {
  int64_t product = 0, sum = 0;
  if (__builtin_mul_overflow(count, step, &product) || __builtin_add_overflow(product, last, &sum))
    return -1;
  return sum;
}

}  // namespace

bool is_device_range(const void* address, int64_t bytes) {
  if (bytes <= 0) return bytes == 0;
  auto at = reinterpret_cast<CUdeviceptr>(address);
  auto left = static_cast<uint64_t>(bytes);
  if (!at || at + left < at) return false;
  // Adjacent mappings of virtual memory are one range for the program.
  while (true) {
    CUdeviceptr base = 0;
    size_t size = 0;
    if (cuPointerGetAttribute(&base, CU_POINTER_ATTRIBUTE_RANGE_START_ADDR, at) ||
        cuPointerGetAttribute(&size, CU_POINTER_ATTRIBUTE_RANGE_SIZE, at))
      return false;
    const uint64_t room = base + size - at;
    if (room >= left) return true;
    if (!room) return false;
    at += room;
    left -= room;
  }
}

int64_t extent(int64_t n, int64_t inc) {
  if (n <= 0) return 0;
  return inc == std::numeric_limits<int64_t>::min() ? -1 : checked(n - 1, std::llabs(inc), 1);
}

int64_t extent(int64_t rows, int64_t cols, int64_t ld) {
  return rows <= 0 || cols <= 0 ? 0 : checked(cols - 1, ld, rows);
}

}  // namespace heddle::mathlibs
