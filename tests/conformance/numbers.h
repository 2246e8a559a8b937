// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Inputs: corner values, random bits, numbers near each other, and numbers with few significant
// bits, which give ties.
#pragma once

#include "reference.h"

namespace heddle::conformance {

class Numbers {
 public:
  explicit Numbers(u64 seed) : state_(seed * 0x9e3779b97f4a7c15 + 1) {}

  u64 bits() {  // SplitMix64
    u64 x = state_ += 0x9e3779b97f4a7c15;
    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9;
    x = (x ^ x >> 27) * 0x94d049bb133111eb;
    return x ^ x >> 31;
  }
  u64 below(u64 limit) { return bits() % limit; }

  u64 number(const Format& format);
  /// Sometimes close to `other`, so that sums cancel.
  u64 number_near(const Format& format, u64 other);
  u64 integer(int width);

 private:
  u64 state_;
};

}  // namespace heddle::conformance
