// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Variables that are not promoted: parameters that are indexed at run time, and structures that the
// semantics read. A pointer to one becomes an offset in the thread's local memory, and an access
// becomes one of the kernel's loads or stores of local memory.
#include <llvm/Analysis/Utils/Local.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>

#include <algorithm>
#include <map>
#include <vector>

#include <fmt/format.h>

#include "jit/llvm/scalar/local_memory.h"

namespace heddle::jit {

u32 LocalMemory::site(u64 bytes) {
  const llvm::DebugLoc& at = builder_.getCurrentDebugLocation();
  Site site;
  std::tie(site.function, site.inst) = kernel_.place_of(at ? at.getLine() : 0);
  site.space = ir::Space::local;
  site.bytes = static_cast<u8>(bytes);
  return kernel_.add_site(site);
}

llvm::Value* LocalMemory::pointer_place() {
  return call_machine(builder_, MachineOp::local, builder_.getInt64Ty(),
                      {builder_.getInt32(*kernel_.stack_pointer)});
}

llvm::Value* LocalMemory::load(llvm::Type* type, llvm::Value* at, u64 align) {
  const u64 bytes = layout_.getTypeStoreSize(type);
  auto* whole = builder_.getIntNTy(static_cast<unsigned>(bytes * 8));
  llvm::Value* sum = nullptr;
  for (u64 done = 0; done < bytes;) {
    u64 piece = std::min<u64>(align, 8);
    while (done + piece > bytes || done % piece) piece /= 2;
    llvm::Value* word = call_machine(builder_, MachineOp::load, word_of(piece),
                                     {builder_.getInt32(site(piece)), beyond(at, done)},
                                     fmt::format("1.i{}", piece * 8));
    word = builder_.CreateZExt(word, whole);
    if (done) word = builder_.CreateShl(word, done * 8);
    sum = sum ? builder_.CreateOr(sum, word) : word;
    done += piece;
  }
  const auto bits = static_cast<unsigned>(layout_.getTypeSizeInBits(type));
  return builder_.CreateBitCast(builder_.CreateTrunc(sum, builder_.getIntNTy(bits)), type);
}

void LocalMemory::store(llvm::Value* value, llvm::Value* at, u64 align) {
  const u64 bytes = layout_.getTypeStoreSize(value->getType());
  const auto bits = static_cast<unsigned>(layout_.getTypeSizeInBits(value->getType()));
  llvm::Value* whole = builder_.CreateBitCast(value, builder_.getIntNTy(bits));
  whole = builder_.CreateZExt(whole, builder_.getIntNTy(static_cast<unsigned>(bytes * 8)));
  for (u64 done = 0; done < bytes;) {
    u64 piece = std::min<u64>(align, 8);
    while (done + piece > bytes || done % piece) piece /= 2;
    llvm::Value* word = done ? builder_.CreateLShr(whole, done * 8) : whole;
    word = builder_.CreateTrunc(word, word_of(piece));
    call_machine(builder_, MachineOp::store, builder_.getVoidTy(),
                 {builder_.getInt32(site(piece)), beyond(at, done), word},
                 fmt::format("1.i{}", piece * 8));
    done += piece;
  }
}

namespace {

class Mover {
 public:
  explicit Mover(ScalarKernel& kernel)
      : kernel_(kernel),
        layout_(kernel.module->getDataLayout()),
        builder_(kernel.module->getContext()),
        memory_(kernel, builder_) {}

  std::string run();

 private:
  bool follow(llvm::Value* pointer);
  llvm::Value* offset(llvm::Value* pointer) const {
    const auto found = offsets_.find(pointer);
    return found == offsets_.end() ? nullptr : found->second;
  }
  void rewrite(llvm::Instruction& inst);

