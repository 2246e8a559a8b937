// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "jit/llvm/host/scalarize_masked.h"

#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/Transforms/Utils/BasicBlockUtils.h>

#include <map>
#include <vector>

namespace heddle::jit {
namespace {

using Block = llvm::BasicBlock;

/// A masked load, store, gather or scatter.
struct Access {
  explicit Access(llvm::IntrinsicInst& call) : call(call) {
    const bool loads = is_load();
    pointers = call.getArgOperand(loads ? 0 : 1);
    mask = call.getArgOperand(loads ? 2 : 3);
    value = call.getArgOperand(loads ? 3 : 0);  // of inactive lanes of a load, or the stored value
    align = llvm::cast<llvm::ConstantInt>(call.getArgOperand(loads ? 1 : 2))->getAlignValue();
  }

  bool is_load() const {
    return call.getIntrinsicID() == llvm::Intrinsic::masked_load ||
           call.getIntrinsicID() == llvm::Intrinsic::masked_gather;
  }
  bool is_line() const { return !pointers->getType()->isVectorTy(); }
  bool is_legal(const llvm::TargetTransformInfo& target) const {
    llvm::Type* type = value->getType();
    if (is_line())
      return is_load() ? target.isLegalMaskedLoad(type, align)
                       : target.isLegalMaskedStore(type, align);
    return is_load()
               ? target.isLegalMaskedGather(type, align) &&
                     !target.forceScalarizeMaskedGather(llvm::cast<llvm::VectorType>(type), align)
               : target.isLegalMaskedScatter(type, align) &&
                     !target.forceScalarizeMaskedScatter(llvm::cast<llvm::VectorType>(type), align);
  }

  llvm::IntrinsicInst& call;
  llvm::Value *pointers, *mask, *value;
  llvm::Align align;
};

class Scalarizer {
 public:
  explicit Scalarizer(llvm::Function& cta) : cta_(cta), builder_(cta.getContext()) {}

  void make(const Access& access);

 private:
  /// An array for the lanes' values; one per type is enough.
  llvm::AllocaInst* place(llvm::Type* type) {
    llvm::AllocaInst*& known = places_[type];
    if (!known) {
      llvm::IRBuilder<> entry(&*cta_.getEntryBlock().getFirstInsertionPt());
      known = entry.CreateAlloca(type, nullptr, "lanes");
    }
    return known;
  }
  void one_lane(const Access& access, llvm::Value* lane, llvm::Value* pointers,
                llvm::Value* values);

