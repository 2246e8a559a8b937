// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How the interpreter calls warp functions (machine/warp_functions.h).
#pragma once

#include <array>
#include <vector>

#include "interp/op.h"
#include "machine/warp_functions.h"

namespace heddle::interp {

/// A warp function and its operands, sources before results.
struct WarpCall {
  const machine::WarpFunction* function = nullptr;
  std::vector<Place> registers;  ///< of all operands
  u32 operands = 0;
  /// By operand: the index of its first register.
  std::array<u8, machine::kMostWarpOperands> first{};
};

/// The handler of Op::warp_call. The CTA calls it with Warp::mask = the lanes that get a result,
/// Warp::members = those that take part, all of them present: the same lanes, except where
/// membermasks are wrong (machine/membermask.h).
void call_warp_function(Warp& warp, const Op& op);

}  // namespace heddle::interp
