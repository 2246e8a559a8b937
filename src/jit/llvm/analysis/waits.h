// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Code in which threads wait for each other otherwise than at barriers of the CTA: for barrier
// objects (PTX ISA 9.7.13.15.16), and in loops that look at memory until another thread, perhaps of
// another CTA, has written there. The warp comes back to the run-time after each round, and others
// have their turns. Lanes of one warp have none, but where interleave_lanes.h gives them some.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "jit/llvm/analysis/shape.h"
#include "jit/llvm/scalar.h"

namespace heddle::jit {

struct WaitingLoop {
  /// A load, an atomic operation or a question on which it depends how the loop goes on.
  const llvm::CallInst* asks = nullptr;
  bool writes = false;  ///< it does more than to look
};
using WaitingLoops = std::map<const llvm::Loop*, WaitingLoop>;

/// Loops that may go on until another thread has done something.
WaitingLoops find_waiting_loops(const ScalarKernel& kernel, const Shapes& shapes);

/// Whether lanes that go around one of those loops hold others of their warp up that may do what
/// they wait for.
bool holds_answers_up(const ScalarKernel& kernel, const Shapes& shapes, const llvm::Loop& loop);

/// Whether threads wait for others of their warp at the instruction: for all that have not exited,
/// or those that it names.
bool needs_all(const llvm::Instruction& inst, const ScalarKernel& kernel);

/// Blocks from which on some lanes of a warp may come to such an instruction while others go
/// another way. A warp arrives at a barrier as a whole: lanes that part must all come to the same
/// ones, or to none any more.
struct DivergentBarrier {
  std::vector<llvm::BasicBlock*> blocks;  ///< a loop's header, or where a branch leads
  const char* why = nullptr;
};
/// `for_all`: of those only that wait for all threads of the warp, or of the CTA.
std::vector<DivergentBarrier> find_divergent_barriers(const ScalarKernel& kernel,
                                                      const Shapes& shapes, bool for_all = false);

/// Whether all lanes of a warp come to the instruction before any of them goes on.
bool gathers(const llvm::Instruction& inst, const ScalarKernel& kernel);

/// Whether nothing that the loop does is noticed: it asks barrier objects, again and again.
bool only_asks(const llvm::Loop& loop, const ScalarKernel& kernel);

/// If waits for barrier objects hold others of the warp up that may arrive there, has them be
/// answered at once: the instructions promise no more (9.7.13.15.16). The loops around them wait.
void ask_instead(ScalarKernel& kernel, const Shapes& shapes);

/// Notes which waits for barrier objects stand in loops that do nothing else: Site::alone.
void find_lone_waits(ScalarKernel& kernel, const Shapes& shapes);

/// Why lanes of a warp may wait for others of it; empty: they do not.
std::string check_waits(const ScalarKernel& kernel, const Shapes& shapes,
                        const WaitingLoops& loops);

}  // namespace heddle::jit
