// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The steps of the compiler as text: LLVM IR with the PTX lines that it comes from.
#pragma once

#include <string>

#include "jit/llvm/analysis/shape.h"
#include "jit/llvm/scalar.h"

namespace heddle::jit {

/// With `shapes`: what is known of each value over the lanes of a warp, too.
std::string dump(const llvm::Function& function, const ScalarKernel& kernel,
                 const ir::Module& module, const Shapes* shapes = nullptr);

/// The kernel's whole module. `module`: null when the code was read as text.
std::string dump_all(const ScalarKernel& kernel, const ir::Module* module, const Shapes* shapes);

/// A shape in words: "uniform", "+4 a lane".
std::string describe_shape(const Shape& shape);

}  // namespace heddle::jit