  ScalarKernel& kernel_;
  const llvm::DataLayout& layout_;
  llvm::IRBuilder<> builder_;
  LocalMemory memory_;
  std::map<const llvm::Value*, llvm::Value*> offsets_;
  std::vector<llvm::Instruction*> pointers_, accesses_;  ///< in the order in which they were found
};

/// Finds all uses of a pointer. False: one is not understood.
bool Mover::follow(llvm::Value* pointer) {
  for (llvm::Use& use : pointer->uses()) {
    auto* user = llvm::cast<llvm::Instruction>(use.getUser());
    switch (user->getOpcode()) {
      case llvm::Instruction::GetElementPtr:
      case llvm::Instruction::Freeze:
      case llvm::Instruction::PHI:
      case llvm::Instruction::Select:
        if (offsets_.try_emplace(user, nullptr).second) {
          pointers_.push_back(user);
          if (!follow(user)) return false;
        }
        break;
      case llvm::Instruction::Store:
        if (use.getOperandNo() != llvm::StoreInst::getPointerOperandIndex()) return false;
        [[fallthrough]];
      case llvm::Instruction::Load:
        accesses_.push_back(user);
        break;
      case llvm::Instruction::Call: {
        const bool known = llvm::isa<llvm::MemSetInst, llvm::MemTransferInst>(user) ||
                           user->isLifetimeStartOrEnd();
        if (!known) return false;
        if (std::find(accesses_.begin(), accesses_.end(), user) == accesses_.end())
          accesses_.push_back(user);
        break;
      }
      default:
        return false;
    }
  }
  return true;
}

void Mover::rewrite(llvm::Instruction& inst) {
  builder_.SetInsertPoint(&inst);
  if (auto* one = llvm::dyn_cast<llvm::LoadInst>(&inst)) {
    one->replaceAllUsesWith(
        memory_.load(one->getType(), offset(one->getPointerOperand()), one->getAlign().value()));
  } else if (auto* one = llvm::dyn_cast<llvm::StoreInst>(&inst)) {
    memory_.store(one->getValueOperand(), offset(one->getPointerOperand()),
                  one->getAlign().value());
  } else if (auto* one = llvm::dyn_cast<llvm::MemSetInst>(&inst)) {
    const u64 bytes = llvm::cast<llvm::ConstantInt>(one->getLength())->getZExtValue();
    for (u64 at = 0; at < bytes; ++at)
      memory_.store(one->getValue(), memory_.beyond(offset(one->getDest()), at), 1);
  } else if (auto* one = llvm::dyn_cast<llvm::MemTransferInst>(&inst)) {
    // All is loaded before anything is stored: the two may overlap.
    const u64 bytes = llvm::cast<llvm::ConstantInt>(one->getLength())->getZExtValue();
    const u64 align = std::min({one->getSourceAlign().valueOrOne().value(),
                                one->getDestAlign().valueOrOne().value(), u64{8}});
    std::vector<std::pair<u64, llvm::Value*>> words;
    for (u64 at = 0; at < bytes;) {
      u64 piece = align;
      while (at + piece > bytes) piece /= 2;
      llvm::Type* type = builder_.getIntNTy(static_cast<unsigned>(piece * 8));
      llvm::Value* word;
      if (llvm::Value* from = offset(one->getSource()))
        word = memory_.load(type, memory_.beyond(from, at), piece);
      else
        word = builder_.CreateAlignedLoad(
            type, builder_.CreateConstInBoundsGEP1_64(builder_.getInt8Ty(), one->getSource(), at),
            llvm::Align(piece));
      words.emplace_back(at, word);
      at += piece;
    }
    for (const auto& [at, word] : words)
      memory_.store(word, memory_.beyond(offset(one->getDest()), at),
                    layout_.getTypeStoreSize(word->getType()));
  }
  inst.eraseFromParent();
}

std::string Mover::run() {
  std::vector<llvm::AllocaInst*> variables;
  for (llvm::Instruction& inst : llvm::instructions(*kernel_.function)) {
    if (auto* one = llvm::dyn_cast<llvm::AllocaInst>(&inst)) variables.push_back(one);
  }
  for (llvm::AllocaInst* one : variables) {
    const auto bytes = one->getAllocationSize(layout_);
    if (!bytes) return "a variable of a size that is not known when compiling";
    offsets_[one] = builder_.getInt64(take_local(kernel_.local_bytes, bytes->getFixedValue(),
                                                 std::max<u64>(one->getAlign().value(), 8)));
    if (!follow(one)) return "the address of a variable in the semantics";
  }
  if (variables.empty()) return {};
  // A select between pointers becomes one between offsets.
  for (llvm::Instruction* one : pointers_) {
    builder_.SetInsertPoint(one);
    if (auto* phi = llvm::dyn_cast<llvm::PHINode>(one))
      offsets_[one] = builder_.CreatePHI(builder_.getInt64Ty(), phi->getNumIncomingValues());
  }
  const auto make = [&](auto& self, llvm::Value* pointer) -> llvm::Value* {
    const auto found = offsets_.find(pointer);
    if (found == offsets_.end()) return nullptr;
    if (found->second) return found->second;
    auto* inst = llvm::cast<llvm::Instruction>(pointer);
    llvm::Value* result = nullptr;
    if (auto* place = llvm::dyn_cast<llvm::GetElementPtrInst>(inst)) {
      llvm::Value* base = self(self, place->getPointerOperand());
      if (!base) return nullptr;
      builder_.SetInsertPoint(inst);
      result = builder_.CreateAdd(base, llvm::emitGEPOffset(&builder_, layout_, place));
    } else if (auto* choice = llvm::dyn_cast<llvm::SelectInst>(inst)) {
      llvm::Value* yes = self(self, choice->getTrueValue());
      llvm::Value* no = self(self, choice->getFalseValue());
      if (!yes || !no) return nullptr;
      builder_.SetInsertPoint(inst);
      result = builder_.CreateSelect(choice->getCondition(), yes, no);
    } else {  // freeze
      llvm::Value* base = self(self, inst->getOperand(0));
      if (!base) return nullptr;
      builder_.SetInsertPoint(inst);
      result = builder_.CreateFreeze(base);
    }
    return offsets_[pointer] = result;
  };
  for (llvm::Instruction* one : pointers_) {
    if (!make(make, one)) return "a pointer that may be one of several kinds";
  }
  for (llvm::Instruction* one : pointers_) {
    auto* phi = llvm::dyn_cast<llvm::PHINode>(one);
    if (!phi) continue;
    for (unsigned i = 0; i < phi->getNumIncomingValues(); ++i) {
      llvm::Value* from = offset(phi->getIncomingValue(i));
      if (!from) return "a pointer that may be one of several kinds";
      llvm::cast<llvm::PHINode>(offsets_[one])->addIncoming(from, phi->getIncomingBlock(i));
    }
  }
  for (llvm::Instruction* one : accesses_) {
    const auto* set = llvm::dyn_cast<llvm::MemIntrinsic>(one);
    if (set && !llvm::isa<llvm::ConstantInt>(set->getLength()))
      return "a copy of a size that is not known when compiling";
    if (set && !offset(set->getDest())) return "a copy to what is not a variable";
  }
  for (llvm::Instruction* one : accesses_) rewrite(*one);
  for (llvm::Instruction* one : pointers_) one->dropAllReferences();
  for (llvm::Instruction* one : pointers_) one->eraseFromParent();
  for (llvm::AllocaInst* one : variables) one->eraseFromParent();
  return {};
}

}  // namespace

std::string move_to_memory(ScalarKernel& kernel) {
  if (std::string why = Mover(kernel).run(); !why.empty()) return why;
  for (llvm::Instruction& inst : llvm::make_early_inc_range(llvm::instructions(*kernel.function))) {
    if (machine_op(inst) != MachineOp::stack) continue;
    inst.replaceAllUsesWith(llvm::ConstantInt::get(inst.getType(), kernel.local_size()));
    inst.eraseFromParent();
  }
  // A generic address that comes from a cvta is not known to be one of local memory.
  kernel.local_in_lanes = llvm::none_of(
      llvm::instructions(*kernel.function),
      [](const llvm::Instruction& inst) { return machine_op(inst) == MachineOp::local_base; });
  return {};
}

}  // namespace heddle::jit
