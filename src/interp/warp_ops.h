// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Handlers of the instructions that look across the lanes of a warp (PTX
// ISA 9.7.9.5, 9.7.9.6, 9.7.13.8 to 9.7.13.14), and of the 128-bit atomics. The CTA calls them with
// Warp::mask = the lanes that get a result, Warp::members = those of which it is, all of them
// present: the same lanes, but where membermasks are wrong (machine/membermask.h).
#pragma once

#include <span>

#include "interp/op.h"
#include "isa/form.h"

namespace heddle::interp {

/// The handler of a `sem warp` form; its run-time modifiers go to `runtime`. Sources are src[0..],
/// results dst[0..1].
Handler warp_handler(const isa::Form& form, std::span<const u8> slots, u8* runtime);

/// atom and red on b128 (exch, cas), by sem::Atomop; null for others. Same operand lists as the
/// other atomics.
Handler wide_atomic(u8 atomop);

}  // namespace heddle::interp
