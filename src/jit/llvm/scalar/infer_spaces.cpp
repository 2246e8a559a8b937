// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Generic addresses that come from an address of local or shared memory (cvta, 9.7.9.20): the
// accesses are to that state space. In code that was not optimised all pointers are generic.
#include <llvm/ADT/DenseMap.h>
#include <llvm/IR/InstIterator.h>

#include "jit/context.h"
#include "jit/llvm/analysis/fixed_point.h"
#include "jit/llvm/scalar.h"

namespace heddle::jit {
namespace {

/// The lattice: `distance`, no base of a state space is added (the address may have one); one base;
/// `several`: more than one, or one on some paths. It has two steps: unknown_yet is below each of
/// the three, and those are below several.
enum class Origin : u8 { unknown_yet, distance, local, shared, several };
constexpr std::size_t kOriginSteps = 2;

Origin either(Origin a, Origin b) {
  if (a == Origin::unknown_yet) return b;
  if (b == Origin::unknown_yet || a == b) return a;
  return Origin::several;
}

// Monotone: sums and differences have no result before both operands have one.

Origin sum(Origin a, Origin b) {
  if (a == Origin::unknown_yet || b == Origin::unknown_yet) return Origin::unknown_yet;
  if (a == Origin::distance) return b;
  return b == Origin::distance ? a : Origin::several;
}

Origin difference(Origin a, Origin b) {
  if (a == Origin::unknown_yet || b == Origin::unknown_yet) return Origin::unknown_yet;
  return b == Origin::distance ? a : Origin::several;
}

class Origins {
 public:
  explicit Origins(llvm::Function& function);
  Origin of(const llvm::Value* value) const {
    if (!llvm::isa<llvm::Instruction>(value)) return Origin::distance;
    return all_.lookup(value);
  }

 private:
  Origin look_at(const llvm::Instruction& inst) const;

  llvm::DenseMap<const llvm::Value*, Origin> all_;
};

Origin Origins::look_at(const llvm::Instruction& inst) const {
  if (machine_op(inst) == MachineOp::local_base) return Origin::local;
  if (context_offset(inst) == offsetof(Context, shared_base)) return Origin::shared;
  const auto operand = [&](unsigned i) { return of(inst.getOperand(i)); };
  switch (inst.getOpcode()) {
    case llvm::Instruction::Add:
      return sum(operand(0), operand(1));
    case llvm::Instruction::Sub:
      return difference(operand(0), operand(1));
    case llvm::Instruction::Select:
      return either(operand(1), operand(2));
    case llvm::Instruction::PHI: {
      Origin all = Origin::unknown_yet;
      for (const llvm::Value* one : inst.operand_values()) all = either(all, of(one));
      return all;
    }
    default:
      return Origin::distance;
  }
}

Origins::Origins(llvm::Function& function) {
  until_stable(function.getInstructionCount() * kOriginSteps, [&] {
    bool changed = false;
    for (const llvm::Instruction& inst : llvm::instructions(function)) {
      if (!inst.getType()->isIntegerTy(64)) continue;
      Origin& known = all_[&inst];
      const Origin now = either(known, look_at(inst));
      changed |= now != known;
      known = now;
    }
    return changed;
  });
}

/// Addresses without the base of their state space.
class Rewriter {
 public:
  explicit Rewriter(const Origins& origins) : origins_(origins) {}
  llvm::Value* without_origin(llvm::Value* value);

 private:
  const Origins& origins_;
  llvm::DenseMap<llvm::Value*, llvm::Value*> made_;
};

llvm::Value* Rewriter::without_origin(llvm::Value* value) {
  if (origins_.of(value) == Origin::distance) return value;
  if (llvm::Value* made = made_.lookup(value)) return made;
  auto* inst = llvm::cast<llvm::Instruction>(value);
  if (inst->getOpcode() == llvm::Instruction::Call)
    return llvm::Constant::getNullValue(value->getType());
  llvm::Instruction* copy = inst->clone();
  copy->insertBefore(inst);
  if (!llvm::isa<llvm::PHINode>(copy)) copy->dropPoisonGeneratingFlags();
  made_[value] = copy;
  const unsigned first = llvm::isa<llvm::SelectInst>(copy) ? 1 : 0;
  for (unsigned i = first; i < copy->getNumOperands(); ++i)
    copy->setOperand(i, without_origin(copy->getOperand(i)));
  return copy;
}

}  // namespace

void infer_spaces(ScalarKernel& kernel) {
  const Origins origins(*kernel.function);
  Rewriter rewriter(origins);
  for (llvm::Instruction& inst : llvm::instructions(*kernel.function)) {
    if (!is_access(inst)) continue;
    auto& call = llvm::cast<llvm::CallInst>(inst);
    Site& site = site_of(call, kernel.sites);
    const Origin origin = origins.of(call.getArgOperand(1));
    const bool local = origin == Origin::local && machine_op(inst) != MachineOp::atomic;
    if (site.space != ir::Space::generic || (!local && origin != Origin::shared)) continue;
    site.space = local ? ir::Space::local : ir::Space::shared;
    // No other thread sees local memory, and no other host thread shared memory.
    site.strong &= !local;
    site.ordered = false;
    call.setArgOperand(1, rewriter.without_origin(call.getArgOperand(1)));
  }
}

}  // namespace heddle::jit
