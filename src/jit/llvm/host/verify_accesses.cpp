// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "jit/llvm/host/verify_accesses.h"

#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/MDBuilder.h>
#include <llvm/IR/Operator.h>
#include <llvm/Transforms/Utils/BasicBlockUtils.h>

#include <vector>

#include "jit/context.h"

namespace heddle::jit {
namespace {

/// The memory of an access: `bytes` bytes from a pointer or, where the pointer is a vector, from
/// each of its elements whose bit in `mask` is set.
struct Accessed {
  llvm::Value* pointer = nullptr;
  llvm::Value* bytes = nullptr;
  llvm::Value* mask = nullptr;
};

class Verifier {
 public:
  explicit Verifier(llvm::Function& cta)
      : context_(cta.getArg(0)), layout_(cta.getDataLayout()), builder_(cta.getContext()) {}
  void verify(llvm::Instruction& inst);

 private:
  Accessed accessed(llvm::Instruction& inst);
  Accessed active_part(llvm::Value* pointer, llvm::Type* type, llvm::Value* mask);
  llvm::Value* field(std::size_t offset) {
    return builder_.CreateConstInBoundsGEP1_64(builder_.getInt8Ty(), context_, offset);
  }
  llvm::Value* lies_in(std::size_t base, std::size_t size, llvm::Value* address,
                       llvm::Value* bytes);

