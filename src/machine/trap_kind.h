// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The ways a kernel can fail at run time; separate from trap.h because instruction handlers need
// only the kinds.
#pragma once

#include "base/types.h"

namespace heddle::machine {

enum class TrapKind : u8 {
  illegal_address,  ///< no such memory, null, wrong window
  misaligned_address,
  illegal_barrier,     ///< barrier number or thread count out of range, count exceeded
  illegal_call,        ///< indirect call or branch to something that is no function / label
  stack_overflow,      ///< local memory of a thread exhausted by calls
  trap_instruction,    ///< `trap`
  breakpoint,          ///< `brkpt`
  time_limit,          ///< the launch's wall-clock limit
  deadlock,            ///< every thread waits for another
  assertion,           ///< __assertfail
  membermask,          ///< of a `.sync` instruction: does not name the thread, or threads disagree
  tensor_memory,       ///< an instruction of tensor memory that is not legal, or beyond what exists
  tensor_map,          ///< of a tensor copy: not one, or not one for the instruction
  tensor_memory_leak,  ///< a CTA exits and has not freed all of its tensor memory
};
}  // namespace heddle::machine
