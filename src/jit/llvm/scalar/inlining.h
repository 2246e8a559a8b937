// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Inlines all functions into the kernel.
#pragma once

#include <string>

#include "jit/llvm/analyses.h"
#include "jit/llvm/scalar.h"

namespace heddle::jit {

/// Whether the processor computes with f16.
bool has_halves(const llvm::TargetMachine& machine);

/// Functions of the semantics become the processor's instruction, where it has one.
void use_instructions(ScalarKernel& kernel, Analyses& analyses);

/// Clones functions that are called by instructions with kAnyMode, with that mark on their
/// arithmetic.
void mark_any_mode(ScalarKernel& kernel);

/// Inlines all functions but recursive ones and those of is_inlined_late().
void inline_functions(ScalarKernel& kernel, Analyses& analyses);

/// Turns recursive functions into loops (recursion.cpp), one SCC of the call graph after the other,
/// and inlines them. Returns why it cannot; empty: it can.
std::string inline_recursion(ScalarKernel& kernel, Analyses& analyses);

/// Inlines the functions of is_inlined_late().
void inline_late(ScalarKernel& kernel, Analyses& analyses);

}  // namespace heddle::jit
