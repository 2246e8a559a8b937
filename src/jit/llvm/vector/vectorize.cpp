// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "jit/llvm/vector/vectorize.h"

#include <llvm/ADT/PostOrderIterator.h>

#include "jit/llvm/vector/control_flow.h"
#include "jit/llvm/vector/plan.h"

namespace heddle::jit {
namespace {

BlockOrder order_of(llvm::Function& function) {
  BlockOrder order;
  u32 number = 0;
  for (llvm::BasicBlock* block : llvm::ReversePostOrderTraversal<llvm::Function*>(&function))
    order[block] = number++;
  return order;
}

}  // namespace

Vectorized vectorize(ScalarKernel& kernel, const Plan& plan, Analyses& analyses,
                     const machine::Dim3& block) {
  const BlockOrder order = order_of(*kernel.function);
  const Processor processor{analyses.functions.getResult<llvm::TargetIRAnalysis>(*kernel.function),
                            analyses.target.getTargetCPU().starts_with("znver")};
  BoundsAnalysis bounds(*kernel.function, analyses);

  // Each emitter gets those that it uses, so the order is that of their layers.
  CtaFunction function(kernel, plan.shapes, block);
  LaneValues values(function);
  RuntimeCalls runtime(function, values);
  LocalAccesses local(function, values);
  MemoryWindows windows(function, local);
  AccessGroups groups(kernel, plan.shapes, function.masks);
  AccessChecks checks(function, values, runtime, windows, groups, bounds, processor);
  Prefetcher prefetcher(function, values, windows, bounds, processor);
  ScatteredAccesses scattered(function, values, runtime, windows, groups, checks);
  VectorAccesses vectors(function, values, windows, groups, prefetcher, scattered, processor);
  Accesses accesses(function, values, runtime, local, windows, checks, prefetcher, scattered,
                    vectors);
  Atomics atomics(function, values, runtime, windows, groups, checks);
  WarpOperations warp_operations(function, values, runtime, plan.demanded);
  FallbackOperations fallback(function, values, runtime);
  MatrixAccesses matrices(function, values, runtime, windows, fallback);
  AsyncCopies async_copies(function, values, runtime, windows, fallback);
  BranchConditions conditions(function, values);
  Instructions instructions(function, values, plan.demanded);
  MachineOperations operations(function, values, runtime, local, conditions, accesses, atomics,
                               warp_operations, fallback, matrices, async_copies);
  PhiVariables phis(function, values);
  SequentialLoops sequential(function, values, phis, runtime, windows, groups, checks, processor,
                             plan.waiting, order);
  ControlFlow control(function, phis, conditions, groups, instructions, operations, sequential,
                      plan.waiting, order);

  control.emit(function.first_mask());
  Vectorized made = function.finish();
  made.waits = !plan.waiting.empty();
  return made;
}

}  // namespace heddle::jit
