// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "jit/llvm/regions.h"

#include <llvm/ADT/SetVector.h>
#include <llvm/IR/CFG.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Instructions.h>
#include <llvm/Transforms/Utils/BasicBlockUtils.h>
#include <llvm/Transforms/Utils/SSAUpdater.h>

#include <map>
#include <set>
#include <vector>

#include "jit/context.h"
#include "jit/llvm/vectorize.h"

namespace heddle::jit {
namespace {

constexpr u32 kFirstSlot = 64;  ///< behind the word that says where to go on

using Live = llvm::SetVector<llvm::Instruction*>;

/// What each block needs from those before it. The entry is run anew each time, so nothing that it
/// computes counts.
std::map<const llvm::BasicBlock*, Live> find_live(llvm::Function& warp) {
  const llvm::BasicBlock* entry = &warp.getEntryBlock();
  std::map<const llvm::BasicBlock*, Live> in;
  const auto counts = [&](const llvm::Value* value) {
    const auto* inst = llvm::dyn_cast<llvm::Instruction>(value);
    return inst && inst->getParent() != entry;
  };
  bool changed = true;
  while (changed) {
    changed = false;
    for (llvm::BasicBlock& block : llvm::reverse(warp)) {
      Live live;
      for (llvm::BasicBlock* next : llvm::successors(&block)) {
        for (llvm::Instruction* value : in[next]) live.insert(value);
        for (llvm::PHINode& phi : next->phis()) {
          llvm::Value* value = phi.getIncomingValueForBlock(&block);
          if (counts(value)) live.insert(llvm::cast<llvm::Instruction>(value));
        }
      }
      for (llvm::Instruction& inst : llvm::reverse(block)) {
        live.remove(&inst);
        if (llvm::isa<llvm::PHINode>(inst)) continue;
        for (llvm::Value* operand : inst.operand_values()) {
          if (counts(operand)) live.insert(llvm::cast<llvm::Instruction>(operand));
        }
      }
      Live& before = in[&block];
      if (live.size() != before.size()) {
        before = std::move(live);
        changed = true;
      }
    }
  }
  return in;
}

/// Values that are made again from a scalar rather than kept: vectors of one number, or of numbers
/// a constant apart. Returns the scalar; null: it is no such value.
llvm::Value* origin(llvm::Value* value) {
  auto* inst = llvm::dyn_cast<llvm::Instruction>(value);
  if (!inst || !inst->getType()->isVectorTy()) return nullptr;
  const auto is_constant = [](llvm::Value* one) { return llvm::isa<llvm::Constant>(one); };
  if (llvm::isa<llvm::InsertElementInst>(inst) && is_constant(inst->getOperand(0)) &&
      is_constant(inst->getOperand(2)))
    return inst->getOperand(1);
  if (llvm::isa<llvm::ShuffleVectorInst>(inst) && is_constant(inst->getOperand(1)))
    return origin(inst->getOperand(0));
  if (llvm::isa<llvm::BinaryOperator>(inst) && is_constant(inst->getOperand(1)))
    return origin(inst->getOperand(0));
  return nullptr;
}

/// Makes each such value anew in every block that uses it.
void make_again(llvm::Function& warp) {
  std::vector<llvm::Instruction*> found;
  for (llvm::BasicBlock& block : warp) {
    if (&block == &warp.getEntryBlock()) continue;
    for (llvm::Instruction& inst : block) {
      if (origin(&inst)) found.push_back(&inst);
    }
  }
  // Those that others are made from come after them.
  for (llvm::Instruction* value : llvm::reverse(found)) {
    std::map<llvm::BasicBlock*, llvm::Instruction*> copies;
    for (llvm::Use& use : llvm::make_early_inc_range(value->uses())) {
      auto* user = llvm::cast<llvm::Instruction>(use.getUser());
      auto* phi = llvm::dyn_cast<llvm::PHINode>(user);
      llvm::BasicBlock* block = phi ? phi->getIncomingBlock(use) : user->getParent();
      if (block == value->getParent()) continue;
      llvm::Instruction*& copy = copies[block];
      if (!copy) {
        copy = value->clone();
        copy->insertBefore(*block, block->getFirstInsertionPt());
      }
      use.set(copy);
    }
    if (value->use_empty()) value->eraseFromParent();
  }
}

}  // namespace

u32 split_regions(llvm::Function& warp) {
  std::vector<llvm::CallInst*> ends;
  for (llvm::BasicBlock& block : warp) {
    for (llvm::Instruction& inst : block) {
      auto* call = llvm::dyn_cast<llvm::CallInst>(&inst);
      if (call && call->getCalledFunction() && call->getCalledFunction()->getName() == kRegionEnd)
        ends.push_back(call);
    }
  }
  if (ends.empty()) return kFirstSlot;

  llvm::LLVMContext& context = warp.getContext();
  llvm::IRBuilder<> builder(context);
  llvm::Value* state = warp.getArg(0);
  llvm::Value* frame = warp.getArg(1);
  std::vector<llvm::BasicBlock*> resumed;
  for (llvm::CallInst* call : ends) {
    llvm::BasicBlock* block = call->getParent();
    resumed.push_back(llvm::SplitBlock(block, call->getNextNode()));
    resumed.back()->setName("resume");
  }
  make_again(warp);
  const auto live = find_live(warp);

  const llvm::DataLayout& layout = warp.getDataLayout();
  u32 size = kFirstSlot;
  std::map<llvm::Instruction*, u32> slots;
  const auto at = [&](u32 offset) {
    return builder.CreateConstInBoundsGEP1_32(builder.getInt8Ty(), frame, offset);
  };
  for (llvm::BasicBlock* block : resumed) {
    for (llvm::Instruction* value : live.at(block)) {
      if (slots.count(value)) continue;
      const u32 bytes = static_cast<u32>(layout.getTypeAllocSize(value->getType()).getFixedValue());
      const u32 align =
          bytes >= 64 ? 64 : static_cast<u32>(layout.getABITypeAlign(value->getType()).value());
      size = (size + align - 1) / align * align;
      slots[value] = size;
      size += bytes;
    }
  }

  // Out of the regions, and in again.
  llvm::BasicBlock* entry = &warp.getEntryBlock();
  llvm::BasicBlock* start = entry->getTerminator()->getSuccessor(0);
  entry->getTerminator()->eraseFromParent();
  builder.SetInsertPoint(entry);
  auto* choice = builder.CreateSwitch(builder.CreateLoad(builder.getInt32Ty(), frame, "state"),
                                      start, static_cast<unsigned>(ends.size()));
  for (std::size_t i = 0; i < ends.size(); ++i) {
    llvm::CallInst* call = ends[i];
    llvm::BasicBlock* block = call->getParent();
    block->getTerminator()->eraseFromParent();
    builder.SetInsertPoint(block);
    builder.CreateStore(builder.getInt32(static_cast<u32>(i + 1)), frame);
    builder.CreateStore(call->getArgOperand(1),
                        builder.CreateConstInBoundsGEP1_32(builder.getInt8Ty(), state,
                                                           offsetof(Context, barrier_number)));
    builder.CreateRet(builder.getInt32(static_cast<u32>(Outcome::barrier)));
    call->eraseFromParent();
    choice->addCase(builder.getInt32(static_cast<u32>(i + 1)), resumed[i]);
  }

  // Values on both sides.
  for (const auto& [value, offset] : slots) {
    std::vector<llvm::Use*> uses;
    for (llvm::Use& use : value->uses()) uses.push_back(&use);
    const llvm::Align align(offset % 64 == 0 ? 64
                                             : layout.getABITypeAlign(value->getType()).value());
    llvm::SSAUpdater values;
    values.Initialize(value->getType(), value->getName());
    values.AddAvailableValue(value->getParent(), value);
    // A block that begins where a warp goes on may compute the value anew further down; uses above
    // that want what was read.
    std::map<llvm::BasicBlock*, llvm::Value*> read;
    for (llvm::BasicBlock* block : resumed) {
      if (!live.at(block).count(value)) continue;
      builder.SetInsertPoint(block, block->getFirstInsertionPt());
      read[block] = builder.CreateAlignedLoad(value->getType(), at(offset), align);
      if (block != value->getParent()) values.AddAvailableValue(block, read[block]);
    }
    if (llvm::isa<llvm::PHINode>(value))
      builder.SetInsertPoint(value->getParent(), value->getParent()->getFirstInsertionPt());
    else
      builder.SetInsertPoint(value->getParent(), std::next(value->getIterator()));
    builder.CreateAlignedStore(value, at(offset), align);
    for (llvm::Use* use : uses) {
      auto* user = llvm::cast<llvm::Instruction>(use->getUser());
      llvm::BasicBlock* block = llvm::isa<llvm::PHINode>(user)
                                    ? llvm::cast<llvm::PHINode>(user)->getIncomingBlock(*use)
                                    : user->getParent();
      if (block == value->getParent()) {
        const bool behind = llvm::isa<llvm::PHINode>(user) || value->comesBefore(user);
        if (!behind) use->set(read.at(block));
        continue;
      }
      if (const auto found = read.find(block); found != read.end())
        use->set(found->second);
      else
        values.RewriteUse(*use);
    }
  }
  return (size + 63) / 64 * 64;
}

}  // namespace heddle::jit
