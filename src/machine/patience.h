// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How long a host thread lets each of its CTAs run before the next one has its turn, and when it
// begins further CTAs beside them: those that it has may wait for what others will write, without
// being cooperative. On a GPU as many CTAs as fit are resident from the start; here each of them
// costs memory, and most grids need one at a time. So the first one gets some milliseconds. From
// then on turns are short, and as long as nobody finishes, each round begins as many CTAs as there
// are: the time until the last one has begun is proportional to their number.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstddef>

#include "base/types.h"

namespace heddle::machine {

class Patience {
 public:
  using Time = std::chrono::nanoseconds;
  /// Of a CTA that is alone, or that has nobody left to wait for; of several; in all, until the
  /// first one is not alone any more.
  static constexpr Time kTurn = std::chrono::milliseconds(2);
  static constexpr Time kShortTurn = std::chrono::microseconds(250);
  static constexpr Time kAlone = std::chrono::milliseconds(8);
  /// Turns of each CTA without one finishing after which more of them begin.
  static constexpr u32 kTurns = 4;
  /// Cta::run()'s budget. A slow instruction takes a thousand times as long as a fast one, so the
  /// first turn is short.
  static constexpr u64 kLeast = 64, kFirst = 10'000, kMost = 200'000;

  /// `together`: the CTAs are there to wait for each other.
  explicit Patience(bool together) : together_(together) { start(); }

  /// The budget of the next turn.
  u64 slice() const { return slice_; }

  /// A CTA had a turn that took so long, and has not finished. `waits`: it can do nothing more.
  void ran(Time time, bool waits) {
    idle_ += time;
    waiting_ += waits;
    if (waits) return;
    const double factor = static_cast<double>(turn_.count()) /
                          static_cast<double>(std::max(time.count(), Time::rep{1}));
    slice_ = static_cast<u64>(std::clamp(static_cast<double>(slice_) * factor,
                                         static_cast<double>(kLeast), static_cast<double>(kMost)));
  }

  /// One of them has finished; others are left, or none.
  void finished(bool alone) {
    idle_ = {};
    waiting_ = 0;
    if (alone) start();
  }

  /// Whether further CTAs shall begin beside `resident` ones.
  bool is_over(std::size_t resident) const {
    if (waiting_ >= resident) return true;
    return idle_ >= (short_ ? kShortTurn * (kTurns * static_cast<Time::rep>(resident)) : kAlone);
  }
  /// Further ones have begun; or there was none to begin, and those that there are may have longer
  /// turns each time.
  void begun() {
    short_ = true;
    turn_ = kShortTurn;
    again();
  }
  void in_vain() {
    turn_ = std::min(turn_ * 2, kTurn);
    again();
  }

 private:
  void start() {
    short_ = together_;
    turn_ = short_ ? kShortTurn : kTurn;
    slice_ = std::max(slice_, kFirst);
  }
  void again() {
    idle_ = {};
    waiting_ = 0;
  }

  const bool together_;
  bool short_ = false;
  Time turn_{}, idle_{};
  u64 slice_ = kFirst;
  std::size_t waiting_ = 0;  ///< turns since the last change that ended in waiting
};

}  // namespace heddle::machine
