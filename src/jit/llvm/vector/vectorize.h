// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// From the code of one thread to the code of CTAs, u32 cta(Context*, frames*), which returns an
// Outcome. A warp is two vectors of sixteen lanes, and so is a mask. Uniform values stay scalar,
// and so does the first lane of an affine value.
//
// The emitters, from the bottom: CtaFunction, the function and its variables; LaneValues, values of
// all lanes; RuntimeCalls; AccessGroups, MemoryWindows and AccessChecks, which access is legal;
// VectorAccesses, ScatteredAccesses, LocalAccesses and Prefetcher, how it is made; Accesses,
// Atomics, WarpOperations and FallbackOperations, which MachineOperations dispatches to;
// Instructions; and ControlFlow, which walks the blocks. Each has references to those it uses. None
// can refuse: plan.h has.
#pragma once

#include "jit/llvm/analyses.h"
#include "jit/llvm/analysis/shape.h"
#include "jit/llvm/scalar.h"

namespace heddle::jit {

struct Plan;

/// The function of some CTAs, one after the other. A CTA executes its teams one after the other:
/// its warps, or pairs of them.
struct Vectorized {
  llvm::Function* function = nullptr;  ///< null before vectorize
  llvm::BasicBlock* entry = nullptr;   ///< what all CTAs share
  llvm::BasicBlock* cta = nullptr;     ///< where each CTA begins or resumes: what its warps share
  llvm::BasicBlock* head = nullptr;    ///< where each team begins; branches to its code
  llvm::PHINode* team_counter = nullptr;  ///< in the head, counts the teams; null if there is one
  llvm::Value* team = nullptr;            ///< number of the team that runs
  llvm::BasicBlock* next = nullptr;       ///< where each team ends: branches to head, or done
  llvm::BasicBlock* done = nullptr;
  llvm::BasicBlock* finished = nullptr;  ///< where each CTA ends
  bool switches_ctas = false;            ///< switches between CTAs (cta_switching.h)
  bool waits = false;                    ///< Image::waits
};

/// Adds the CTA's function to the kernel's module. why_not_vectorized() knows no reason not to.
Vectorized vectorize(ScalarKernel& kernel, const Plan& plan, Analyses& analyses,
                     const machine::Dim3& block);

/// Marks where a warp waits, and ends a region: void(i32 site, i32 barrier). split_regions()
/// replaces it.
inline constexpr const char* kRegionEnd = "heddle.region.end";

}  // namespace heddle::jit
