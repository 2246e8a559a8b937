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

/// For `cpu`, an LLVM name; empty: this host. Null when LLVM does not know it.
std::unique_ptr<llvm::TargetMachine> make_target(const std::string& cpu);

/// Cleans the CTA's function up, as far as it pays for vectors. Blocks stay what they are until
/// the last time.
void tidy_vectors(llvm::Function& cta, Analyses& analyses, bool last);

/// Fills in code, entry and lines. Returns why it cannot.
std::string generate(ScalarKernel& kernel, llvm::TargetMachine& target, Image& image);

/// The code as text, with the PTX lines.
std::string assembly(ScalarKernel& kernel, llvm::TargetMachine& target, const ir::Module& module);

}  // namespace heddle::jit
