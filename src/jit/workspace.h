// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The memory of a CTA's code: its Context and the frames of its teams.
#pragma once

#include <cstddef>

#include "jit/context.h"

namespace heddle::jit {

/// A thread keeps the last memory for the next CTA: a small grid takes less time than the allocator
/// would.
class Workspace {
 public:
  explicit Workspace(std::size_t frame_bytes);
  ~Workspace();
  Workspace(const Workspace&) = delete;
  Workspace& operator=(const Workspace&) = delete;

  /// All zero at first, except operands of helpers.
  Context& context() const { return *reinterpret_cast<Context*>(memory_); }
  /// Aligned to 64 bytes, not initialised.
  u8* frames() const { return memory_ + sizeof(Context); }

 private:
  std::size_t bytes_;
  u8* memory_;
};

}  // namespace heddle::jit
