// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Variables of opaque types (PTX ISA 5.3), for istypep (9.7.10.6). Until textures are implemented,
// such a variable is memory without a meaning; its address is known when the module is loaded.
#pragma once

#include <vector>

#include "interp/op.h"
#include "machine/loaded.h"

namespace heddle::interp {

/// The number of the module's variables of that type, then their addresses.
std::vector<u64> opaque_variables(const machine::Loaded& loaded, isa::Type type);

/// src[0]: addresses; dst[0]: whether each is in Op::variables.
void is_opaque(Warp& warp, const Op& op);

}  // namespace heddle::interp
