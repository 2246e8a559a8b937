// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// From functions that call each other to one function.
#pragma once

#include <string>

#include "jit/llvm/analyses.h"
#include "jit/llvm/scalar.h"

namespace heddle::jit {

/// Whether the processor computes with f16.
bool has_halves(const llvm::TargetMachine& machine);

/// Functions of the semantics for which the processor has an instruction become that instruction.
void use_instructions(ScalarKernel& kernel, Analyses& analyses);

/// Marks with kAnyMode what is called by instructions with that mark: copies of those functions.
void mark_any_mode(ScalarKernel& kernel);

/// Inlines all functions but recursive ones and those of is_inlined_late().
void inline_functions(ScalarKernel& kernel, Analyses& analyses);

/// Turns recursive functions into loops (recursion.cpp), one circle of them after the other, and
/// inlines those. Returns why it cannot.
std::string inline_recursion(ScalarKernel& kernel, Analyses& analyses);

/// Inlines the functions of is_inlined_late().
void inline_late(ScalarKernel& kernel, Analyses& analyses);

}  // namespace heddle::jit
