// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The scalar code of one thread before it is made vector code: here every pass costs a
// thirty-second of what it would cost afterwards, and what is found to be the same for all threads
// has to be found in this form.
#include <llvm/ADT/MapVector.h>
#include <llvm/Analysis/LazyValueInfo.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/PatternMatch.h>
#include <llvm/IR/Verifier.h>
#include <llvm/MC/MCSubtargetInfo.h>
#include <llvm/Target/TargetMachine.h>
#include <llvm/Transforms/IPO/AlwaysInliner.h>
#include <llvm/Transforms/IPO/GlobalDCE.h>
#include <llvm/Transforms/InstCombine/InstCombine.h>
#include <llvm/Transforms/Scalar/ADCE.h>
#include <llvm/Transforms/Scalar/EarlyCSE.h>
#include <llvm/Transforms/Scalar/GVN.h>
#include <llvm/Transforms/Scalar/LICM.h>
#include <llvm/Transforms/Scalar/LoopPassManager.h>
#include <llvm/Transforms/Scalar/SROA.h>
#include <llvm/Transforms/Scalar/SimplifyCFG.h>
#include <llvm/Transforms/Utils/Cloning.h>
#include <llvm/Transforms/Utils/FixIrreducible.h>
#include <llvm/Transforms/Utils/LCSSA.h>
#include <llvm/Transforms/Utils/Local.h>
#include <llvm/Transforms/Utils/LoopSimplify.h>
#include <llvm/Transforms/Utils/LowerSwitch.h>
#include <llvm/Transforms/Utils/UnifyFunctionExitNodes.h>

#include <map>
#include <set>

#include "jit/llvm/analyses.h"
#include "jit/llvm/fixed_point.h"
#include "jit/llvm/pairs.h"
#include "jit/llvm/scalar.h"
#include "jit/llvm/unroll.h"

