// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// From the code of one thread to the code of a warp: u32 warp(Context*, frame*), which returns an
// Outcome. A warp is two vectors of sixteen lanes, and so is a mask. What is the same for all lanes
// stays scalar, and so does the first of an affine value.
//
// Control flow. The blocks of a function, or of a loop's body, are laid out one behind the other in
// an order in which all that a block dominates follows it at once. A block that not all lanes come
// to is jumped over, with what it dominates, when none does. Where paths meet, each way leaves its
// values in variables, under its lanes' mask; SROA turns those into values afterwards. In a loop
// nothing is masked but what leaves it and what writes memory.
#pragma once

#include "jit/llvm/analyses.h"
#include "jit/llvm/analysis/shape.h"
#include "jit/llvm/scalar.h"

namespace heddle::jit {

struct Plan;

/// The function of some CTAs, which runs them one after the other, and so the teams of each: its
/// warps, or two by two.
struct Vectorized {
  llvm::Function* function = nullptr;  ///< null: it is not made yet
  llvm::BasicBlock* entry = nullptr;   ///< what all CTAs share
  llvm::BasicBlock* cta = nullptr;     ///< where each CTA begins, or goes on: what its warps share
  llvm::BasicBlock* head = nullptr;    ///< where each team begins; jumps to its code
  llvm::PHINode* turn = nullptr;       ///< in the head, counts the teams; null: there is one
  llvm::Value* team = nullptr;         ///< the number of the one whose turn it is
  llvm::BasicBlock* next = nullptr;    ///< where each team ends: the next one, or done
  llvm::BasicBlock* done = nullptr;
  llvm::BasicBlock* finished = nullptr;  ///< where each CTA ends
  bool turns = false;                    ///< CTAs take turns (cta_switching.h)
  bool waits = false;                    ///< Image::waits
};

/// Adds the CTA's function to the kernel's module. why_not_vectorized() knows no reason not to.
Vectorized vectorize(ScalarKernel& kernel, const Plan& plan, Analyses& analyses,
                     const machine::Dim3& block);

/// Marks where a warp waits; split_regions() takes it out. void(i32 site, i32 barrier)
inline constexpr const char* kRegionEnd = "heddle.region.end";

}  // namespace heddle::jit
