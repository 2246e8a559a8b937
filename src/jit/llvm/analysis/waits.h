// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Waits other than barriers of the CTA: for barrier objects (PTX ISA 9.7.13.15.16), and loops that
// read memory until another thread, perhaps of another CTA, has written there. In such a loop the
// warp returns to the run-time after each iteration, and other warps run. The lanes of one warp
// cannot wait for each other in this way, except where interleave_lanes.h interleaves them.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "jit/llvm/analysis/shape.h"
#include "jit/llvm/scalar.h"

namespace heddle::jit {

struct WaitingLoop {
  /// The load, atomic operation or wait whose result decides whether the loop is left.
  const llvm::CallInst* asks = nullptr;
  bool writes = false;  ///< the loop also writes or has a barrier
};
using WaitingLoops = std::map<const llvm::Loop*, WaitingLoop>;

/// Loops that may go on until another thread has done something.
WaitingLoops find_waiting_loops(const ScalarKernel& kernel, const Shapes& shapes);

/// Whether lanes in such a loop may wait for divergent lanes of their own warp, which cannot run
/// before the lanes reconverge.
bool holds_answers_up(const ScalarKernel& kernel, const Shapes& shapes, const llvm::Loop& loop);

/// Whether a thread waits at the instruction for other threads of its warp: for all that have not
/// exited, or for those in a membermask.
bool needs_all(const llvm::Instruction& inst, const ScalarKernel& kernel);

/// Blocks behind which some lanes of a warp may reach such an instruction while divergent lanes do
/// not. A warp arrives at a barrier as a whole: divergent lanes must reach the same barriers, or no
/// further one.
struct DivergentBarrier {
  std::vector<llvm::BasicBlock*> blocks;  ///< a loop's header, or where a branch leads
  const char* why = nullptr;
};
/// `for_all`: only for instructions that wait for all threads of the warp, or of the CTA.
std::vector<DivergentBarrier> find_divergent_barriers(const ScalarKernel& kernel,
                                                      const Shapes& shapes, bool for_all = false);

/// Whether all lanes of a warp reach the instruction before any of them continues.
bool gathers(const llvm::Instruction& inst, const ScalarKernel& kernel);

/// Whether the loop only polls barrier objects: no other thread can notice its iterations.
bool only_asks(const llvm::Loop& loop, const ScalarKernel& kernel);

/// Where a wait for a barrier object may wait for divergent lanes of its own warp, makes it a test
/// that returns at once, which the instruction permits (9.7.13.15.16): the loop around it waits.
void ask_instead(ScalarKernel& kernel, const Shapes& shapes);

/// Sets Site::alone of waits for barrier objects in loops that do nothing else.
void find_lone_waits(ScalarKernel& kernel, const Shapes& shapes);

/// Why a lane may wait for divergent lanes of its warp; empty: no lane does.
std::string check_waits(const ScalarKernel& kernel, const Shapes& shapes,
                        const WaitingLoops& loops);

}  // namespace heddle::jit