namespace heddle::jit {
namespace {

/// Whether a select takes this operand only where a comparison has found it to be a number.
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
/// flush() and bits_of_normal() of sem/float.h, which are calls until it is clear which flushes are
/// needed, and where NaNs become canonical.
constexpr llvm::StringLiteral kFlush = "heddle_flush_f32", kBitsOfNormal = "heddle_bits_of_normal";
constexpr llvm::StringLiteral kLate[] = {kFlush, kBitsOfNormal};
bool is_late(const llvm::Function* called) {
  return called && llvm::is_contained(kLate, called->getName());
}

/// Whether the payload of a NaN operand makes no difference to the instruction.
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

/// The operands of which the result is one, of some lane, or its bits; none: it is something else.
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
  if (machine_call(user) == "warp_op" && user.getType()->isIntegerTy(32)) {
    const auto& call = llvm::cast<llvm::CallInst>(user);
    const isa::SemId sem = site_of(call, sites).sem;
    if (sem == isa::SemId::shuffle || sem == isa::SemId::shuffle_sync)
      return {&call.getArgOperandUse(1)};
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

/// Whether making it canonical changes nothing.
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

/// Where a value of 32 bits is used: what is made of it as a number.
void replace(llvm::Value* value, llvm::ArrayRef<llvm::Use*> uses,
             llvm::function_ref<llvm::Value*(llvm::Value* number, llvm::IRBuilder<>&)> make) {
  std::map<llvm::BasicBlock*, llvm::Value*> on_the_way;  // to phi nodes
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

/// Arithmetic on f32 gives the canonical NaN (PTX ISA 9.7.3). Whether it is that one shows only
/// where the bits are looked at, so that is where it is put in place: not between two additions.
void place_canonical(llvm::Function& function, const std::vector<Site>& sites) {
  std::vector<llvm::CallInst*> calls;
  for (llvm::Instruction& inst : llvm::instructions(function)) {
    if (machine_call(inst) == "canonical") calls.push_back(llvm::cast<llvm::CallInst>(&inst));
  }
  std::vector<llvm::Value*> work;
  std::set<llvm::Value*> raw;
  for (llvm::CallInst* call : calls) {
    llvm::Value* operand = call->getArgOperand(0);
    // LLVM computes with constants, and has a NaN of its own.
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
  // What may also be something else, bits that were loaded for example, must keep those.
  const auto may_be_other = [&](llvm::Value* value) {
    if (results.count(value)) return false;
    return llvm::any_of(
        passed_on(*llvm::cast<llvm::Instruction>(value), sites),
        [&](const llvm::Use* operand) { return !raw.count(*operand) && !is_canonical(*operand); });
  };
  until_stable(raw.size(), [&] { return std::erase_if(raw, may_be_other) != 0; });
  // In the order of the code: results must not depend on addresses of objects.
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

/// Whether it is a constant, and not a subnormal number.
bool is_flushed_constant(const llvm::Value* value) {
  if (const auto* number = llvm::dyn_cast<llvm::ConstantFP>(value))
    return !number->getValueAPF().isDenormal();
  const auto* bits = llvm::dyn_cast<llvm::ConstantInt>(value);
  return bits && bits->getBitWidth() == 32 &&
         ((bits->getZExtValue() & 0x7f800000) != 0 || (bits->getZExtValue() & 0x7fffff) == 0);
}

/// What instructions with .ftz have made, numbers that were integers, and what is chosen from
/// those: no subnormal numbers.
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
/// Whether it tells a subnormal number from zero.
bool tells_subnormals(const llvm::Instruction& test) {
  const auto classes = static_cast<llvm::FPClassTest>(
      llvm::cast<llvm::ConstantInt>(test.getOperand(1))->getZExtValue());
  const auto has = [&](llvm::FPClassTest one) { return (classes & one) != 0; };
  return has(llvm::fcPosSubnormal) != has(llvm::fcPosZero) ||
         has(llvm::fcNegSubnormal) != has(llvm::fcNegZero);
}

/// Whether it makes no difference to the instruction if an operand is subnormal or zero.
bool is_indifferent(const llvm::Instruction& user) {
  if (const auto* test = llvm::dyn_cast<llvm::FCmpInst>(&user))
    return test->getPredicate() == llvm::FCmpInst::FCMP_UNO ||
           test->getPredicate() == llvm::FCmpInst::FCMP_ORD;
  return llvm::isa<llvm::FPToSIInst, llvm::FPToUIInst>(user) ||  // which cut
         is_call_of(user, kBitsOfNormal);
}

/// Whether the processor may take this operand as zero because it is subnormal, and something else
/// comes of it.
bool minds_subnormals(const llvm::Use& use) {
  const auto& user = *llvm::cast<llvm::Instruction>(use.getUser());
  if (!use->getType()->isFloatingPointTy() || is_indifferent(user)) return false;
  if (const auto* call = llvm::dyn_cast<llvm::IntrinsicInst>(&user))
    return call->getIntrinsicID() != llvm::Intrinsic::fabs &&
           call->getIntrinsicID() != llvm::Intrinsic::copysign && !is_class_test(*call);
  return llvm::isa<llvm::BinaryOperator, llvm::FPTruncInst, llvm::FPExtInst, llvm::FCmpInst>(user);
}

/// Whether all arithmetic flushes its operands, so that the processor may do it (float_mode.h).
bool flushes_all(const llvm::Function& function, const std::set<const llvm::Value*>& flushed) {
  for (const llvm::Instruction& inst : llvm::instructions(function)) {
    if (inst.hasMetadata(kAnyMode)) continue;
    if (is_class_test(inst) && tells_subnormals(inst) && !flushed.count(inst.getOperand(0)))
      return false;
    const auto* call = llvm::dyn_cast<llvm::CallInst>(&inst);
    const bool may_look =
        call && !llvm::isa<llvm::IntrinsicInst>(call) && !is_late(call->getCalledFunction());
    for (const llvm::Use& use : inst.operands()) {
      if (may_look && use->getType()->isFloatingPointTy()) return false;
      if (minds_subnormals(use) && !flushed.count(use) && !is_flushed_constant(use)) return false;
    }
  }
  return true;
}

/// What comes of constants alone, or of lanes' and threads' numbers, which become some; also by way
/// of a shuffle. LLVM may compute it, with subnormal operands as they are.
std::set<const llvm::Value*> find_constant(const llvm::Function& function) {
  std::set<const llvm::Value*> constant;  // which only grows
  until_stable(function.getInstructionCount(), [&] {
    bool changed = false;
    for (const llvm::Instruction& inst : llvm::instructions(function)) {
      const bool other = inst.mayReadOrWriteMemory() && machine_call(inst) != "warp_op";
      if (other || inst.isTerminator() || llvm::isa<llvm::AllocaInst>(inst)) continue;
      const unsigned condition = llvm::isa<llvm::SelectInst>(inst) ? 1 : 0;  // it only chooses
      if (llvm::all_of(llvm::drop_begin(inst.operands(), condition), [&](const llvm::Use& use) {
            return llvm::isa<llvm::Constant>(use) || constant.count(use);
          }))
        changed |= constant.insert(&inst).second;
    }
    return changed;
  });
  return constant;
}

/// The processor flushes operands: then it is done here only where somebody looks at the bits.
void leave_flushes(llvm::Function& function, const std::set<const llvm::Value*>& flushed,
                   const std::vector<Site>& sites) {
  const std::set<const llvm::Value*> constant = find_constant(function);
  std::vector<llvm::Instruction*> late;
  for (llvm::Instruction& inst : llvm::instructions(function)) {
    if (flushed.count(&inst) && !constant.count(&inst) &&
        !llvm::isa<llvm::SIToFPInst, llvm::UIToFPInst>(inst))
      late.push_back(&inst);
  }
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

/// What one instruction with .ftz has made, another one need not flush (PTX ISA 9.7.3).
void drop_flushes(llvm::Function& function, const std::set<const llvm::Value*>& flushed) {
  for (llvm::Instruction& inst : llvm::make_early_inc_range(llvm::instructions(function))) {
    if (!is_flush(inst) || !flushed.count(inst.getOperand(0))) continue;
    inst.replaceAllUsesWith(inst.getOperand(0));
    inst.eraseFromParent();
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

/// Records meet element by element: LCSSA joins what a load of several gives as a whole.
void split_records(llvm::Function& function) {
  // In the order of the code: results must not depend on addresses of objects.
  llvm::MapVector<std::pair<llvm::PHINode*, unsigned>, llvm::PHINode*> parts;
  std::vector<llvm::PHINode*> whole;
  for (llvm::Instruction& inst : llvm::instructions(function)) {
    auto* phi = llvm::dyn_cast<llvm::PHINode>(&inst);
    if (phi && phi->getType()->isStructTy()) whole.push_back(phi);
  }
  for (llvm::PHINode* phi : whole) {
    for (unsigned i = 0; i < phi->getType()->getStructNumElements(); ++i) {
      auto* part = llvm::PHINode::Create(phi->getType()->getStructElementType(i),
                                         phi->getNumIncomingValues(), "", phi->getIterator());
      part->setDebugLoc(phi->getDebugLoc());
      parts[{phi, i}] = part;
    }
  }
  for (const auto& [key, part] : parts) {
    const auto& [phi, number] = key;
    for (unsigned i = 0; i < phi->getNumIncomingValues(); ++i) {
      llvm::Value* from = phi->getIncomingValue(i);
      auto* other = llvm::dyn_cast<llvm::PHINode>(from);
      llvm::IRBuilder<> builder(phi->getIncomingBlock(i)->getTerminator());
      part->addIncoming(
          other ? parts.lookup({other, number}) : builder.CreateExtractValue(from, number),
          phi->getIncomingBlock(i));
    }
  }
  for (llvm::PHINode* phi : whole) {
    for (llvm::User* user : llvm::make_early_inc_range(phi->users())) {
      auto* element = llvm::dyn_cast<llvm::ExtractValueInst>(user);
      if (!element) continue;  // another of these
      element->replaceAllUsesWith(parts.lookup({phi, element->getIndices()[0]}));
      element->eraseFromParent();
    }
  }
  for (llvm::PHINode* phi : whole) phi->replaceAllUsesWith(llvm::PoisonValue::get(phi->getType()));
  for (llvm::PHINode* phi : whole) phi->eraseFromParent();
  std::vector<llvm::WeakTrackingVH> made;
  for (const auto& [key, part] : parts) made.emplace_back(part);
  for (llvm::Value* part : made) {  // nobody asks for some of them
    if (part) llvm::RecursivelyDeleteDeadPHINode(llvm::cast<llvm::PHINode>(part));
  }
}

/// Registers begin as zero. Where each read comes behind one and the same write nobody sees that
/// zero, and a variable that is written once is turned into a value much sooner.
void drop_first_writes(llvm::Function& function) {
  const llvm::DominatorTree dominators(function);
  std::vector<llvm::StoreInst*> dead;
  for (llvm::Instruction& inst : function.getEntryBlock()) {
    auto* variable = llvm::dyn_cast<llvm::AllocaInst>(&inst);
    if (!variable) continue;
    llvm::StoreInst* first = nullptr;
    std::vector<llvm::StoreInst*> writes;
    std::vector<llvm::LoadInst*> reads;
    bool plain = true;
    for (llvm::User* user : variable->users()) {
      auto* store = llvm::dyn_cast<llvm::StoreInst>(user);
      if (auto* load = llvm::dyn_cast<llvm::LoadInst>(user))
        reads.push_back(load);
      else if (!store || store->getPointerOperand() != variable)
        plain = false;
      else if (store->getParent() == &function.getEntryBlock())
        first = store;
      else
        writes.push_back(store);
    }
    if (!plain || !first || writes.size() > 4) continue;
    const bool hidden = std::any_of(writes.begin(), writes.end(), [&](llvm::StoreInst* write) {
      return std::all_of(reads.begin(), reads.end(),
                         [&](llvm::LoadInst* read) { return dominators.dominates(write, read); });
    });
    if (hidden || reads.empty()) dead.push_back(first);
  }
  for (llvm::StoreInst* store : dead) store->eraseFromParent();
}

/// What several ways compute alike is computed where they meet. Behind a branch that parts lanes,
/// what each way brings along is a value of which nothing is known.
void join_alike(llvm::Function& function) {
  // There are fewer phi nodes each time.
  std::size_t phis = 0;
  for (llvm::BasicBlock& block : function)
    phis += static_cast<std::size_t>(std::ranges::distance(block.phis()));
  until_stable(phis, [&] {
    bool changed = false;
    for (llvm::BasicBlock& block : function) {
      for (llvm::PHINode& phi : llvm::make_early_inc_range(block.phis())) {
        const auto* first = llvm::dyn_cast<llvm::Instruction>(phi.getIncomingValue(0));
        if (!first || llvm::isa<llvm::PHINode, llvm::CallBase, llvm::AllocaInst>(first) ||
            first->mayReadOrWriteMemory() ||
            !llvm::all_of(phi.incoming_values(), [&](llvm::Value* v) {
              const auto* one = llvm::dyn_cast<llvm::Instruction>(v);
              return one && one->isIdenticalTo(first);
            }))
          continue;
        llvm::Instruction* joined = first->clone();
        joined->insertBefore(block, block.getFirstInsertionPt());
        phi.replaceAllUsesWith(joined);
        phi.eraseFromParent();
        changed = true;
      }
    }
    return changed;
  });
}

/// Each access has a site of its own: the vectorizer notes there what it is checked with. Functions
/// that were inlined twice and loops that were unrolled have made copies.
void number_accesses(ScalarKernel& kernel) {
  std::set<u64> seen;
  for (llvm::Instruction& inst : llvm::instructions(*kernel.function)) {
    if (!is_access(inst)) continue;
    auto& call = llvm::cast<llvm::CallInst>(inst);
    auto* number = llvm::cast<llvm::ConstantInt>(call.getArgOperand(0));
    if (seen.insert(number->getZExtValue()).second) continue;
    const Site site = site_of(call, kernel.sites);
    call.setArgOperand(0, llvm::ConstantInt::get(number->getType(), kernel.add_site(site)));
  }
}

template <class... Passes>
llvm::FunctionPassManager manager(Passes... passes) {
  llvm::FunctionPassManager all;
  (all.addPass(std::move(passes)), ...);
  return all;
}

auto licm() {
  llvm::LoopPassManager loops;
  loops.addPass(llvm::LICMPass(llvm::LICMOptions()));
  return llvm::createFunctionToLoopPassAdaptor(std::move(loops), true);
}

bool has_halves(const llvm::TargetMachine& machine) {
  return machine.getMCSubtargetInfo()->checkFeatures("+avx512fp16");
}

/// Functions of the semantics for which some processors have an instruction.
void use_instructions(llvm::Module& module, const llvm::TargetMachine& machine) {
  llvm::Function* fma = module.getFunction("heddle_fma_f16");
  if (!fma || !has_halves(machine)) return;
  fma->deleteBody();
  llvm::IRBuilder<> builder(llvm::BasicBlock::Create(module.getContext(), "entry", fma));
  llvm::Value* sum = builder.CreateIntrinsic(llvm::Intrinsic::fma, {builder.getHalfTy()},
                                             {fma->getArg(0), fma->getArg(1), fma->getArg(2)});
  llvm::Value* canonical = builder.CreateBitCast(builder.getInt16(0x7fff), builder.getHalfTy());
  builder.CreateRet(builder.CreateSelect(builder.CreateFCmpUNO(sum, sum), canonical, sum));
}

void inline_always(llvm::Function& function) {
  function.setLinkage(llvm::GlobalValue::InternalLinkage);
  function.setComdat(nullptr);
  function.removeFnAttr(llvm::Attribute::NoInline);
  function.removeFnAttr(llvm::Attribute::OptimizeNone);
  function.addFnAttr(llvm::Attribute::AlwaysInline);
}

void inline_calls(llvm::Module& module, Analyses& analyses) {
  llvm::ModulePassManager whole;
  whole.addPass(llvm::AlwaysInlinerPass(false));
  whole.addPass(llvm::GlobalDCEPass());
  whole.run(module, analyses.modules);
}

/// What instructions call that are alike in any mode of the processor is so, too.
void mark_called(llvm::Module& module) {
  std::map<const llvm::Function*, llvm::Function*> marked;
  std::vector<llvm::CallInst*> work;
  const auto look_at = [&](llvm::Function& function) {
    for (llvm::Instruction& inst : llvm::instructions(function)) {
      auto* call = llvm::dyn_cast<llvm::CallInst>(&inst);
      if (call && call->hasMetadata(kAnyMode)) work.push_back(call);
    }
  };
  for (llvm::Function& function : module) look_at(function);
  while (!work.empty()) {
    llvm::CallInst* call = work.back();
    work.pop_back();
    llvm::Function* called = call->getCalledFunction();
    if (!called || called->isDeclaration() || is_late(called)) continue;
    llvm::Function*& copy = marked[called];
    if (!copy) {
      llvm::ValueToValueMapTy values;
      copy = llvm::CloneFunction(called, values);
      for (llvm::Instruction& inst : llvm::instructions(*copy))
        inst.setMetadata(kAnyMode, llvm::MDNode::get(inst.getContext(), {}));
      look_at(*copy);
    }
    call->setCalledFunction(copy);
  }
}

/// 2 x - (x & c) as x + (x & ~c), of which one sees that it is neither negative nor more than 2 x:
/// where a thread finds its pair when neighbours so far apart are compared.
void add_masked(llvm::Function& function) {
  using namespace llvm::PatternMatch;
  for (llvm::Instruction& inst : llvm::make_early_inc_range(llvm::instructions(function))) {
    llvm::Value* x = nullptr;
    const llvm::APInt* mask = nullptr;
    if (!match(&inst,
               m_Sub(m_Shl(m_Value(x), m_SpecificInt(1)), m_And(m_Deferred(x), m_APInt(mask)))))
      continue;
    llvm::IRBuilder<> builder(&inst);
    inst.replaceAllUsesWith(builder.CreateAdd(x, builder.CreateAnd(x, ~*mask)));
    inst.eraseFromParent();
  }
}

/// Indices that are not negative where they are widened, by a branch on the way there. Widened with
/// their signs they are in a line in all lanes, also in those that do not come: `if (thread >= 4)
/// ... [thread - 4]`.
void sign_indices(llvm::Function& function, Analyses& analyses) {
  auto& values = analyses.functions.getResult<llvm::LazyValueAnalysis>(function);
  for (llvm::Instruction& inst : llvm::make_early_inc_range(llvm::instructions(function))) {
    llvm::Value* index = llvm::isa<llvm::ZExtInst>(inst) ? inst.getOperand(0) : nullptr;
    if (!index || !index->getType()->isIntegerTy(32) ||
        !values.getConstantRangeAtUse(inst.getOperandUse(0), /*UndefAllowed=*/false)
             .isAllNonNegative())
      continue;
    llvm::IRBuilder<> builder(&inst);
    inst.replaceAllUsesWith(builder.CreateSExt(index, inst.getType()));
    inst.eraseFromParent();
  }
}

}  // namespace

std::string tidy(ScalarKernel& kernel, Analyses& analyses) {
  llvm::Module& module = *kernel.module;
  use_instructions(module, analyses.target);
  if (module.getFunction(kFlush)) mark_called(module);
  for (llvm::Function& function : module) {
    if (&function != kernel.function && !function.isDeclaration() && !is_late(&function) &&
        !kernel.recursive.count(&function))
      inline_always(function);
  }
  // Tables of the semantics: reached directly, not by way of a table of addresses.
  for (llvm::GlobalVariable& variable : module.globals()) {
    variable.setLinkage(llvm::GlobalValue::InternalLinkage);
    variable.setComdat(nullptr);
    variable.setDSOLocal(true);
  }
  const bool calls = llvm::any_of(module, [&](const llvm::Function& function) {
    return &function != kernel.function && !function.isDeclaration();
  });

  if (calls) inline_calls(module, analyses);
  while (!kernel.recursive.empty()) {
    if (std::string why = unwind_recursion(kernel, analyses); !why.empty()) return why;
    inline_calls(module, analyses);
  }

  llvm::Function& function = *kernel.function;
  const auto run = [&](llvm::FunctionPassManager passes) {
    passes.run(function, analyses.functions);
  };
  llvm::SimplifyCFGOptions keep_loops;
  keep_loops.needCanonicalLoops(true).convertSwitchRangeToICmp(true);
  llvm::GVNOptions no_phis;  // see join_alike()
  no_phis.setPRE(false).setLoadPRE(false);
  const auto make_values = [&] {
    run(manager(llvm::SROAPass(llvm::SROAOptions::ModifyCFG), llvm::EarlyCSEPass(),
                llvm::SimplifyCFGPass(keep_loops), llvm::InstCombinePass()));
  };
  drop_first_writes(function);
  make_values();
  // Each time fewer variables are left.
  until_stable(kernel.locals.size(), [&] {
    const bool kept = keep_local_variables(kernel);
    if (kept) make_values();
    return kept;
  });
  place_local_variables(kernel);
  number_accesses(kernel);
  find_spaces(kernel);
  place_canonical(function, kernel.sites);
  if (module.getFunction(kFlush)) place_flushes(kernel, analyses.target);
  bool has_late = false;
  for (const llvm::StringRef name : kLate) {
    llvm::Function* late = module.getFunction(name);
    if (late) inline_always(*late);
    has_late |= late != nullptr;
  }
  if (has_late) inline_calls(module, analyses);
  join_alike(function);
  add_masked(function);
  run(manager(llvm::EarlyCSEPass(), llvm::InstCombinePass(), llvm::SimplifyCFGPass(keep_loops),
              llvm::LoopSimplifyPass(), llvm::LCSSAPass(), licm(), llvm::GVNPass(no_phis),
              llvm::ADCEPass(), llvm::SimplifyCFGPass(keep_loops), llvm::LowerSwitchPass(),
              llvm::UnifyFunctionExitNodesPass(), llvm::FixIrreduciblePass(),
              llvm::LoopSimplifyPass(), llvm::LCSSAPass()));
  if (unroll_sums(function, analyses))
    run(manager(llvm::EarlyCSEPass(), llvm::ADCEPass(), llvm::LCSSAPass()));
  split_records(function);
  analyses.functions.clear(function, function.getName());
  sign_indices(function, analyses);
  number_accesses(kernel);
  if (has_halves(analyses.target)) join_pairs(function);
  return move_to_memory(kernel);
}

void tidy_turns(llvm::Function& function, Analyses& analyses) {
  analyses.functions.clear(function, function.getName());
  manager(llvm::EarlyCSEPass(), llvm::ADCEPass(), llvm::LowerSwitchPass())
      .run(function, analyses.functions);
  llvm::removeUnreachableBlocks(function);
  analyses.functions.clear(function, function.getName());
  manager(llvm::LoopSimplifyPass(), llvm::LCSSAPass()).run(function, analyses.functions);
  split_records(function);
  analyses.functions.clear(function, function.getName());
}

}  // namespace heddle::jit
