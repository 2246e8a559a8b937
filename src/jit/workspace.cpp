// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "jit/workspace.h"

#include <cstdlib>
#include <cstring>
#include <utility>

#include "base/check.h"
#include "base/per_thread.h"

namespace heddle::jit {
namespace {

static_assert(sizeof(Context) % 64 == 0 && alignof(Context) == 64);

struct Spare {
  std::size_t bytes = 0;
  u8* memory = nullptr;
  ~Spare() { std::free(memory); }
};
/// The memory that a thread keeps. A plain pointer, since kernels may be launched in handlers of
/// atexit, after thread_local objects have been destroyed.
const PerThread<Spare> spares;

}  // namespace

Workspace::Workspace(std::size_t frame_bytes)
    : bytes_(sizeof(Context) + (frame_bytes + 63) / 64 * 64), memory_(nullptr) {
  Spare& spare = spares.here();
  if (spare.bytes >= bytes_) {
    bytes_ = std::exchange(spare.bytes, 0);
    memory_ = std::exchange(spare.memory, nullptr);
  } else {
    memory_ = static_cast<u8*>(std::aligned_alloc(64, bytes_));
    HEDDLE_CHECK(memory_);
  }
  std::memset(memory_, 0, offsetof(Context, addresses));
}

Workspace::~Workspace() {
  Spare& spare = spares.here();
  if (spare.bytes < bytes_) {
    std::swap(spare.bytes, bytes_);
    std::swap(spare.memory, memory_);
  }
  std::free(memory_);
}

}  // namespace heddle::jit
