// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The shape of a scalar value over the lanes of a team: uniform, affine (a first value and a
// stride: an index, an address), or any. The shape decides whether an access becomes one vector
// load or sixteen scalar ones. A shape may hold for each half of a warp alone: in a block of 16 x
// 16 the halves are rows. A team is a warp, or two that run together (Shapes::team()).
//
// A shape holds among active lanes. In a loop that lanes leave one by one, a counter is uniform
// among the lanes in the loop; behind the loop it is not.
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

inline constexpr unsigned kHalf = 16;                ///< lanes of one vector
inline constexpr unsigned kHalves = kLanes / kHalf;  ///< of a warp

struct Shape {
  enum class Kind : u8 {
    unset,
    team,  ///< first + stride * lane, over the team
    warp,  ///< the same over each warp of several, with firsts of their own
    half,  ///< over each half of a warp
    any,
  };
  Kind kind = Kind::unset;
  s64 stride = 0;
  u64 align = 1;  ///< divides the first value; a power of two
  /// Widened indices that the value contains, and their factors. The shape holds if no lane of them
  /// wrapped around.
  std::vector<std::pair<const llvm::Instruction*, s64>> widened;

  bool operator==(const Shape&) const = default;
  bool is_uniform() const { return kind == Kind::team && stride == 0; }
  bool is_affine() const { return kind != Kind::unset && kind != Kind::any; }
  static Shape uniform(u64 align = 1) { return {Kind::team, 0, align, {}}; }
  static Shape any() { return {Kind::any, 0, 1, {}}; }
  /// The shape over each warp, or half, alone.
  Shape by(Kind part) const;
};

class Shapes {
 public:
  /// Of teams of so many warps.
  Shapes(const ScalarKernel& kernel, const machine::Dim3& block, u32 warps);

  Shape of(const llvm::Value* value) const;
  /// The distance of the last lane that shares the first value from that value.
  s64 reach(const Shape& shape) const {
    return shape.stride * (static_cast<s64>(halves_of(shape) * kHalf) - 1);
  }
  /// Halves that share a first value.
  unsigned halves_of(const Shape& shape) const {
    return shape.kind == Shape::Kind::team   ? team_ / kHalf
           : shape.kind == Shape::Kind::warp ? kHalves
                                             : 1;
  }
  u32 team() const { return team_; }  ///< lanes
  /// Whether the branch at the end of the block may be divergent.
  bool is_divergent(const llvm::BasicBlock* block) const { return divergent_.count(block) != 0; }
  /// The block where the lanes of that branch reconverge, in the same iteration of their loops.
  /// Null: there is none.
  const llvm::BasicBlock* reconvergence_of(const llvm::BasicBlock* block) const;
  /// The condition of a branch that at most one lane of a team takes to that successor: a
  /// comparison of an affine with a uniform value. Null: it is no such branch.
  const llvm::ICmpInst* lane_test(const llvm::BasicBlock* from, unsigned successor) const;
  /// Whether lanes may leave the loop in different iterations.
  bool is_divergent(const llvm::Loop* loop) const { return divergent_loops_.count(loop) != 0; }
  /// Whether divergent lanes may reconverge at the beginning of the block.
  bool may_reconverge(const llvm::BasicBlock* block) const {
    return reconverging_.count(block) != 0;
  }

  /// Whether all lanes that leave `from` reach `to`, and lanes in a loop with both in the same
  /// iteration.
  bool always_leads(const llvm::BasicBlock* from, const llvm::BasicBlock* to) const;

  llvm::DominatorTree dominators;
  llvm::LoopInfo loops;

 private:
  Shape compute(const llvm::Instruction& inst) const;
  Shape of_binary(const llvm::BinaryOperator& inst) const;
  Shape of_compare(const llvm::ICmpInst& inst) const;
  Shape of_cast(const llvm::CastInst& inst) const;
  Shape of_phi(const llvm::PHINode& phi) const;
  Shape of_thread_number(u64 component) const;
  Shape of_load(const llvm::CallInst& call) const;
  Shape of_wait(const llvm::CallInst& call) const;
  Shape of_warp_operation(const llvm::CallInst& call) const;
  Shape of_call(const llvm::CallInst& call) const;
  Shape of_others(const llvm::Instruction& inst) const;
  bool diverge(llvm::BasicBlock* block);
  llvm::PostDominatorTree post_dominators_;
  /// No carry leaves the bits below `align` on the way from lane to lane.
  bool stays_within(const Shape& shape, u64 bound) const {
    return shape.is_affine() && shape.widened.empty() && shape.stride >= 0 &&
           static_cast<u64>(reach(shape)) < std::min(shape.align, bound);
  }

  const std::vector<Site>& sites_;
  const machine::Dim3 block_;
  const u32 team_;
  std::map<const llvm::Value*, Shape> shapes_;
  std::set<const llvm::BasicBlock*> divergent_, reconverging_;
  std::set<const llvm::Loop*> divergent_loops_;
};

}  // namespace heddle::jit
