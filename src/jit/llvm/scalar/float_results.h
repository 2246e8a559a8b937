// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// PTX's rules for f32 results that the processor does not follow: a NaN is the canonical one, and
// `.ftz` flushes subnormal numbers (PTX ISA 9.7.3). Either is done only where it can be observed.
#pragma once

#include <llvm/Target/TargetMachine.h>

#include "jit/llvm/scalar.h"

namespace heddle::jit {

/// The functions flush() and bits_of_normal() of sem/float.h, which stay calls until
/// place_flushes() has found which flushes are needed.
bool is_inlined_late(const llvm::Function* function);

/// Replaces heddle.canonical. A NaN is made canonical where its bits are used, and not between two
/// additions, where it makes no difference.
void place_canonical_nans(ScalarKernel& kernel);

/// Removes flushes of numbers that are not subnormal. Where all arithmetic of the kernel flushes,
/// the processor does it (ScalarKernel::zeroes_subnormals), and calls remain only where bits are
/// used.
void place_flushes(ScalarKernel& kernel, const llvm::TargetMachine& machine);

}  // namespace heddle::jit
