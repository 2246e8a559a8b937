// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The values of the scalar code in the code of a team: a scalar for what lanes share, or the first
// lane's and a stride (shape.h); or vectors of lanes. Scalars of further halves and vectors of
// affine values are computed when they are first used.
#pragma once

#include <map>

#include "jit/llvm/vector/emitter.h"

namespace heddle::jit {

struct LaneValue {
  Shape shape;
  Halves scalars{};  ///< affine: of each half's first lane. Made when asked for, but for the first
                     ///< of those halves that share one
  Halves vectors{};  ///< affine: computed on first use
};

class LaneValues : Emitter {
 public:
  explicit LaneValues(CtaFunction& function) : Emitter(function) {}

  void define(const llvm::Value& value, LaneValue lanes);
  /// Vectors, of any shape.
  void define(const llvm::Value& value, const Halves& vectors);
  void define_uniform(const llvm::Value& value, llvm::Value* scalar);

  /// Of an affine value, the first lane's of a half.
  llvm::Value* scalar(llvm::Value* value, unsigned half = 0);
  /// All lanes of a half.
  llvm::Value* vector(llvm::Value* value, unsigned half);
  /// The same, computed at the insertion point and not kept: on unlikely paths, so that no register
  /// is needed elsewhere.
  llvm::Value* vector_here(llvm::Value* value, unsigned half);
  /// Of the lane with that number (i32) in the team.
  llvm::Value* lane(llvm::Value* value, llvm::Value* number);
  /// Of a value with a pattern (pattern.h): the half's first lane, by scalar instructions.
  llvm::Value* scalar_of_first_lane(llvm::Value* value, unsigned half);

  /// i1: whether no lane wraps around in the widenings of the shape, without which it does not
  /// hold. Null: it always holds.
  llvm::Value* no_wrap(const Shape& shape);

 private:
  llvm::Value* wrap_offset(const llvm::Instruction* widening, unsigned half);
  bool is_nearly_affine(const llvm::Value* value, unsigned steps) const;

  std::map<const llvm::Value*, LaneValue> lanes_;
  std::map<const llvm::Instruction*, llvm::Value*> no_wrap_;  ///< by widening
};

}  // namespace heddle::jit
