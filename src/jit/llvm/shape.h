// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What is known of a scalar value over the lanes of a warp: the same for all, a first value and a
// step (an index, an address), or anything. This is what decides whether an access becomes one
// vector load or sixteen scalar ones. Per half of a warp too: in a block of 16 x 16 the halves are
// rows of their own.
//
// It holds among the lanes that run together. In a loop that lanes leave one by one a counter is
// the same for all that are still in it; behind the loop it is not.
#pragma once

#include <llvm/Analysis/LoopInfo.h>
#include <llvm/Analysis/PostDominators.h>
#include <llvm/IR/Dominators.h>

#include <algorithm>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "jit/llvm/scalar.h"

namespace heddle::jit {

inline constexpr unsigned kHalf = 16;  ///< lanes of one vector
inline constexpr unsigned kHalves = 2;

struct Shape {
  enum class Kind : u8 {
    unset,
    warp,  ///< first + stride * lane, over the warp
    half,  ///< the same over each half, with firsts of their own
    any,
  };
  Kind kind = Kind::unset;
  s64 stride = 0;
  u64 align = 1;  ///< divides the first value; a power of two
  /// Widenings on the way here, which hold if no lane wrapped around, and the factor since then.
  std::vector<std::pair<const llvm::Instruction*, s64>> widened;

  bool operator==(const Shape&) const = default;
  bool is_uniform() const { return kind == Kind::warp && stride == 0; }
  bool is_affine() const { return kind == Kind::warp || kind == Kind::half; }
  static Shape uniform(u64 align = 1) { return {Kind::warp, 0, align, {}}; }
  static Shape any() { return {Kind::any, 0, 1, {}}; }
  /// How far the last lane that shares the first value is from it.
  s64 reach() const {
    return stride * static_cast<s64>(kind == Kind::warp ? kHalves * kHalf - 1 : kHalf - 1);
  }
  /// What is known of each half alone.
  Shape by_half() const;
  /// No carry leaves the bits below `align` on the way from lane to lane.
  bool stays_within(u64 bound) const {
    return is_affine() && widened.empty() && stride >= 0 &&
           static_cast<u64>(reach()) < std::min(align, bound);
  }
};

class Shapes {
 public:
  Shapes(const ScalarKernel& kernel, const machine::Dim3& block);

  Shape of(const llvm::Value* value) const;
  /// Whether the lanes that reach the end of the block may part there.
  bool parts(const llvm::BasicBlock* block) const { return parting_.count(block) != 0; }
  /// Whether lanes leave the loop one by one.
  bool parts(const llvm::Loop* loop) const { return parting_loops_.count(loop) != 0; }
  /// Whether lanes that parted may meet at the block's beginning.
  bool meets(const llvm::BasicBlock* block) const { return meeting_.count(block) != 0; }

  llvm::DominatorTree dominators;
  llvm::PostDominatorTree post_dominators;
  llvm::LoopInfo loops;

 private:
  Shape compute(const llvm::Instruction& inst) const;
  Shape of_binary(const llvm::BinaryOperator& inst) const;
  Shape of_compare(const llvm::ICmpInst& inst) const;
  Shape of_cast(const llvm::CastInst& inst) const;
  Shape of_phi(const llvm::PHINode& phi) const;
  Shape of_call(const llvm::CallInst& call) const;
  Shape of_others(const llvm::Instruction& inst) const;
  bool part(llvm::BasicBlock* block);

  const std::vector<Site>& sites_;
  const machine::Dim3 block_;
  std::map<const llvm::Value*, Shape> shapes_;
  std::set<const llvm::BasicBlock*> parting_, meeting_;
  std::set<const llvm::Loop*> parting_loops_;
};

}  // namespace heddle::jit
