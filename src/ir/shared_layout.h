// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which .shared variables a kernel has, and where they lie in its CTA's window (PTX ISA 5.1.7).
#pragma once

#include <unordered_map>
#include <vector>

#include "ir/module.h"

namespace heddle::ir {

/// Where the .shared variables that a kernel can reach lie in its CTA's window.
struct SharedLayout {
  std::unordered_map<u32, u32> offset;  ///< VarId -> offset
  u64 static_bytes = 0;  ///< dynamic shared memory begins here (16-aligned when there is any)
};

/// Functions that `entry` may run, `entry` first: those that it names, calls or may call through a
/// list or an initialised table, and so on. A kernel whose address it takes is launched by it, not
/// called, and so is none of them.
std::vector<FunctionId> callable_functions(const Module& module, FunctionId entry);

SharedLayout lay_out_shared(const Module& module, FunctionId entry);

}  // namespace heddle::ir
