// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The time slice of a host thread's CTAs: how long it runs one before the next, and when it begins
// more CTAs. A CTA may wait for data that a CTA writes which has not begun, even if the launch is
// not cooperative. A GPU makes as many CTAs resident as fit from the start; in Heddle each resident
// CTA costs memory, and most grids need one at a time. So the first CTA of a thread runs alone for
// some milliseconds. After that the slices are short, and as long as no CTA finishes, each round
// doubles the number of resident CTAs: the time until the last one has begun is proportional to
// their number.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstddef>

#include "base/types.h"

namespace heddle::machine {

class TimeSlice {
 public:
  using Time = std::chrono::nanoseconds;
  /// The slice of a CTA that is alone, or of several when all CTAs have begun.
  static constexpr Time kLong = std::chrono::milliseconds(2);
  /// The slice of a CTA while others may have to begin.
  static constexpr Time kShort = std::chrono::microseconds(250);
  /// How long the first CTA runs alone before a second one begins.
  static constexpr Time kAlone = std::chrono::milliseconds(8);
  /// Slices of each CTA, none of which finishes, before more CTAs begin.
  static constexpr u32 kRounds = 4;
  /// Limits of budget(). A slow instruction takes a thousand times as long as a fast one, so the
  /// first budget is small.
  static constexpr u64 kLeast = 64, kFirst = 10'000, kMost = 200'000;

  /// `together`: the CTAs are expected to wait for each other (a cooperative launch).
  explicit TimeSlice(bool together) : together_(together) { start(); }

  /// Cta::run()'s budget for the next slice.
  u64 budget() const { return budget_; }

  /// A CTA ran for `time` and has not finished. `waits`: it cannot go on before another CTA runs.
  void unfinished(Time time, bool waits) {
    idle_ += time;
    waiting_ += waits;
    if (waits) return;
    const double factor = static_cast<double>(slice_.count()) /
                          static_cast<double>(std::max(time.count(), Time::rep{1}));
    budget_ = static_cast<u64>(std::clamp(static_cast<double>(budget_) * factor,
                                          static_cast<double>(kLeast), static_cast<double>(kMost)));
  }

  /// A CTA has finished. `alone`: it was the only resident one.
  void finished(bool alone) {
    idle_ = {};
    waiting_ = 0;
    if (alone) start();
  }

  /// Whether further CTAs shall begin beside `resident` ones.
  bool is_used_up(std::size_t resident) const {
    if (waiting_ >= resident) return true;
    return idle_ >= (short_ ? kShort * (kRounds * static_cast<Time::rep>(resident)) : kAlone);
  }
  /// After is_used_up(): further CTAs have begun.
  void more_begun() {
    short_ = true;
    slice_ = kShort;
    again();
  }
  /// After is_used_up(): all CTAs have begun, so the slices may grow.
  void none_to_begin() {
    slice_ = std::min(slice_ * 2, kLong);
    again();
  }

 private:
  void start() {
    short_ = together_;
    slice_ = short_ ? kShort : kLong;
    budget_ = std::max(budget_, kFirst);
  }
  void again() {
    idle_ = {};
    waiting_ = 0;
  }

  const bool together_;
  bool short_ = false;
  Time slice_{}, idle_{};  ///< idle_: time since a CTA finished or more began
  u64 budget_ = kFirst;
  std::size_t waiting_ = 0;  ///< slices in that time that ended because the CTA waits
};

}  // namespace heddle::machine
