// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See copy.h.
#include "driver/core/copy.h"

#include <cstring>
#include <memory>
#include <vector>

#include "driver/core/capture.h"
#include "driver/core/state.h"
#include "driver/core/task.h"

namespace heddle::driver {
namespace {

// Up to here, pageable memory is copied aside instead of making the caller wait.
constexpr std::size_t kStagingBytes = 64 * 1024;

// Bytes from the first to behind the last byte that the copy touches on this side; nothing on
// overflow.
std::optional<u64> extent(const CopySide& side, const Copy& copy) {
  u64 rows = 0, slices = 0, sum = 0;
  if (__builtin_mul_overflow(copy.height - 1, side.pitch, &rows) ||
      __builtin_mul_overflow(copy.depth - 1, side.slice, &slices) ||
      __builtin_add_overflow(rows, slices, &sum) || __builtin_add_overflow(sum, copy.width, &sum)) {
    return std::nullopt;
  }
  return sum;
}

bool is_good(const CopySide& side, const Copy& copy) {
  if (copy.height > 1 && side.pitch < copy.width) return false;
  if (copy.depth > 1 && side.slice < side.pitch * copy.height) return false;
  const auto bytes = extent(side, copy);
  if (!bytes) return false;
  if (side.is_written && is_device_address(side.base)) {
    return is_writable_range(side.base, *bytes);
  }
  return side.must_be_device ? is_device_range(side.base, *bytes)
                             : is_copy_range(side.base, *bytes);
}

// Memory of the program's own that it has not registered.
bool is_pageable(const CopySide& side) {
  return !is_device_address(side.base) && !state().allocations.find(side.base);
}

bool is_host(const CopySide& side) {
  if (is_pageable(side)) return true;
  const auto found = state().allocations.find(side.base);
  return found && found->is_host();
}

}  // namespace

CUresult Copy::check() const {
  if (is_empty()) return CUDA_SUCCESS;
  return is_good(to, *this) && is_good(from, *this) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

void Copy::execute() const {
  for (std::size_t z = 0; z < depth; ++z) {
    for (std::size_t y = 0; y < height; ++y) {
      std::memmove(reinterpret_cast<void*>(to.base + z * to.slice + y * to.pitch),
                   reinterpret_cast<const void*>(from.base + z * from.slice + y * from.pitch),
                   width);
    }
  }
}

CUresult copy_and_wait(Context& context, Stream& stream, CopyTask task) {
  if (const CUresult bad = refuse_in_capture(stream)) return bad;
  if (task.copy.is_empty()) return CUDA_SUCCESS;
  if (is_host(task.copy.to) || is_host(task.copy.from)) {
    return context.run(stream, [&] { task.copy.execute(); });
  }
  context.enqueue(stream, [copy = task.copy] { copy.execute(); });
  return CUDA_SUCCESS;
}

CUresult copy_async(Context& context, Stream& stream, CopyTask task) {
  const Copy& copy = task.copy;
  if (copy.is_empty()) return CUDA_SUCCESS;
  if (is_capturing(stream)) return submit(context, stream, std::move(task));
  const bool linear = copy.height == 1 && copy.depth == 1;
  if (is_pageable(copy.to) || (is_pageable(copy.from) && (!linear || copy.width > kStagingBytes))) {
    return context.run(stream, [&] { copy.execute(); });
  }
  if (is_pageable(copy.from)) {
    const auto* bytes = reinterpret_cast<const u8*>(copy.from.base);
    const auto staged = std::make_shared<const std::vector<u8>>(bytes, bytes + copy.width);
    context.enqueue(stream, [to = copy.to.base, staged] {
      std::memcpy(reinterpret_cast<void*>(to), staged->data(), staged->size());
    });
    return CUDA_SUCCESS;
  }
  return submit(context, stream, std::move(task));
}

}  // namespace heddle::driver