  llvm::Value* context_;
  const llvm::DataLayout& layout_;
  llvm::IRBuilder<> builder_;
};

/// Pointers to a kernel's memory are made from integers. Others are the code's own: stack
/// variables, constant tables, Context and what it points to.
bool is_of_kernel(const llvm::Value* pointer) {
  llvm::SmallVector<const llvm::Value*, 4> origins;
  llvm::getUnderlyingObjects(pointer, origins, /*LI=*/nullptr, /*MaxLookup=*/0);
  return llvm::all_of(origins, [](const llvm::Value* from) {
    return llvm::Operator::getOpcode(from) == llvm::Instruction::IntToPtr;
  });
}

/// A masked consecutive access extends from the first active element to the last.
Accessed Verifier::active_part(llvm::Value* pointer, llvm::Type* type, llvm::Value* mask) {
  const unsigned count = llvm::cast<llvm::FixedVectorType>(type)->getNumElements();
  llvm::Type* wide = builder_.getInt64Ty();
  llvm::Value* bits = builder_.CreateBitCast(mask, builder_.getIntNTy(count));
  const auto zeros = [&](llvm::Intrinsic::ID id) {
    return builder_.CreateZExtOrTrunc(builder_.CreateBinaryIntrinsic(id, bits, builder_.getFalse()),
                                      wide);
  };
  llvm::Value* element = builder_.getInt64(layout_.getTypeStoreSize(type->getScalarType()));
  llvm::Value* before = zeros(llvm::Intrinsic::cttz);  // `count` where none is active
  llvm::Value* none = builder_.CreateICmpEQ(bits, llvm::ConstantInt::get(bits->getType(), 0));
  llvm::Value* active = builder_.CreateSub(
      builder_.CreateSub(builder_.getInt64(count), zeros(llvm::Intrinsic::ctlz)), before);
  active = builder_.CreateSelect(none, builder_.getInt64(0), active);
  return {builder_.CreateGEP(builder_.getInt8Ty(), pointer, builder_.CreateMul(before, element)),
          builder_.CreateMul(active, element), nullptr};
}

Accessed Verifier::accessed(llvm::Instruction& inst) {
  const auto whole = [&](llvm::Value* pointer, llvm::Type* type) {
    return Accessed{pointer, builder_.getInt64(layout_.getTypeStoreSize(type)), nullptr};
  };
  if (auto* load = llvm::dyn_cast<llvm::LoadInst>(&inst))
    return whole(load->getPointerOperand(), load->getType());
  if (auto* store = llvm::dyn_cast<llvm::StoreInst>(&inst))
    return whole(store->getPointerOperand(), store->getValueOperand()->getType());
  if (auto* atomic = llvm::dyn_cast<llvm::AtomicRMWInst>(&inst))
    return whole(atomic->getPointerOperand(), atomic->getValOperand()->getType());
  if (auto* exchange = llvm::dyn_cast<llvm::AtomicCmpXchgInst>(&inst))
    return whole(exchange->getPointerOperand(), exchange->getNewValOperand()->getType());
  auto* call = llvm::dyn_cast<llvm::IntrinsicInst>(&inst);
  if (!call) return {};
  const auto lanes = [&](llvm::Value* pointers, llvm::Type* type, llvm::Value* mask) {
    return Accessed{pointers, builder_.getInt64(layout_.getTypeStoreSize(type->getScalarType())),
                    mask};
  };
  const auto operand = [&](unsigned i) { return call->getArgOperand(i); };
  switch (call->getIntrinsicID()) {
    case llvm::Intrinsic::masked_load:
      if (!is_of_kernel(operand(0))) return {};
      return active_part(operand(0), call->getType(), operand(2));
    case llvm::Intrinsic::masked_store:
      if (!is_of_kernel(operand(1))) return {};
      return active_part(operand(1), operand(0)->getType(), operand(3));
    case llvm::Intrinsic::masked_gather:
      return lanes(operand(0), call->getType(), operand(2));
    case llvm::Intrinsic::masked_scatter:
      return lanes(operand(1), operand(0)->getType(), operand(3));
    default:
      return {};
  }
}

/// For a scalar or a vector of addresses.
llvm::Value* Verifier::lies_in(std::size_t base, std::size_t size, llvm::Value* address,
                               llvm::Value* bytes) {
  const auto number = [&](llvm::Value* scalar) {
    auto* vector = llvm::dyn_cast<llvm::FixedVectorType>(address->getType());
    return vector ? builder_.CreateVectorSplat(vector->getNumElements(), scalar) : scalar;
  };
  llvm::Value* room =
      builder_.CreateSub(builder_.CreateLoad(builder_.getInt64Ty(), field(size)), bytes);
  llvm::Value* from = number(builder_.CreateLoad(builder_.getInt64Ty(), field(base)));
  return builder_.CreateICmpULE(builder_.CreateSub(address, from), number(room));
}

void Verifier::verify(llvm::Instruction& inst) {
  builder_.SetInsertPoint(&inst);
  const Accessed what = accessed(inst);
  if (!what.pointer || !is_of_kernel(what.pointer)) return;
  llvm::Type* number = builder_.getInt64Ty();
  auto* vector = llvm::dyn_cast<llvm::FixedVectorType>(what.pointer->getType());
  const unsigned count = vector ? vector->getNumElements() : 1;
  if (vector) number = llvm::FixedVectorType::get(number, count);
  llvm::Value* address = builder_.CreatePtrToInt(what.pointer, number);
  llvm::Value* outside = builder_.CreateNot(builder_.CreateOr(
      lies_in(offsetof(Context, low_base), offsetof(Context, low_size), address, what.bytes),
      lies_in(offsetof(Context, high_base), offsetof(Context, high_size), address, what.bytes)));
  if (vector) {
    outside = builder_.CreateAnd(outside, what.mask);
  } else {
    outside = builder_.CreateAnd(outside, builder_.CreateICmpNE(what.bytes, builder_.getInt64(0)));
  }
  llvm::Value* lanes = builder_.CreateZExt(
      builder_.CreateBitCast(outside, builder_.getIntNTy(count)), builder_.getInt64Ty());
  llvm::MDNode* const unlikely = llvm::MDBuilder(inst.getContext()).createUnlikelyBranchWeights();
  llvm::Instruction* there =
      llvm::SplitBlockAndInsertIfThen(builder_.CreateICmpNE(lanes, builder_.getInt64(0)), &inst,
                                      /*Unreachable=*/false, unlikely);
  builder_.SetInsertPoint(there);
  builder_.CreateStore(lanes, field(offsetof(Context, verified_lanes)));
  builder_.CreateStore(what.bytes, field(offsetof(Context, verified_bytes)));
  builder_.CreateAlignedStore(address, field(offsetof(Context, verified)), llvm::Align(8));
  llvm::Type* pointer = builder_.getPtrTy();
  llvm::Value* table = builder_.CreateLoad(pointer, field(offsetof(Context, helpers)));
  llvm::Value* helper = builder_.CreateLoad(
      pointer, builder_.CreateConstInBoundsGEP1_32(pointer, table,
                                                   static_cast<unsigned>(HelperId::verify_access)));
  builder_.CreateCall(
      llvm::FunctionType::get(builder_.getInt32Ty(), {pointer, builder_.getInt32Ty()}, false),
      helper, {context_, builder_.getInt32(0)});
}

}  // namespace

void verify_accesses(llvm::Function& cta) {
  std::vector<llvm::Instruction*> accesses;
  for (llvm::Instruction& inst : llvm::instructions(cta)) {
    if (inst.mayReadOrWriteMemory()) accesses.push_back(&inst);
  }
  Verifier verifier(cta);
  for (llvm::Instruction* access : accesses) verifier.verify(*access);
}

}  // namespace heddle::jit
