// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// From LLVM IR to an Image: machine code that can lie anywhere.
#pragma once

#include <llvm/Target/TargetMachine.h>

#include <memory>
#include <string>

#include "jit/llvm/analyses.h"
#include "jit/llvm/scalar.h"

namespace heddle::jit {

/// Whether LLVM has code for a processor of that name.
bool is_known_cpu(const std::string& cpu);

/// For `cpu`, an LLVM name; empty: this host. Null when LLVM does not know it.
std::unique_ptr<llvm::TargetMachine> make_target(const std::string& cpu);

/// LLVM 19 takes a comparison of a magnitude with zero for one of the number itself, `|x| > 0` for
/// `x > 0`, when it joins it with a test for NaN (InstCombine's classes of numbers). It does so
/// only where it believes that it knows what becomes of subnormal numbers: it shall not.
void compute_as_written(llvm::Function& function);

/// Fills in code, entry and lines. Returns why it cannot.
std::string generate(ScalarKernel& kernel, llvm::TargetMachine& target, Image& image);

/// The code as text, with the PTX lines.
std::string assembly(ScalarKernel& kernel, llvm::TargetMachine& target, const ir::Module& module);

}  // namespace heddle::jit
