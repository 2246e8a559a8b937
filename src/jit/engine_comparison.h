// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Whether the compiled code of a kernel is slower than the interpreter. That is rare, but lasts as
// long as the program. Time per CTA is compared. Later CTAs may have more to do than those that
// were interpreted, so when code seems to be slower, both engines run some CTAs in alternation, and
// that decides.
#pragma once

#include <atomic>
#include <chrono>

#include "base/types.h"

namespace heddle::jit {

class EngineComparison {
 public:
  enum class Verdict : u8 { open, code, interpreter };

  Verdict verdict() const { return verdict_.load(std::memory_order_relaxed); }
  /// Decides for the code without a comparison.
  void settle() { verdict_.store(Verdict::code, std::memory_order_relaxed); }

  /// Whether the next CTAs shall run in the code, which exists.
  bool next_is_code();
  /// Adds the time in which `ctas` CTAs, possibly none, have ended. True once, when the verdict
  /// becomes Verdict::interpreter.
  bool ran(bool in_code, std::chrono::nanoseconds time, u64 ctas);
  /// Microseconds per CTA, when there is a verdict.
  double code_time() const { return code_.each() * 1e-3; }
  double interpreter_time() const { return interpreter_.each() * 1e-3; }

 private:
  struct Pace {
    std::atomic<s64> time{0};  ///< ns
    std::atomic<u64> ctas{0};
    void add(std::chrono::nanoseconds more, u64 ended) {
      time.fetch_add(more.count(), std::memory_order_relaxed);
      ctas.fetch_add(ended, std::memory_order_relaxed);
    }
    void reset() {
      time = 0;
      ctas = 0;
    }
    double each() const { return ctas ? static_cast<double>(time) / static_cast<double>(ctas) : 0; }
  };
  bool settle_by_alternation();

  std::atomic<Verdict> verdict_{Verdict::open};
  std::atomic<bool> alternates_{false};
  std::atomic<u32> alternations_{0};
  Pace code_, interpreter_;
};

}  // namespace heddle::jit
