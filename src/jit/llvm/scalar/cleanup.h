// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Small transformations of a thread's code that LLVM's passes do not do, or would undo.
#pragma once

#include "jit/llvm/analyses.h"
#include "jit/llvm/scalar.h"

namespace heddle::jit {

/// Registers begin as zero. Where one store dominates each load, no load sees that zero: the
/// initial store is removed, and a variable with a single store is promoted much sooner.
void drop_first_writes(llvm::Function& function);

/// Instructions that all predecessors of a block have in common move into the block. A phi node
/// behind a divergent branch would be a value of unknown shape.
void sink_common(llvm::Function& function);

/// 2 x - (x & c) becomes x + (x & ~c), which is neither negative nor more than 2 x: the index of a
/// thread's partner where elements at a distance are compared.
void add_masked(llvm::Function& function);

/// Replaces phi nodes of structs by phi nodes of their elements. LCSSA makes the former for loads
/// of several elements.
void scalarize_phis(llvm::Function& function);

/// Sign-extends indices that a branch keeps from being negative. Then they are affine over the
/// lanes, including inactive ones: `if (thread >= 4) ... [thread - 4]`.
void sign_extend_indices(llvm::Function& function, Analyses& analyses);

/// Gives each access a Site of its own, which the vectorizer writes to: inlining and unrolling have
/// copied accesses.
void number_accesses(ScalarKernel& kernel);

}  // namespace heddle::jit
