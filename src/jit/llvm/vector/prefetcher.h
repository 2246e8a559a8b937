// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Prefetches of what a loop accesses in later rounds, and outside of loops of what the next CTA
// does. A grid's threads lie side by side, so a thread's loop often advances by the width of the
// grid: from page to page, where the processor's own prefetching does not follow. A large block
// begins on a page of its own, too.
#pragma once

#include "jit/llvm/analysis/bounds.h"
#include "jit/llvm/vector/memory_windows.h"
#include "jit/llvm/vector/processor.h"

namespace heddle::jit {

class Prefetcher : Emitter {
 public:
  Prefetcher(CtaFunction& function, LaneValues& values, MemoryWindows& windows,
             BoundsAnalysis& bounds, const Processor& processor)
      : Emitter(function),
        values_(values),
        windows_(windows),
        bounds_(bounds),
        processor_(processor) {}

  /// Of the access, which is checked.
  void prefetch(const llvm::CallInst& call, const AccessGroup& group, u64 distance);
  /// Before a masked load of so many bytes. AMD's processors do not count masked loads among what
  /// their own prefetching learns from, but do count prefetches.
  void touch(const Site& site, llvm::Value* at, u64 bytes);

 private:
  u64 rounds_ahead(const llvm::Loop& loop) const;
  void hint(llvm::Value* at, bool writes, u32 level);

  LaneValues& values_;
  MemoryWindows& windows_;
  BoundsAnalysis& bounds_;
  const Processor& processor_;
};

}  // namespace heddle::jit
