// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Teams: warps that run together. One warp is two vectors, and its code is often a chain in which
// each instruction waits for the one before. Two warps have twice the chains, share uniform values,
// and come to barriers half as often.
#pragma once

#include <string>

#include "jit/llvm/analysis/shape.h"
#include "jit/llvm/scalar.h"

namespace heddle::jit {

/// Why the warps of this kernel should run one by one; empty: in pairs. `shapes`: of pairs. The
/// block is a whole number of pairs.
std::string why_alone(const ScalarKernel& kernel, const Shapes& shapes, const machine::Dim3& block);

}  // namespace heddle::jit
