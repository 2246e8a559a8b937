// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "jit/llvm/vector/plan.h"

#include <llvm/ADT/PostOrderIterator.h>
#include <llvm/Analysis/VectorUtils.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>

#include <map>

#include <fmt/format.h>

namespace heddle::jit {
namespace {

/// ControlFlow needs loops with one preheader and one latch, and no other cycles.
std::string check_loops(const llvm::Function& function, const Shapes& shapes) {
  for (const llvm::Loop* loop : shapes.loops.getLoopsInPreorder()) {
    if (!loop->getLoopLatch() || !loop->getLoopPreheader())
      return "a loop that is entered or continued in several ways";
  }
  std::map<const llvm::BasicBlock*, u32> order;
  u32 number = 0;
  for (const llvm::BasicBlock* block :
       llvm::ReversePostOrderTraversal<const llvm::Function*>(&function))
    order[block] = number++;
  for (const auto& [block, place] : order) {
    for (const llvm::BasicBlock* next : llvm::successors(block)) {
      const llvm::Loop* loop = shapes.loops.getLoopFor(next);
      const bool again = loop && loop->getHeader() == next && loop->contains(block);
      if (order.at(next) <= place && !again) return "a loop that is entered in several ways";
    }
  }
  return {};
}

/// Whether a struct is computed by an instruction that exists for vectors.
bool has_vector_form(const llvm::Instruction& inst) {
  if (!inst.getType()->isStructTy()) return true;
  if (const auto* intrinsic = llvm::dyn_cast<llvm::IntrinsicInst>(&inst))
    return llvm::isa<llvm::WithOverflowInst>(intrinsic) ||
           llvm::isTriviallyVectorizable(intrinsic->getIntrinsicID());
  return llvm::isa<llvm::PHINode, llvm::SelectInst, llvm::FreezeInst, llvm::ExtractValueInst,
                   llvm::InsertValueInst>(inst);
}

std::string check_instruction(const llvm::Instruction& inst, const Shapes& shapes) {
  const MachineOp op = machine_op(inst);
  if (op == MachineOp::none) {
    const bool ignored = inst.isLifetimeStartOrEnd() || inst.isTerminator() ||
                         llvm::isa<llvm::DbgInfoIntrinsic, llvm::AssumeInst>(inst);
    if (!ignored &&
        (inst.mayWriteToMemory() || (!shapes.of(&inst).is_affine() && !has_vector_form(inst))))
      return fmt::format("'{}' in the semantics", inst.getOpcodeName());
    return {};
  }
  if (op == MachineOp::barrier_arrive || op == MachineOp::barrier_wait) {
    const auto& call = llvm::cast<llvm::CallInst>(inst);
    for (u32 i = 1; i < 3; ++i) {
      if (!shapes.of(call.getArgOperand(i)).is_uniform())
        return "threads of a warp that may name different barriers";
    }
  }
  return {};
}

}  // namespace

Plan::Plan(const ScalarKernel& kernel, const Shapes& of)
    : shapes(of), waiting(find_waiting_loops(kernel, of)), demanded(kernel, of) {}

std::string why_not_vectorized(const ScalarKernel& kernel, const Shapes& shapes) {
  if (const auto apart = find_divergent_barriers(kernel, shapes); !apart.empty())
    return apart.front().why;
  if (std::string why = check_waits(kernel, shapes, find_waiting_loops(kernel, shapes));
      !why.empty())
    return why;
  if (std::string why = check_loops(*kernel.function, shapes); !why.empty()) return why;
  for (const llvm::Instruction& inst : llvm::instructions(*kernel.function)) {
    if (!shapes.dominators.isReachableFromEntry(inst.getParent())) continue;
    if (std::string why = check_instruction(inst, shapes); !why.empty()) return why;
  }
  return {};
}

}  // namespace heddle::jit
