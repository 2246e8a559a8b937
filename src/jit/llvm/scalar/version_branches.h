// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Loop versioning for branches: code behind a divergent branch like `i < n`, which all lanes of
// most teams execute, gets an unmasked version for whole teams, with loads and stores of whole
// vectors. The masked version is left for the teams at the end.
#pragma once

#include <optional>
#include <utility>
#include <vector>

#include "jit/llvm/analysis/shape.h"
#include "jit/llvm/scalar.h"

namespace heddle::jit {

/// A condition, and the value that it must have.
using Requirement = std::pair<llvm::Value*, bool>;

/// Conditions that together imply `requirement` in all lanes. Each is uniform for lanes that share
/// a first value, or compares an affine value with a uniform one (is_in_line()). None: it cannot be
/// expressed by such.
std::optional<std::vector<Requirement>> requirements_of_team(const Requirement& requirement,
                                                             const Shapes& shapes);

/// Whether the value is affine with a stride that is not zero, and so small that lanes need not
/// wrap around.
bool is_in_line(const llvm::Value& number, const Shapes& shapes);

/// Copies the code behind such branches for whole teams, which heddle.all_lanes tests. True: there
/// is a copy, which has no shapes yet.
bool make_unmasked_versions(ScalarKernel& kernel, const Shapes& shapes, const machine::Dim3& block);

}  // namespace heddle::jit
