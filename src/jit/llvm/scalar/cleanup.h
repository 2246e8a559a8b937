// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Small rewritings of a thread's code that LLVM's passes do not do, or would undo.
#pragma once

#include "jit/llvm/analyses.h"
#include "jit/llvm/scalar.h"

namespace heddle::jit {

/// Registers begin as zero. Where each read is dominated by one and the same write nobody sees that
/// zero: the store of it goes, and a variable that is written once is promoted much sooner.
void drop_first_writes(llvm::Function& function);

/// What all predecessors of a block compute alike is computed in the block. A phi node behind a
/// divergent branch would be a value of which nothing is known.
void sink_common(llvm::Function& function);

/// 2 x - (x & c) becomes x + (x & ~c), which is neither negative nor more than 2 x: the index of a
/// thread's partner when elements at a distance are compared.
void add_masked(llvm::Function& function);

/// Replaces phi nodes of structs by phi nodes of their elements. LCSSA makes such phi nodes of what
/// a load of several elements gives.
void scalarize_phis(llvm::Function& function);

/// Widens indices that cannot be negative, for a branch on the way says so, with their signs. Then
/// they are affine over the lanes, also in lanes that do not come: `if (thread >= 4) ...
/// [thread - 4]`.
void sign_extend_indices(llvm::Function& function, Analyses& analyses);

/// Gives each access a Site of its own, in which the vectorizer notes what it is checked with.
/// Inlining and unrolling have made copies.
void number_accesses(ScalarKernel& kernel);

}  // namespace heddle::jit
