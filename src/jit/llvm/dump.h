// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Prints the compiler's steps: LLVM IR with the PTX lines that it comes from.
#pragma once

#include <string>

#include "jit/llvm/analysis/shape.h"
#include "jit/llvm/scalar.h"

namespace heddle::jit {

/// With `shapes`: also the shape of each value over the lanes.
std::string dump(const llvm::Function& function, const ScalarKernel& kernel,
                 const ir::Module& module, const Shapes* shapes = nullptr);

/// Prints the kernel's whole module. `module` is null when the code was read as text.
std::string dump_all(const ScalarKernel& kernel, const ir::Module* module, const Shapes* shapes);

/// A shape in words: "uniform", "+4 a lane".
std::string describe_shape(const Shape& shape);

}  // namespace heddle::jit
