// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "jit/llvm/scalar/float_results.h"

#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>

#include <map>
#include <set>
#include <vector>

#include "jit/llvm/analysis/fixed_point.h"

namespace heddle::jit {
namespace {

/// Whether a select takes this operand only where a comparison has found that it is not a NaN.
bool is_taken_as_number(const llvm::Use& use) {
  const auto* select = llvm::dyn_cast<llvm::SelectInst>(use.getUser());
  const auto* test = select ? llvm::dyn_cast<llvm::FCmpInst>(select->getCondition()) : nullptr;
  if (!test || !llvm::is_contained(test->operands(), use.get())) return false;
  return use.getOperandNo() == 1 ? llvm::FCmpInst::isOrdered(test->getPredicate())
                                 : llvm::FCmpInst::isUnordered(test->getPredicate());
}

bool is_call_of(const llvm::Value& value, llvm::StringRef name) {
  const auto* call = llvm::dyn_cast<llvm::CallInst>(&value);
  return call && call->getCalledFunction() && call->getCalledFunction()->getName() == name;
}
constexpr llvm::StringLiteral kFlush = "heddle_flush_f32", kBitsOfNormal = "heddle_bits_of_normal";

/// Whether the result does not depend on the payload of a NaN operand.
bool ignores_payload(const llvm::Use& use) {
  const auto& user = *llvm::cast<llvm::Instruction>(use.getUser());
  if (is_taken_as_number(use) || is_call_of(user, kBitsOfNormal)) return true;
  switch (user.getOpcode()) {
    case llvm::Instruction::FAdd:
    case llvm::Instruction::FSub:
    case llvm::Instruction::FMul:
    case llvm::Instruction::FDiv:
    case llvm::Instruction::FCmp:
      return true;
    default:
      break;
  }
  const auto* call = llvm::dyn_cast<llvm::IntrinsicInst>(&user);
  return call && (call->getIntrinsicID() == llvm::Intrinsic::fma ||
                  call->getIntrinsicID() == llvm::Intrinsic::sqrt);
}

/// The operands of which the result is one, perhaps another lane's, or its bits; none: it is
/// computed otherwise.
llvm::SmallVector<const llvm::Use*> chosen_from(const llvm::Instruction& user,
                                                const std::vector<Site>& sites) {
  const auto behind = [&](unsigned first) {
    llvm::SmallVector<const llvm::Use*> uses;
    for (unsigned i = first; i < user.getNumOperands(); ++i) uses.push_back(&user.getOperandUse(i));
    return uses;
  };
  if (llvm::isa<llvm::PHINode, llvm::FreezeInst>(user) ||
      (llvm::isa<llvm::BitCastInst>(user) && user.getType()->getPrimitiveSizeInBits() == 32))
    return behind(0);
  if (llvm::isa<llvm::SelectInst>(user)) return behind(1);
  if (machine_op(user) == MachineOp::warp_op && user.getType()->isIntegerTy(32)) {
    const auto& call = llvm::cast<llvm::CallInst>(user);
    if (is_shuffle(site_of(call, sites))) return {&call.getArgOperandUse(1)};
  }
  return {};
}

bool is_flush(const llvm::Instruction& inst) { return is_call_of(inst, kFlush); }

/// The operands whose NaN the result may be.
llvm::SmallVector<const llvm::Use*> passed_on(const llvm::Instruction& user,
                                              const std::vector<Site>& sites) {
  if (is_flush(user)) return {&user.getOperandUse(0)};
  llvm::SmallVector<const llvm::Use*> uses = chosen_from(user, sites);
  llvm::erase_if(uses, [](const llvm::Use* use) { return is_taken_as_number(*use); });
  return uses;
}

/// Whether the value is canonical already.
bool is_canonical(const llvm::Value* value) {
  const auto* number = llvm::dyn_cast<llvm::ConstantFP>(value);
  if (number) return !number->isNaN() || number->getValueAPF().bitcastToAPInt() == 0x7fffffff;
  const auto* bits = llvm::dyn_cast<llvm::ConstantInt>(value);
  if (!bits || bits->getBitWidth() != 32) return false;
  return (bits->getZExtValue() & 0x7fffffff) <= 0x7f800000 || bits->getZExtValue() == 0x7fffffff;
}

llvm::Constant* canonical_nan(llvm::LLVMContext& context) {
  return llvm::ConstantFP::get(
      context, llvm::APFloat(llvm::APFloat::IEEEsingle(), llvm::APInt(32, 0x7fffffff)));
}

/// Replaces uses of a value of 32 bits by what `make` computes from it as a number.
void replace(llvm::Value* value, llvm::ArrayRef<llvm::Use*> uses,
             llvm::function_ref<llvm::Value*(llvm::Value* number, llvm::IRBuilder<>&)> make) {
  std::map<llvm::BasicBlock*, llvm::Value*> on_the_way;  // by predecessor, for phi nodes
  for (llvm::Use* use : uses) {
    auto* user = llvm::cast<llvm::Instruction>(use->getUser());
    auto* phi = llvm::dyn_cast<llvm::PHINode>(user);
    llvm::Value** known = phi ? &on_the_way[phi->getIncomingBlock(*use)] : nullptr;
    if (!known || !*known) {
      llvm::IRBuilder<> builder(phi ? phi->getIncomingBlock(*use)->getTerminator() : user);
      llvm::Value* made = make(builder.CreateBitCast(value, builder.getFloatTy()), builder);
      made = builder.CreateBitCast(made, value->getType());
      if (!known) {
        use->set(made);
        continue;
      }
      *known = made;
    }
    use->set(*known);
  }
}

/// Whether it is a constant that is not subnormal.
bool is_flushed_constant(const llvm::Value* value) {
  if (const auto* number = llvm::dyn_cast<llvm::ConstantFP>(value))
    return !number->getValueAPF().isDenormal();
  const auto* bits = llvm::dyn_cast<llvm::ConstantInt>(value);
  return bits && bits->getBitWidth() == 32 &&
         ((bits->getZExtValue() & 0x7f800000) != 0 || (bits->getZExtValue() & 0x7fffff) == 0);
}

/// Values that are not subnormal: results of instructions with .ftz, converted integers, and
/// selections of those.
std::set<const llvm::Value*> find_flushed(const llvm::Function& function,
                                          const std::vector<Site>& sites) {
  std::set<const llvm::Value*> flushed;
  for (const llvm::Instruction& inst : llvm::instructions(function)) {
    if (is_flush(inst) || llvm::isa<llvm::SIToFPInst, llvm::UIToFPInst>(inst) ||
        !chosen_from(inst, sites).empty())
      flushed.insert(&inst);
  }
  const auto may_be_other = [&](const llvm::Value* value) {
    return llvm::any_of(
        chosen_from(*llvm::cast<llvm::Instruction>(value), sites),
        [&](const llvm::Use* use) { return !flushed.count(*use) && !is_flushed_constant(*use); });
  };
  until_stable(flushed.size(), [&] { return std::erase_if(flushed, may_be_other) != 0; });
  return flushed;
}

bool is_class_test(const llvm::Instruction& inst) {
  const auto* call = llvm::dyn_cast<llvm::IntrinsicInst>(&inst);
  return call && call->getIntrinsicID() == llvm::Intrinsic::is_fpclass;
}
/// Whether the instruction distinguishes a subnormal number from zero.
bool tells_subnormals(const llvm::Instruction& test) {
  const auto classes = static_cast<llvm::FPClassTest>(
      llvm::cast<llvm::ConstantInt>(test.getOperand(1))->getZExtValue());
  const auto has = [&](llvm::FPClassTest one) { return (classes & one) != 0; };
  return has(llvm::fcPosSubnormal) != has(llvm::fcPosZero) ||
         has(llvm::fcNegSubnormal) != has(llvm::fcNegZero);
}

/// Whether the instruction's result is the same for a subnormal operand and for zero.
bool is_indifferent(const llvm::Instruction& user) {
  if (const auto* test = llvm::dyn_cast<llvm::FCmpInst>(&user))
    return test->getPredicate() == llvm::FCmpInst::FCMP_UNO ||
           test->getPredicate() == llvm::FCmpInst::FCMP_ORD;
  return llvm::isa<llvm::FPToSIInst, llvm::FPToUIInst>(user) ||  // these truncate
         is_call_of(user, kBitsOfNormal);
}

/// Whether the result differs if the processor takes this operand, if subnormal, as zero.
bool minds_subnormals(const llvm::Use& use) {
  const auto& user = *llvm::cast<llvm::Instruction>(use.getUser());
  if (!use->getType()->isFloatingPointTy() || is_indifferent(user)) return false;
  if (const auto* call = llvm::dyn_cast<llvm::IntrinsicInst>(&user))
    return call->getIntrinsicID() != llvm::Intrinsic::fabs &&
           call->getIntrinsicID() != llvm::Intrinsic::copysign && !is_class_test(*call);
  return llvm::isa<llvm::BinaryOperator, llvm::FPTruncInst, llvm::FPExtInst, llvm::FCmpInst>(user);
}

/// Whether all arithmetic flushes its operands, so that the processor's mode can do it
/// (float_mode.h).
bool flushes_all(const llvm::Function& function, const std::set<const llvm::Value*>& flushed) {
  for (const llvm::Instruction& inst : llvm::instructions(function)) {
    if (inst.hasMetadata(kAnyMode)) continue;
    if (is_class_test(inst) && tells_subnormals(inst) && !flushed.count(inst.getOperand(0)))
      return false;
    const auto* call = llvm::dyn_cast<llvm::CallInst>(&inst);
    const bool may_look = call && !llvm::isa<llvm::IntrinsicInst>(call) &&
                          !is_inlined_late(call->getCalledFunction());
    for (const llvm::Use& use : inst.operands()) {
      if (may_look && use->getType()->isFloatingPointTy()) return false;
      if (minds_subnormals(use) && !flushed.count(use) && !is_flushed_constant(use)) return false;
    }
  }
  return true;
}

/// Values of f32, or their bits, that LLVM may fold to a subnormal constant: its constant folding
/// does not flush. A selection may be each of its operands, since LLVM moves arithmetic into the
/// branches of a selection. A computed value may be constant if all its operands may be; numbers of
/// lanes and threads are such operands, also through a shuffle.
std::set<const llvm::Value*> find_subnormal_constants(const llvm::Function& function,
                                                      const std::vector<Site>& sites) {
  std::set<const llvm::Value*> constant, subnormal;  // sets that only grow
  const auto may_be_constant = [&](const llvm::Use* use) {
    return llvm::isa<llvm::Constant>(use) || constant.count(*use);
  };
  const auto may_be_subnormal = [&](const llvm::Use* use) {
    return llvm::isa<llvm::Constant>(use) ? !is_flushed_constant(*use) : subnormal.count(*use) != 0;
  };
  until_stable(2 * function.getInstructionCount(), [&] {
    bool changed = false;
    for (const llvm::Instruction& inst : llvm::instructions(function)) {
      const bool other = inst.mayReadOrWriteMemory() && machine_op(inst) != MachineOp::warp_op;
      if (other || inst.isTerminator() || llvm::isa<llvm::AllocaInst>(inst)) continue;
      const auto chosen = chosen_from(inst, sites);
      if (!chosen.empty()) {
        if (llvm::any_of(chosen, may_be_constant)) changed |= constant.insert(&inst).second;
        if (llvm::any_of(chosen, may_be_subnormal)) changed |= subnormal.insert(&inst).second;
        continue;
      }
      const auto operand_may = [&](const llvm::Use& use) { return may_be_constant(&use); };
      if (!llvm::all_of(inst.operands(), operand_may)) continue;
      changed |= constant.insert(&inst).second;
      if (!llvm::isa<llvm::SIToFPInst, llvm::UIToFPInst>(inst))
        changed |= subnormal.insert(&inst).second;
    }
    return changed;
  });
  return subnormal;
}

/// The flushed values that the processor flushes as operands: results of flushes, and selections of
/// those. In the order of the code.
std::vector<llvm::Instruction*> find_late(llvm::Function& function,
                                          const std::set<const llvm::Value*>& flushed,
                                          const std::vector<Site>& sites) {
  const auto subnormal = find_subnormal_constants(function, sites);
  std::set<const llvm::Value*> late;  // a set that only grows
  until_stable(flushed.size(), [&] {
    bool changed = false;
    for (const llvm::Value* value : flushed) {
      const auto& inst = *llvm::cast<llvm::Instruction>(value);
      const bool is_late = is_flush(inst)
                               ? !subnormal.count(inst.getOperand(0))
                               : llvm::any_of(chosen_from(inst, sites), [&](const llvm::Use* use) {
                                   return late.count(*use) != 0;
                                 });
      if (is_late) changed |= late.insert(value).second;
    }
    return changed;
  });
  std::vector<llvm::Instruction*> ordered;
  for (llvm::Instruction& inst : llvm::instructions(function)) {
    if (late.count(&inst)) ordered.push_back(&inst);
  }
  return ordered;
}

/// If the processor flushes operands, flushes remain only where bits are used.
void leave_flushes(llvm::Function& function, const std::set<const llvm::Value*>& flushed,
                   const std::vector<Site>& sites) {
  const std::vector<llvm::Instruction*> late = find_late(function, flushed, sites);
  llvm::Function* flush = function.getParent()->getFunction(kFlush);
  for (llvm::Instruction* value : late) {
    std::vector<llvm::Use*> seen;
    for (llvm::Use& use : llvm::make_early_inc_range(value->uses())) {
      auto* user = llvm::cast<llvm::Instruction>(use.getUser());
      const bool passed =
          flushed.count(user) && llvm::is_contained(chosen_from(*user, sites), &use);
      if (!minds_subnormals(use) && !passed && !is_flush(*user) && !is_indifferent(*user))
        seen.push_back(&use);
      else if (is_flush(*value))
        use.set(value->getOperand(0));
    }
    if (is_flush(*value)) {
      if (value->use_empty()) value->eraseFromParent();
    } else {
      replace(value, seen, [&](llvm::Value* number, llvm::IRBuilder<>& builder) {
        return builder.CreateCall(flush, {number});
      });
    }
  }
}

/// A result of an instruction with .ftz need not be flushed by the next one (PTX ISA 9.7.3).
void drop_flushes(llvm::Function& function, const std::set<const llvm::Value*>& flushed) {
  for (llvm::Instruction& inst : llvm::make_early_inc_range(llvm::instructions(function))) {
    if (!is_flush(inst) || !flushed.count(inst.getOperand(0))) continue;
    inst.replaceAllUsesWith(inst.getOperand(0));
    inst.eraseFromParent();
  }
}

}  // namespace

bool is_inlined_late(const llvm::Function* function) {
  return function && (function->getName() == kFlush || function->getName() == kBitsOfNormal);
}

void place_canonical_nans(ScalarKernel& kernel) {
  llvm::Function& function = *kernel.function;
  const std::vector<Site>& sites = kernel.sites;
  std::vector<llvm::CallInst*> calls;
  for (llvm::Instruction& inst : llvm::instructions(function)) {
    if (machine_op(inst) == MachineOp::canonical)
      calls.push_back(llvm::cast<llvm::CallInst>(&inst));
  }
  std::vector<llvm::Value*> work;
  std::set<llvm::Value*> raw;
  for (llvm::CallInst* call : calls) {
    llvm::Value* operand = call->getArgOperand(0);
    // LLVM folds constants, with a NaN of its own.
    if (const auto* number = llvm::dyn_cast<llvm::ConstantFP>(operand); number && number->isNaN())
      operand = canonical_nan(function.getContext());
    call->replaceAllUsesWith(operand);
    call->eraseFromParent();
    if (!llvm::isa<llvm::Constant>(operand) && raw.insert(operand).second) work.push_back(operand);
  }
  const std::set<llvm::Value*> results = raw;
  while (!work.empty()) {
    llvm::Value* value = work.back();
    work.pop_back();
    for (llvm::Use& use : value->uses()) {
      auto* inst = llvm::cast<llvm::Instruction>(use.getUser());
      if (llvm::is_contained(passed_on(*inst, sites), &use) && raw.insert(inst).second)
        work.push_back(inst);
    }
  }
  // A value that may also come from elsewhere, from a load for example, must keep its bits.
  const auto may_be_other = [&](llvm::Value* value) {
    if (results.count(value)) return false;
    return llvm::any_of(
        passed_on(*llvm::cast<llvm::Instruction>(value), sites),
        [&](const llvm::Use* operand) { return !raw.count(*operand) && !is_canonical(*operand); });
  };
  until_stable(raw.size(), [&] { return std::erase_if(raw, may_be_other) != 0; });
  // In the order of the code: results must not depend on pointers.
  std::vector<llvm::Instruction*> ordered;
  for (llvm::Instruction& inst : llvm::instructions(function)) {
    if (raw.count(&inst)) ordered.push_back(&inst);
  }
  for (llvm::Instruction* value : ordered) {
    std::vector<llvm::Use*> uses;
    for (llvm::Use& use : value->uses()) {
      auto* user = llvm::cast<llvm::Instruction>(use.getUser());
      const bool passed = raw.count(user) && llvm::is_contained(passed_on(*user, sites), &use);
      if (!ignores_payload(use) && !passed) uses.push_back(&use);
    }
    replace(value, uses, [](llvm::Value* number, llvm::IRBuilder<>& builder) {
      llvm::Value* nan = canonical_nan(builder.getContext());
      return builder.CreateSelect(builder.CreateFCmpUNO(number, number), nan, number);
    });
  }
}

void place_flushes(ScalarKernel& kernel, const llvm::TargetMachine& machine) {
  llvm::Function& function = *kernel.function;
  bool any = false;
  for (llvm::Instruction& inst : llvm::make_early_inc_range(llvm::instructions(function))) {
    if (!is_flush(inst)) continue;
    any = true;
    const auto* number = llvm::dyn_cast<llvm::ConstantFP>(inst.getOperand(0));
    if (!number) continue;
    const llvm::APFloat& value = number->getValueAPF();
    inst.replaceAllUsesWith(llvm::ConstantFP::get(
        inst.getContext(), value.isDenormal()
                               ? llvm::APFloat::getZero(value.getSemantics(), value.isNegative())
                               : value));
    inst.eraseFromParent();
  }
  if (!any) return;
  const auto flushed = find_flushed(function, kernel.sites);
  kernel.zeroes_subnormals = machine.getTargetTriple().isX86() && flushes_all(function, flushed);
  if (kernel.zeroes_subnormals)
    leave_flushes(function, flushed, kernel.sites);
  else
    drop_flushes(function, flushed);
}

}  // namespace heddle::jit
