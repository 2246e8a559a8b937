// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Variables of opaque types (PTX ISA 5.3): what istypep (9.7.10.6) asks. They are numbers in memory
// without a meaning until there are textures; their addresses are known when a module is loaded.
#pragma once

#include <vector>

#include "interp/op.h"
#include "machine/loaded.h"

namespace heddle::interp {

/// The addresses of the module's variables of that type; before them, how many there are.
std::vector<u64> opaque_variables(const machine::Loaded& loaded, isa::Type type);

/// src[0]: addresses; dst[0]: whether each is one of those at Op::offset.
void is_opaque(Warp& warp, const Op& op);

}  // namespace heddle::interp
