// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Handlers of alloca, stacksave and stackrestore (PTX ISA 9.7.17). The variables of functions fill
// a thread's local memory from below, and alloca takes memory from its end downwards. Each thread
// has a stack pointer of its own (Warp::stack), which a function restores when it returns.
#pragma once

#include "interp/op.h"

namespace heddle::interp {

/// dst[0], of 4 or 8 bytes: the stack pointer, an address in the local window.
Handler stack_save(u32 bytes);
/// The stack pointer becomes src[0]. Traps when that lies outside of this function's part.
/// Op::offset: bytes of the function's variables.
Handler stack_restore(u32 bytes);
/// dst[0]: src[0] bytes below the stack pointer, which moves there. Op::count: log2 of the
/// alignment; Op::offset as above.
Handler stack_allocate(u32 bytes);

}  // namespace heddle::interp
