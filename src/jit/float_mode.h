// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Subnormal operands of floating-point instructions, of this thread of the host.
#pragma once

#include "base/types.h"

#if defined(__x86_64__)
#include <xmmintrin.h>
#endif

namespace heddle::jit {

/// While alive, subnormal operands count as zero of the same sign, or as what they are. Results are
/// what they are: the processor's flag for those would flush what rounds up to a normal number,
/// too.
class FloatMode {
 public:
#if defined(__x86_64__)
  explicit FloatMode(bool operands_as_zero) : before_(_mm_getcsr()) {
    set(operands_as_zero ? before_ | kOperandsAsZero : before_ & ~kOperandsAsZero);
  }
  ~FloatMode() { set(before_); }

 private:
  static constexpr u32 kOperandsAsZero = 1u << 6;  // MXCSR.DAZ
  static void set(u32 mode) {
    if (_mm_getcsr() != mode) _mm_setcsr(mode);  // a read costs a tenth
  }
  const u32 before_;

 public:
#else
  explicit FloatMode(bool) {}
#endif
  FloatMode(const FloatMode&) = delete;
  FloatMode& operator=(const FloatMode&) = delete;
};

}  // namespace heddle::jit
