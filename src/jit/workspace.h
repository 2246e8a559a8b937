// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Where the code of a CTA works: what it shares with the run-time, and its teams' frames.
#pragma once

#include <cstddef>

#include "jit/context.h"

namespace heddle::jit {

/// A thread keeps the memory of the last one for the next: a small grid takes less time than the
/// allocator would.
class Workspace {
 public:
  explicit Workspace(std::size_t frame_bytes);
  ~Workspace();
  Workspace(const Workspace&) = delete;
  Workspace& operator=(const Workspace&) = delete;

  /// 0 at first, but for what helpers are given.
  Context& context() const { return *reinterpret_cast<Context*>(memory_); }
  /// Aligned to 64 bytes; what is in them is not known.
  u8* frames() const { return memory_ + sizeof(Context); }

 private:
  std::size_t bytes_;
  u8* memory_;
};

}  // namespace heddle::jit
