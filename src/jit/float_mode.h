// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The thread's mode for subnormal operands of floating-point instructions.
#pragma once

#include <string_view>

#include "base/types.h"

#if defined(__x86_64__)
#include <xmmintrin.h>
#endif

namespace heddle::jit {

/// Functions of many instructions whose results are the same whether subnormal operands of each
/// count as zero or not: `./x conformance` computes them both ways, for all operands.
inline constexpr std::string_view kAlikeInAnyMode[] = {"cos.approx.ftz.f32", "ex2.approx.ftz.f32",
                                                       "lg2.approx.ftz.f32", "rsqrt.approx.ftz.f32",
                                                       "sin.approx.ftz.f32"};

/// While alive, subnormal operands count as zero of the same sign, or as what they are. The mode
/// for results is not used: the processor's flag would also flush results that round up to a normal
/// number.
class FloatMode {
 public:
#if defined(__x86_64__)
  explicit FloatMode(bool operands_as_zero)
      : before_(_mm_getcsr()),
        mode_(operands_as_zero ? before_ | kOperandsAsZero : before_ & ~kOperandsAsZero) {
    if (mode_ != before_) _mm_setcsr(mode_);
  }
  ~FloatMode() {
    if (mode_ != before_) _mm_setcsr(before_);
  }
#else
  explicit FloatMode(bool) {}
#endif
  FloatMode(const FloatMode&) = delete;
  FloatMode& operator=(const FloatMode&) = delete;

 private:
#if defined(__x86_64__)
  static constexpr u32 kOperandsAsZero = 1u << 6;  // MXCSR.DAZ
  const u32 before_, mode_;
#endif
};

}  // namespace heddle::jit
