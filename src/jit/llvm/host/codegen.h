// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// From LLVM IR to an Image: position-independent machine code.
#pragma once

#include <llvm/Target/TargetMachine.h>

#include <memory>
#include <string>

#include "jit/llvm/analyses.h"
#include "jit/llvm/scalar.h"

namespace heddle::jit {

/// Whether LLVM can generate code for a processor of that name.
bool is_known_cpu(const std::string& cpu);

/// The target of `cpu`, an LLVM name; empty: this host. Null: LLVM does not know it.
std::unique_ptr<llvm::TargetMachine> make_target(const std::string& cpu);

/// When LLVM 19 joins a comparison of a magnitude with zero and a test for NaN (InstCombine's
/// classes of numbers), it takes `|x| > 0` for `x > 0`. It does so only where the mode for
/// subnormal numbers is known, so functions declare that it is not.
void compute_as_written(llvm::Function& function);

/// Fills in code, entry and lines. Returns why it cannot; empty: it can.
std::string generate(ScalarKernel& kernel, llvm::TargetMachine& target, Image& image);

/// The assembly code as text, with PTX lines.
std::string assembly(ScalarKernel& kernel, llvm::TargetMachine& target, const ir::Module& module);

}  // namespace heddle::jit
