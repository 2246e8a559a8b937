// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "jit/llvm/scalar/cleanup.h"

#include <llvm/ADT/MapVector.h>
#include <llvm/Analysis/LazyValueInfo.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/PatternMatch.h>
#include <llvm/Transforms/Utils/Local.h>

#include <algorithm>
#include <set>
#include <vector>

#include "jit/llvm/analysis/fixed_point.h"

namespace heddle::jit {

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

void sink_common(llvm::Function& function) {
  // Each round leaves fewer phi nodes.
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

void scalarize_phis(llvm::Function& function) {
  // In the order of the code: results must not depend on pointers.
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
      if (!element) continue;  // it is another of these phi nodes
      element->replaceAllUsesWith(parts.lookup({phi, element->getIndices()[0]}));
      element->eraseFromParent();
    }
  }
  for (llvm::PHINode* phi : whole) phi->replaceAllUsesWith(llvm::PoisonValue::get(phi->getType()));
  for (llvm::PHINode* phi : whole) phi->eraseFromParent();
  std::vector<llvm::WeakTrackingVH> made;
  for (const auto& [key, part] : parts) made.emplace_back(part);
  for (llvm::Value* part : made) {  // some of them have no uses
    if (part) llvm::RecursivelyDeleteDeadPHINode(llvm::cast<llvm::PHINode>(part));
  }
}

void sign_extend_indices(llvm::Function& function, Analyses& analyses) {
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

}  // namespace heddle::jit
