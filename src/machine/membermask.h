// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Instructions that name the threads of the warp which take part (`*.sync`, PTX ISA 9.7.9.6,
// 9.7.13.2, 9.7.13.8 to 9.7.13.14). Threads that have exited do not count. The manual leaves open
// what happens where the membermask does not name the thread that executes the instruction, and
// where threads name each other with different masks. Strict launches trap there. Others do what
// GPUs do: the thread waits for nobody who is not there, and its result is that of the named ones
// among those that execute the instruction together with it; of nobody, if there is none.
#pragma once

#include <string>

#include "base/types.h"

namespace heddle::machine {

/// Says that the thread in the lane executes an instruction whose membermask does not name it.
std::string describe_stranger(u32 membermask, u32 lane);

/// Says that another thread that the mask names executes the instruction with a mask of its own.
std::string describe_other_mask(u32 membermask, u32 other, u32 other_mask);

}  // namespace heddle::machine
