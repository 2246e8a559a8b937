// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Ways that are gone under a mask though all lanes of most teams go them: what stands behind
// `i < n`. They get a way of their own for whole teams, where loads and stores are of whole
// vectors; the one under a mask is left for the teams at the end.
#pragma once

#include <optional>
#include <utility>
#include <vector>

#include "jit/llvm/analysis/shape.h"
#include "jit/llvm/scalar.h"

namespace heddle::jit {

/// A condition, and which way it has to go.
using Requirement = std::pair<llvm::Value*, bool>;

/// Conditions that go the way they have to in all lanes where `requirement` does. Each is the same
/// for lanes that share a first value, or compares a number that those have in a line with one that
/// is the same for them (is_in_line()). None: it is not made of such.
std::optional<std::vector<Requirement>> requirements_of_team(const Requirement& requirement,
                                                             const Shapes& shapes);

/// Whether lanes that share a first value have numbers that rise or fall from one to the next, and
/// are not so far from each other that they would have to wrap around.
bool is_in_line(const llvm::Value& number, const Shapes& shapes);

/// Copies what stands behind such branches for whole teams: `whole` (scalar.h) asks for those.
/// True: there is a copy, of which the shapes know nothing.
bool make_unmasked_versions(ScalarKernel& kernel, const Shapes& shapes, const machine::Dim3& block);

}  // namespace heddle::jit