  llvm::Function& cta_;
  llvm::IRBuilder<> builder_;
  std::map<llvm::Type*, llvm::AllocaInst*> places_;
};

void Scalarizer::one_lane(const Access& access, llvm::Value* lane, llvm::Value* pointers,
                          llvm::Value* values) {
  llvm::Type* element = access.value->getType()->getScalarType();
  llvm::Value* own = builder_.CreateGEP(element, values, lane);
  llvm::Value* there =
      pointers ? builder_.CreateLoad(builder_.getPtrTy(),
                                     builder_.CreateGEP(builder_.getPtrTy(), pointers, lane))
               : builder_.CreateGEP(element, access.pointers, lane);
  if (access.is_load())
    builder_.CreateStore(builder_.CreateAlignedLoad(element, there, access.align), own);
  else
    builder_.CreateAlignedStore(builder_.CreateLoad(element, own), there, access.align);
}

/// Stores values and addresses of the lanes to arrays, and loops over the active lanes. A
/// consecutive access with all lanes active needs no loop.
void Scalarizer::make(const Access& access) {
  Block* before = access.call.getParent();
  Block* behind = llvm::SplitBlock(before, &access.call);
  Block* loop = Block::Create(cta_.getContext(), "lanes", &cta_, behind);
  Block* some = Block::Create(cta_.getContext(), "some", &cta_, loop);
  Block* any = access.is_line() ? Block::Create(cta_.getContext(), "any", &cta_, some) : some;
  before->getTerminator()->eraseFromParent();
  builder_.SetInsertPoint(before);
  builder_.SetCurrentDebugLocation(access.call.getDebugLoc());
  const unsigned count =
      llvm::cast<llvm::FixedVectorType>(access.value->getType())->getNumElements();
  llvm::Type* word = builder_.getIntNTy(count);
  llvm::Value* lanes = builder_.CreateBitCast(access.mask, word);
  llvm::Value* none = llvm::ConstantInt::get(word, 0);

  llvm::AllocaInst* values = place(access.value->getType());
  llvm::Value* at_once = nullptr;
  Block* all = nullptr;
  if (access.is_line()) {
    all = Block::Create(cta_.getContext(), "all", &cta_, any);
    builder_.CreateCondBr(builder_.CreateICmpEQ(lanes, llvm::Constant::getAllOnesValue(word)), all,
                          any);
    builder_.SetInsertPoint(all);
    if (access.is_load())
      at_once = builder_.CreateAlignedLoad(access.value->getType(), access.pointers, access.align);
    else
      builder_.CreateAlignedStore(access.value, access.pointers, access.align);
    builder_.CreateBr(behind);
    builder_.SetInsertPoint(any);
  } else {
    any = before;
  }
  builder_.CreateCondBr(builder_.CreateICmpEQ(lanes, none), behind, some);

  builder_.SetInsertPoint(some);
  builder_.CreateStore(access.value, values);
  llvm::AllocaInst* pointers = nullptr;
  if (!access.is_line()) {
    pointers = place(access.pointers->getType());
    builder_.CreateStore(access.pointers, pointers);
  }
  builder_.CreateBr(loop);

  builder_.SetInsertPoint(loop);
  llvm::PHINode* left = builder_.CreatePHI(word, 2);
  left->addIncoming(lanes, some);
  llvm::Value* lane =
      builder_.CreateBinaryIntrinsic(llvm::Intrinsic::cttz, left, builder_.getTrue());
  one_lane(access, builder_.CreateZExtOrTrunc(lane, builder_.getInt64Ty()), pointers, values);
  llvm::Value* rest =
      builder_.CreateAnd(left, builder_.CreateSub(left, llvm::ConstantInt::get(word, 1)));
  left->addIncoming(rest, loop);
  Block* done = Block::Create(cta_.getContext(), "done", &cta_, behind);
  builder_.CreateCondBr(builder_.CreateICmpEQ(rest, none), done, loop);
  builder_.SetInsertPoint(done);
  llvm::Value* loaded =
      access.is_load() ? builder_.CreateLoad(access.value->getType(), values) : nullptr;
  builder_.CreateBr(behind);

  if (loaded) {
    builder_.SetInsertPoint(&behind->front());
    llvm::PHINode* result = builder_.CreatePHI(access.value->getType(), 3);
    if (at_once) result->addIncoming(at_once, all);
    result->addIncoming(access.value, any);
    result->addIncoming(loaded, done);
    access.call.replaceAllUsesWith(result);
  }
  access.call.eraseFromParent();
}

}  // namespace

void scalarize_masked(llvm::Function& cta, const llvm::TargetTransformInfo& target) {
  std::vector<llvm::IntrinsicInst*> calls;
  for (llvm::Instruction& inst : llvm::instructions(cta)) {
    auto* call = llvm::dyn_cast<llvm::IntrinsicInst>(&inst);
    if (!call) continue;
    switch (call->getIntrinsicID()) {
      case llvm::Intrinsic::masked_load:
      case llvm::Intrinsic::masked_store:
      case llvm::Intrinsic::masked_gather:
      case llvm::Intrinsic::masked_scatter:
        calls.push_back(call);
        break;
      default:
        break;
    }
  }
  Scalarizer scalarizer(cta);
  for (llvm::IntrinsicInst* call : calls) {
    const Access access(*call);
    // Constant masks need no branches.
    if (!llvm::isa<llvm::Constant>(access.mask) && !access.is_legal(target))
      scalarizer.make(access);
  }
}

}  // namespace heddle::jit
