// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "jit/llvm/analysis/team.h"

#include <llvm/ADT/DenseSet.h>
#include <llvm/ADT/PostOrderIterator.h>
#include <llvm/IR/CFG.h>
#include <llvm/IR/Instructions.h>

#include <map>

#include "base/check.h"
#include "jit/llvm/analysis/fixed_point.h"
#include "jit/llvm/analysis/waits.h"

namespace heddle::jit {
namespace {

/// The most vectors of 512 bits that are live in a team, of 32 registers.
constexpr unsigned kMostVectors = 24;

/// Work of the run-time per warp, and values that differ between warps, cost more in a pair.
bool is_for_one(const llvm::CallInst& call, const std::vector<Site>& sites) {
  const MachineOp op = machine_op(call);
  if (op == MachineOp::none) return false;
  using Warps = MachineOpInfo::Warps;
  if (info_of(op).warps != Warps::depends) return info_of(op).warps == Warps::alone;
  if (op == MachineOp::load || op == MachineOp::store) return site_of(call, sites).ordered;
  HEDDLE_CHECK(op == MachineOp::warp_op);
  return !is_shuffle(site_of(call, sites)) ||
         !llvm::isa<llvm::ConstantInt>(call.getArgOperand(2)) ||
         !llvm::isa<llvm::ConstantInt>(call.getArgOperand(3));
}

/// Whether few instructions compute the value from affine values: it is rematerialized behind each
/// barrier (regions.cpp), and may be elsewhere.
bool is_cheap(const llvm::Value* value, const Shapes& shapes, unsigned depth = 6) {
  const auto* inst = llvm::dyn_cast<llvm::Instruction>(value);
  if (!inst || shapes.of(inst).is_affine()) return true;
  const bool computes = inst->isBinaryOp() && !inst->isIntDivRem();
  if (!inst->getType()->isIntegerTy() || !(computes || inst->isCast()) || !depth) return false;
  return llvm::all_of(inst->operand_values(), [&](const llvm::Value* operand) {
    return is_cheap(operand, shapes, depth - 1);
  });
}

/// Vectors that the value takes in a team.
unsigned vectors_of(const llvm::Value& value, const Shapes& shapes) {
  const llvm::Type* type = value.getType();
  if (!llvm::isa<llvm::Instruction>(value) || type->isVoidTy() || type->isIntegerTy(1)) return 0;
  if (is_cheap(&value, shapes)) return 0;
  const unsigned bits = type->isStructTy() ? 64 : type->getScalarSizeInBits();
  return shapes.team() / kHalf * (bits > 32 ? 2 : 1);
}

/// The most vectors that are live at a time.
unsigned most_vectors(const llvm::Function& function, const Shapes& shapes) {
  using Live = llvm::DenseSet<const llvm::Value*>;
  std::map<const llvm::BasicBlock*, Live> in;
  unsigned most = 0;
  // Live-in sets only grow.
  until_stable(function.size() * function.getInstructionCount(), [&] {
    bool changed = false;
    for (const llvm::BasicBlock* block : llvm::post_order(&function)) {
      Live live;
      unsigned vectors = 0;
      const auto add = [&](const llvm::Value* value) {
        const unsigned more = vectors_of(*value, shapes);
        if (more && live.insert(value).second) vectors += more;
      };
      for (const llvm::BasicBlock* next : llvm::successors(block)) {
        for (const llvm::Value* value : in[next]) add(value);
        for (const llvm::PHINode& phi : next->phis()) add(phi.getIncomingValueForBlock(block));
      }
      most = std::max(most, vectors);
      for (const llvm::Instruction& inst : llvm::reverse(*block)) {
        if (live.erase(&inst)) vectors -= vectors_of(inst, shapes);
        if (llvm::isa<llvm::PHINode>(inst)) continue;
        for (const llvm::Value* operand : inst.operand_values()) add(operand);
        most = std::max(most, vectors);
      }
      Live& before = in[block];
      if (live.size() != before.size()) {
        before = std::move(live);
        changed = true;
      }
    }
    return changed;
  });
  return most;
}

/// Whether lanes may stay in the loop for very different numbers of rounds, with accesses to memory
/// in each: a pair would wait for the slower warp, and nothing that one warp computes delays the
/// other. A loop that only computes is a chain, so the second warp is nearly free.
bool is_uneven(const llvm::Loop& loop, const Shapes& shapes) {
  llvm::SmallVector<llvm::BasicBlock*, 4> exiting;
  loop.getExitingBlocks(exiting);
  const bool even = llvm::all_of(exiting, [&](const llvm::BasicBlock* block) {
    if (!shapes.is_divergent(block)) return true;
    const auto* branch = llvm::dyn_cast<llvm::BranchInst>(block->getTerminator());
    const auto* compare = branch ? llvm::dyn_cast<llvm::ICmpInst>(branch->getCondition()) : nullptr;
    return compare && shapes.of(compare->getOperand(0)).is_affine() &&
           shapes.of(compare->getOperand(1)).is_affine();
  });
  if (even) return false;
  return llvm::any_of(
      loop.blocks(), [](const llvm::BasicBlock* block) { return llvm::any_of(*block, is_access); });
}

}  // namespace

std::string why_alone(const ScalarKernel& kernel, const Shapes& shapes,
                      const machine::Dim3& block) {
  const bool in_line = block.x % shapes.team() == 0 || block.volume() == block.x;
  if (!in_line && shapes.loops.empty()) return "rows of their own, and no loop to share";
  for (const llvm::BasicBlock& block : *kernel.function) {
    for (const llvm::Instruction& inst : block) {
      const auto* call = llvm::dyn_cast<llvm::CallInst>(&inst);
      if (call && is_for_one(*call, kernel.sites))
        return "an instruction that warps run one by one";
    }
  }
  if (!find_waiting_loops(kernel, shapes).empty()) return "a loop that may wait for other warps";
  for (const llvm::Loop* loop : shapes.loops.getLoopsInPreorder()) {
    if (shapes.is_divergent(loop) && is_uneven(*loop, shapes))
      return "a loop that threads leave one by one, with accesses";
  }
  if (most_vectors(*kernel.function, shapes) > kMostVectors) return "too many values for registers";
  return {};
}

}  // namespace heddle::jit
