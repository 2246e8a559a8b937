// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "jit/comparison.h"

namespace heddle::jit {
namespace {

using namespace std::chrono_literals;

/// What has to be known of code before it is compared with what was interpreted before.
constexpr s64 kEnough = std::chrono::nanoseconds(2ms).count();
constexpr u64 kEnoughCtas = 4;
/// CTAs that take longer in code are not tried in the interpreter: it may take a hundred times
/// that.
constexpr double kLongest = 10e6;
/// CTAs of each, when the two take turns.
constexpr u64 kTurns = 8;
/// What is not slower by so much stays.
constexpr double kSlower = 1.1;

}  // namespace

bool Comparison::next_is_code() {
  if (!takes_turns_.load(std::memory_order_relaxed) || verdict() != Verdict::open) return true;
  return turns_.fetch_add(1, std::memory_order_relaxed) % 2 != 0;
}

bool Comparison::ran(bool in_code, std::chrono::nanoseconds time, u64 ctas) {
  if (verdict() != Verdict::open) return false;
  (in_code ? code_ : interpreter_).add(time, ctas);
  if (takes_turns_.load(std::memory_order_relaxed)) return settle_by_turns();
  if (!in_code || code_.time < kEnough || code_.ctas < kEnoughCtas) return false;
  const bool is_slower = interpreter_.ctas && code_.each() > interpreter_.each() * kSlower;
  if (!is_slower || code_.each() > kLongest) {
    settle();
    return false;
  }
  if (!takes_turns_.exchange(true)) {
    code_.reset();
    interpreter_.reset();
  }
  return false;
}

bool Comparison::settle_by_turns() {
  if (!code_.ctas || !interpreter_.ctas) return false;
  const bool is_slower = code_.each() > interpreter_.each() * kSlower;
  if (!is_slower && interpreter_.each() > 2 * code_.each()) {
    settle();  // no doubt
    return false;
  }
  if (code_.ctas < kTurns || interpreter_.ctas < kTurns) return false;
  Verdict open = Verdict::open;
  const bool decides = verdict_.compare_exchange_strong(
      open, is_slower ? Verdict::interpreter : Verdict::code, std::memory_order_relaxed);
  return decides && is_slower;
}

}  // namespace heddle::jit
