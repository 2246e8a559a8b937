// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Instructions whose membermask names the threads of the warp that take part (`*.sync`, PTX ISA
// 9.7.9.6, 9.7.13.2, 9.7.13.8 to 9.7.13.14). Threads that have exited do not count. Two cases are
// undefined in the manual: a membermask that does not name the executing thread, and threads that
// name each other with different masks. Strict launches trap in these cases. Other launches do the
// same as GPUs: the thread does not wait for absent threads, and its result is that of the named
// threads among the threads that execute the instruction together with it; of an empty set, if
// there is none.
#pragma once

#include <string>

#include "base/types.h"

namespace heddle::machine {

/// The message that the thread in the lane executes an instruction whose membermask does not name
/// it.
std::string describe_unnamed_thread(u32 membermask, u32 lane);

/// The message that another thread named by the mask executes the instruction with a different
/// mask.
std::string describe_other_mask(u32 membermask, u32 other, u32 other_mask);

}  // namespace heddle::machine
