// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "jit/llvm/vector/scattered_accesses.h"

#include <llvm/IR/Instructions.h>

#include <bit>

namespace heddle::jit {

Halves ScatteredAccesses::gather_or_scatter(
    const llvm::CallInst& call, const Halves& mask,
    llvm::function_ref<llvm::Value*(unsigned half, u64 bytes)> places_of) {
  const Site& site = site_of(call);
  llvm::Type* type = vector_of(builder_.getIntNTy(site.bytes * 8u));
  const bool loads = machine_op(call) == MachineOp::load;
  Halves loaded{};
  for (unsigned h = 0; h < halves_; ++h) {
    std::vector<llvm::Value*> parts;
    for (unsigned i = 0; i < site.count; ++i) {
      llvm::Value* stored = loads ? nullptr : values_.vector(call.getArgOperand(2 + i), h);
      llvm::Value* places = places_of(h, u64{i} * site.bytes);
      if (loads)
        parts.push_back(builder_.CreateMaskedGather(type, places, llvm::Align(1), mask[h],
                                                    llvm::Constant::getNullValue(type)));
      else
        builder_.CreateMaskedScatter(stored, places, llvm::Align(1), mask[h]);
    }
    if (loads) loaded[h] = record_of(parts);
  }
  return loaded;
}

Halves ScatteredAccesses::access(const llvm::CallInst& call, const AccessGroup& group, u64 distance,
                                 const Halves& mask) {
  if (!checks_.is_gathered(call, mask)) return access_lane_by_lane(call, mask);
  const auto access = [&](const Halves& at, u64 distance) {
    return gather_or_scatter(call, mask, [&](unsigned h, u64 bytes) {
      return windows_.pointer(at[h], distance + bytes);
    });
  };
  if (!group.consecutive) return access(group.host, distance);
  AccessGroup own = groups_.group_of(call, Layout::scattered);
  checks_.check_scattered(own, mask);
  return access(own.host, 0);
}

/// A strong access of one lane: one atomic access of all elements (docs/memory-model.md), from or
/// to `places`.
void ScatteredAccesses::access_ordered(const Site& site, bool loads, llvm::Value* at,
                                       const std::vector<llvm::Value*>& places) {
  const unsigned bits = site.bytes * 8u;
  llvm::Type *element = builder_.getIntNTy(bits), *whole = builder_.getIntNTy(bits * site.count);
  const llvm::Align align(u64{site.bytes} * site.count);
  if (loads) {
    llvm::LoadInst* loaded = builder_.CreateAlignedLoad(whole, at, align, /*isVolatile=*/true);
    loaded->setAtomic(llvm::AtomicOrdering::Acquire);
    for (unsigned i = 0; i < site.count; ++i)
      builder_.CreateStore(
          builder_.CreateTrunc(builder_.CreateLShr(loaded, u64{i} * bits), element), places[i]);
    return;
  }
  llvm::Value* stored = llvm::ConstantInt::get(whole, 0);
  for (unsigned i = 0; i < site.count; ++i)
    stored = builder_.CreateOr(
        stored,
        builder_.CreateShl(builder_.CreateZExt(builder_.CreateLoad(element, places[i]), whole),
                           u64{i} * bits));
  builder_.CreateAlignedStore(stored, at, align, /*isVolatile=*/true)
      ->setAtomic(llvm::AtomicOrdering::Release);
}

Halves ScatteredAccesses::access_lane_by_lane(const llvm::CallInst& call, const Halves& mask) {
  const Site& site = site_of(call);
  const bool loads = machine_op(call) == MachineOp::load;
  llvm::Type *element = builder_.getIntNTy(site.bytes * 8u), *type = vector_of(element);
  llvm::Type* wide = builder_.getInt64Ty();
  const AccessGroup own = groups_.group_of(call, Layout::scattered);
  const auto in_row = [&](unsigned i, unsigned h) {
    return builder_.CreateConstInBoundsGEP1_32(type, function_.lane_array(element, i), h);
  };
  // Affine addresses are computed lane by lane; others lie in Context, where reports of faults find
  // them, too.
  const Shape shape = shapes_.of(own.root);
  const bool is_affine =
      shape.is_affine() && shape.widened.empty() && shapes_.halves_of(shape) == halves_;
  for (unsigned h = 0; h < halves_; ++h) {
    if (!is_affine)
      runtime_.hand_over(windows_.advanced(values_.vector_here(own.root, h), own.extent.low),
                         offsetof(Context, addresses), h);
    for (unsigned i = 0; i < site.count; ++i)
      builder_.CreateStore(
          loads ? llvm::Constant::getNullValue(type) : values_.vector(call.getArgOperand(2 + i), h),
          in_row(i, h));
  }
  llvm::Value* lanes = masks_.team_bits(mask);
  if (function_.warps() == 1 && !is_affine)
    builder_.CreateStore(lanes, function_.field_address(offsetof(Context, lanes)),
                         /*isVolatile=*/true);
  const auto address_of = [&](llvm::Value* lane) -> llvm::Value* {
    if (!is_affine)
      return builder_.CreateLoad(
          wide, builder_.CreateInBoundsGEP(
                    wide, function_.field_address(offsetof(Context, addresses)), lane));
    llvm::Type* type = own.root->getType();
    llvm::Value* off = builder_.CreateMul(builder_.CreateTrunc(lane, type),
                                          llvm::ConstantInt::getSigned(type, shape.stride));
    return windows_.advanced(builder_.CreateAdd(values_.scalar(own.root), off), own.extent.low);
  };
  function_.for_each_lane(lanes, [&](llvm::Value* lane) {
    llvm::Value* address = address_of(lane);
    checks_.check_lane(site, own, address, [&] { checks_.check_in_runtime(own, mask); });
    llvm::Value* there = windows_.host_address(site, address);
    std::vector<llvm::Value*> places;
    for (unsigned i = 0; i < site.count; ++i)
      places.push_back(builder_.CreateInBoundsGEP(element, function_.lane_array(element, i), lane));
    if (site.ordered) return access_ordered(site, loads, windows_.pointer(there, 0), places);
    for (unsigned i = 0; i < site.count; ++i) {
      llvm::Value* at = windows_.pointer(there, u64{i} * site.bytes);
      if (loads)
        builder_.CreateStore(builder_.CreateAlignedLoad(element, at, llvm::Align(1)), places[i]);
      else
        builder_.CreateAlignedStore(builder_.CreateLoad(element, places[i]), at, llvm::Align(1));
    }
  });
  Halves loaded{};
  for (unsigned h = 0; loads && h < halves_; ++h) {
    std::vector<llvm::Value*> parts;
    for (unsigned i = 0; i < site.count; ++i)
      parts.push_back(builder_.CreateLoad(type, in_row(i, h)));
    loaded[h] = record_of(parts);
  }
  return loaded;
}

}  // namespace heddle::jit
