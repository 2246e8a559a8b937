// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What PTX says of f32 results that the processor does otherwise: a NaN is the canonical one, and
// `.ftz` flushes subnormal numbers (PTX ISA 9.7.3). Both are done only where somebody can tell.
#pragma once

#include <llvm/Target/TargetMachine.h>

#include "jit/llvm/scalar.h"

namespace heddle::jit {

/// flush() and bits_of_normal() of sem/float.h. They stay calls until place_flushes() has found
/// which flushes are needed.
bool is_inlined_late(const llvm::Function* function);

/// Replaces heddle.canonical. Whether a NaN is the canonical one shows only where its bits are
/// looked at, so it is made canonical there, and not between two additions.
void place_canonical_nans(ScalarKernel& kernel);

/// Removes flushes of what is no subnormal number. Where all arithmetic of the kernel flushes, the
/// processor does it (ScalarKernel::zeroes_subnormals), and calls are left only where bits are
/// looked at.
void place_flushes(ScalarKernel& kernel, const llvm::TargetMachine& machine);

}  // namespace heddle::jit
