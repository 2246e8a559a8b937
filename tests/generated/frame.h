// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What stands around the statements of a kernel or function: who the thread is, where it may go in
// memory, what is in its registers at the start, and where they go at the end.
#pragma once

#include <string>

#include "builder.h"

namespace heddle::generated {

inline constexpr u32 kSumBytes =
    8 * (kCells + 1);  ///< of a CTA: its cells, and what its lock protected

struct Frame {
  std::string setup, end;
  u32 slice_bytes = 0;  ///< of a kernel: a thread's part of the output
};

/// Variables of the module.
std::string variables(Random& random, Kernel& kernel, const Shared& shared);

/// The head comes last: it declares what the statements use.
Frame kernel_frame(Scope& scope, const Shared& shared);
/// When somebody uses it: what makes the barrier object, behind the frame's own setup.
std::string object_setup(Scope& scope, const Shared& shared);
std::string kernel_head(const Scope& scope, const Frame& frame, const Kernel& kernel);
Frame function_frame(Scope& scope);
std::string function_head(const Scope& scope, const Frame& frame, std::string_view name);

/// The cells in shared memory go to the CTA's part of the buffer.
Node store_sums(Scope& scope);

}  // namespace heddle::generated
