// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "jit/llvm/vector/memory_windows.h"

#include <llvm/IR/Instructions.h>
#include <llvm/IR/Intrinsics.h>

#include <bit>

#include "jit/llvm/analysis/branch_weights.h"

namespace heddle::jit {
namespace {

/// The value rotated right, scalar or vector.
llvm::Value* rotate(llvm::IRBuilder<>& builder, llvm::Value* value, unsigned bits) {
  if (!bits) return value;
  llvm::Value* by = llvm::ConstantInt::get(value->getType(), bits);
  return builder.CreateIntrinsic(llvm::Intrinsic::fshr, {value->getType()}, {value, value, by});
}

}  // namespace

std::vector<Window> MemoryWindows::of(const Site& site) {
  llvm::Type* wide = builder_.getInt64Ty();
  switch (site.space) {
    case ir::Space::shared:
      return {{nullptr, function_.field(offsetof(Context, shared_size), wide, "shared.size")}};
    case ir::Space::local:
      return {{nullptr, local_.size()}};
    case ir::Space::param:
      return {{function_.field(offsetof(Context, params), wide, "params"),
               function_.field(offsetof(Context, params_size), wide, "params.size")}};
    default:
      return {{function_.field(offsetof(Context, low_base), wide, "low.base"),
               function_.field(offsetof(Context, low_size), wide, "low.size")},
              {function_.field(offsetof(Context, high_base), wide, "high.base"),
               function_.field(offsetof(Context, high_size), wide, "high.size")}};
  }
}

/// The test of the second window is behind a branch: little memory is not in the first.
llvm::Value* MemoryWindows::in_a_window(
    const Site& site, const std::function<llvm::Value*(const Window& window)>& test) {
  const std::vector<Window> all = of(site);
  llvm::Value* holds = test(all[0]);
  if (all.size() == 1) return holds;
  Block *before = builder_.GetInsertBlock(), *second = new_block("second");
  Block* known = new_block("known");
  expect(builder_.CreateCondBr(holds, known, second));
  go_to(second);
  llvm::Value* there = test(all[1]);
  second = builder_.GetInsertBlock();
  builder_.CreateBr(known);
  go_to(known);
  llvm::PHINode* phi = builder_.CreatePHI(builder_.getInt1Ty(), 2);
  phi->addIncoming(builder_.getTrue(), before);
  phi->addIncoming(there, second);
  return phi;
}

llvm::Value* MemoryWindows::fits(const Window& window, llvm::Value* address, u64 bytes, u64 align) {
  llvm::Value *base = window.base, *size = window.size;
  const unsigned rotation = static_cast<unsigned>(std::countr_zero(align));
  llvm::Value* places = nullptr;  // of the first byte, in units of `align`
  {
    const llvm::IRBuilder<>::InsertPointGuard guard(builder_);
    llvm::Value*& known = places_[{size, bytes, align}];
    if (!known) {
      function_.set_insert_point_after(size);
      llvm::Value* extent = builder_.getInt64(bytes);
      llvm::Value* room = builder_.CreateAdd(
          builder_.CreateLShr(builder_.CreateSub(size, extent), rotation), builder_.getInt64(1));
      known =
          builder_.CreateSelect(builder_.CreateICmpULT(size, extent), builder_.getInt64(0), room);
    }
    places = known;
  }
  if (address->getType()->isVectorTy()) {
    places = splat(builder_.CreateTrunc(places, address->getType()->getScalarType()));
    if (base) base = splat(base);
  }
  llvm::Value* offset = base ? builder_.CreateSub(address, base) : address;
  return builder_.CreateICmpULT(rotate(builder_, offset, rotation), places);
}

llvm::Value* MemoryWindows::host_address(const Site& site, llvm::Value* address) {
  if (site.space != ir::Space::shared) return address;
  llvm::Value* base =
      function_.field(offsetof(Context, shared_base), builder_.getInt64Ty(), "shared.base");
  return builder_.CreateAdd(address, address->getType()->isVectorTy() ? splat(base) : base);
}

llvm::Value* MemoryWindows::pointer(llvm::Value* address, u64 bytes) {
  const bool vector = address->getType()->isVectorTy();
  llvm::Type* type = builder_.getPtrTy();
  if (address->getType()->getScalarSizeInBits() == 32) {
    llvm::Value* base = builder_.CreateAdd(
        function_.field(offsetof(Context, shared_base), builder_.getInt64Ty(), "shared.base"),
        builder_.getInt64(bytes));
    return builder_.CreateGEP(builder_.getInt8Ty(), builder_.CreateIntToPtr(base, type), address);
  }
  llvm::Value* at = builder_.CreateIntToPtr(address, vector ? vector_of(type) : type);
  if (!bytes) return at;
  return builder_.CreateGEP(builder_.getInt8Ty(), at, builder_.getInt64(bytes));
}

llvm::Value* MemoryWindows::advanced(llvm::Value* value, u64 distance) {
  const bool vector = value->getType()->isVectorTy();
  llvm::Type* wide = builder_.getInt64Ty();
  llvm::Type* narrow = value->getType()->getScalarType();
  if (narrow != wide) {
    value = builder_.CreateAdd(value, llvm::ConstantInt::get(value->getType(), distance));
    return builder_.CreateSExt(value, vector ? vector_of(wide) : wide);
  }
  if (!distance) return value;
  return builder_.CreateAdd(value, llvm::ConstantInt::get(value->getType(), distance));
}

}  // namespace heddle::jit
