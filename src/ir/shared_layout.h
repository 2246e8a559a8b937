// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The .shared variables of a kernel, and their offsets in its CTA's window (PTX ISA 5.1.7).
#pragma once

#include <unordered_map>
#include <vector>

#include "ir/module.h"

namespace heddle::ir {

/// The offsets of all .shared variables that a kernel can reach.
struct SharedLayout {
  std::unordered_map<u32, u32> offset;  ///< VarId -> offset
  u64 static_bytes = 0;  ///< dynamic shared memory begins here (16-aligned when there is any)
};

/// The functions that `entry` may run, `entry` first: the transitive closure of the functions that
/// it names, calls or may call through a list or an initialised table. A kernel whose address is
/// taken is not included, because it is launched, not called.
std::vector<FunctionId> callable_functions(const Module& module, FunctionId entry);

SharedLayout lay_out_shared(const Module& module, FunctionId entry);

}  // namespace heddle::ir
