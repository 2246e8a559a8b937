// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Values of all lanes as LLVM vectors: one vector of sixteen lanes for each half of a warp.
#pragma once

#include <llvm/IR/IRBuilder.h>

#include <array>
#include <vector>

#include "jit/context.h"
#include "jit/llvm/analysis/shape.h"

namespace heddle::jit {

/// One value for each half of each of the team's warps; null behind the last of those.
using Halves = std::array<llvm::Value*, kMostWarps * kHalves>;

/// The type of a half's lanes: <16 x T>; of a struct that of each member; of <n x T> <16 * n x T>.
llvm::Type* vector_of(llvm::Type* type);

/// The value in each lane of a half.
llvm::Value* splat(llvm::IRBuilder<>& builder, llvm::Value* value);

/// stride * lane, for the lanes of a half.
llvm::Constant* step_vector(llvm::Type* type, s64 stride);

/// The mask of a half for vectors of `count` elements a lane.
llvm::Value* repeated(llvm::IRBuilder<>& builder, llvm::Value* mask, unsigned count);

/// A lane's elements as one value: a struct, where there are several.
llvm::Value* record_of(llvm::IRBuilder<>& builder, const std::vector<llvm::Value*>& parts);

}  // namespace heddle::jit
