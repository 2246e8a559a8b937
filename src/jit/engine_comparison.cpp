// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "jit/engine_comparison.h"

namespace heddle::jit {
namespace {

using namespace std::chrono_literals;

/// Time in code before it is compared with the interpreter.
constexpr s64 kEnough = std::chrono::nanoseconds(2ms).count();
constexpr u64 kEnoughCtas = 4;
/// CTAs that take longer than this in code are not tried in the interpreter, which may need a
/// hundred times as long.
constexpr double kLongest = 10e6;
/// CTAs that each engine runs in alternation.
constexpr u64 kAlternations = 8;
/// Code that is slower by less than this factor stays.
constexpr double kSlower = 1.1;

}  // namespace

bool EngineComparison::next_is_code() {
  if (!alternates_.load(std::memory_order_relaxed) || verdict() != Verdict::open) return true;
  return alternations_.fetch_add(1, std::memory_order_relaxed) % 2 != 0;
}

bool EngineComparison::ran(bool in_code, std::chrono::nanoseconds time, u64 ctas) {
  if (verdict() != Verdict::open) return false;
  (in_code ? code_ : interpreter_).add(time, ctas);
  if (alternates_.load(std::memory_order_relaxed)) return settle_by_alternation();
  if (!in_code || code_.time < kEnough || code_.ctas < kEnoughCtas) return false;
  const bool is_slower = interpreter_.ctas && code_.each() > interpreter_.each() * kSlower;
  if (!is_slower || code_.each() > kLongest) {
    settle();
    return false;
  }
  if (!alternates_.exchange(true)) {
    code_.reset();
    interpreter_.reset();
  }
  return false;
}

bool EngineComparison::settle_by_alternation() {
  if (!code_.ctas || !interpreter_.ctas) return false;
  const bool is_slower = code_.each() > interpreter_.each() * kSlower;
  if (!is_slower && interpreter_.each() > 2 * code_.each()) {
    settle();  // the code is faster by far
    return false;
  }
  if (code_.ctas < kAlternations || interpreter_.ctas < kAlternations) return false;
  Verdict open = Verdict::open;
  const bool decides = verdict_.compare_exchange_strong(
      open, is_slower ? Verdict::interpreter : Verdict::code, std::memory_order_relaxed);
  return decides && is_slower;
}

}  // namespace heddle::jit
