// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The code around the statements of a kernel or function: the thread's numbers, its places in
// memory, the initial values of its registers, and the stores of their final values.
#pragma once

#include <string>

#include "builder.h"

namespace heddle::generated {

inline constexpr u32 kSumBytes =
    8 * (kCells + 1);  ///< per CTA: its cells, and the sum that its lock protects

struct Frame {
  std::string setup, end;
  u32 slice_bytes = 0;  ///< for a kernel: a thread's part of the output
};

/// Variables of the module.
std::string variables(Random& random, Kernel& kernel, const Shared& shared);

/// The head comes last: it declares what the statements use.
Frame kernel_frame(Scope& scope, const Shared& shared);
/// Creates the barrier object, if it is used, after the frame's own setup.
std::string object_setup(Scope& scope, const Shared& shared);
std::string kernel_head(const Scope& scope, const Frame& frame, const Kernel& kernel);
Frame function_frame(Scope& scope);
std::string function_head(const Scope& scope, const Frame& frame, std::string_view name);

/// Stores the cells in shared memory to the CTA's part of the buffer.
Node store_sums(Scope& scope);

}  // namespace heddle::generated
