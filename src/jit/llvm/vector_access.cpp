// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Accesses to memory. What the lanes access side by side is one vector, what they share one scalar;
// anything else goes lane by lane. Each address is checked against the window it may reach and for
// alignment: with an address turned right by the bits that alignment wants zero, both are one
// comparison. Pages inside of a window that belong to no allocation fault; the run-time finds the
// instruction by the place in the code.
#include <llvm/Analysis/VectorUtils.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/Intrinsics.h>

#include <bit>

#include "base/check.h"
#include "jit/llvm/vectorizer.h"

namespace heddle::jit {

/// A field of Context that does not change while the CTA runs; read once, in the entry.
llvm::Value* Vectorizer::field(std::size_t offset, llvm::Type* type, const char* name) {
  llvm::Value*& known = fields_[{offset, type}];
  if (known) return known;
  const llvm::IRBuilder<>::InsertPointGuard guard(builder_);
  builder_.SetInsertPoint(entry_->getTerminator());
  builder_.SetCurrentDebugLocation(llvm::DebugLoc());
  return known = builder_.CreateLoad(type, field_address(offset), name);
}

/// Where the local memory of the warp's first thread begins.
llvm::Value* Vectorizer::local_base() {
  llvm::Type* wide = builder_.getInt64Ty();
  llvm::Value* base = field(offsetof(Context, local_base), wide, "local.base");
  llvm::Value* stride = field(offsetof(Context, local_stride), wide, "local.stride");
  llvm::Value* thread =
      builder_.CreateMul(builder_.CreateZExt(made_.warp, wide), builder_.getInt64(kLanes));
  return builder_.CreateAdd(base, builder_.CreateMul(stride, thread));
}

llvm::Value* Vectorizer::field_address(std::size_t offset) {
  return builder_.CreateConstInBoundsGEP1_32(builder_.getInt8Ty(), state_,
                                             static_cast<unsigned>(offset));
}

/// Bit i: lane i.
llvm::Value* Vectorizer::lane_mask(const Halves& mask) {
  llvm::Value* bits = nullptr;
  for (unsigned h = 0; h < kHalves; ++h) {
    llvm::Value* half = builder_.CreateZExt(
        builder_.CreateBitCast(mask[h], builder_.getIntNTy(kHalf)), builder_.getInt32Ty());
    half = builder_.CreateShl(half, h * kHalf);
    bits = bits ? builder_.CreateOr(bits, half) : half;
  }
  return bits;
}

/// For the lanes of the mask.
void Vectorizer::call_helper(HelperId helper, llvm::Value* argument, const Halves& mask) {
  builder_.CreateStore(lane_mask(mask), field_address(offsetof(Context, lanes)));
  call_helper(helper, argument);
}

void Vectorizer::call_helper(HelperId helper, llvm::Value* argument) {
  llvm::Value* table = field(offsetof(Context, helpers), builder_.getPtrTy(), "helpers");
  llvm::Value* at = builder_.CreateConstInBoundsGEP1_32(builder_.getPtrTy(), table,
                                                        static_cast<unsigned>(helper));
  auto* type = llvm::FunctionType::get(builder_.getInt32Ty(),
                                       {builder_.getPtrTy(), builder_.getInt32Ty()}, false);
  llvm::Value* trapped =
      builder_.CreateCall(type, builder_.CreateLoad(builder_.getPtrTy(), at), {state_, argument});
  Block* next = new_block("next");
  builder_.CreateCondBr(builder_.CreateICmpNE(trapped, builder_.getInt32(0)), trapped_, next);
  go_to(next);
}

namespace {

/// value >> 0 turned right by `bits`, scalar or vector.
llvm::Value* rotate(llvm::IRBuilder<>& builder, llvm::Value* value, unsigned bits) {
  if (!bits) return value;
  llvm::Value* by = llvm::ConstantInt::get(value->getType(), bits);
  return builder.CreateIntrinsic(llvm::Intrinsic::fshr, {value->getType()}, {value, value, by});
}

}  // namespace

/// In a window of `size` bytes from `base` (null: 0) lie `bytes` bytes from `address`, which is a
/// multiple of `align`.
llvm::Value* Vectorizer::fits(llvm::Value* base, llvm::Value* size, llvm::Value* address, u64 bytes,
                              u64 align) {
  const unsigned turn = static_cast<unsigned>(std::countr_zero(align));
  llvm::Value* places = nullptr;  // of the first byte, in units of `align`
  {
    const llvm::IRBuilder<>::InsertPointGuard guard(builder_);
    llvm::Value*& known = places_[{size, bytes, align}];
    if (!known) {
      place_behind(size);
      llvm::Value* extent = builder_.getInt64(bytes);
      llvm::Value* room = builder_.CreateAdd(
          builder_.CreateLShr(builder_.CreateSub(size, extent), turn), builder_.getInt64(1));
      known =
          builder_.CreateSelect(builder_.CreateICmpULT(size, extent), builder_.getInt64(0), room);
    }
    places = known;
  }
  if (address->getType()->isVectorTy()) {
    places = splat(places);
    if (base) base = splat(base);
  }
  llvm::Value* offset = base ? builder_.CreateSub(address, base) : address;
  return builder_.CreateICmpULT(rotate(builder_, offset, turn), places);
}

/// The legal windows of a site: one, or two of host addresses.
std::vector<Vectorizer::Window> Vectorizer::windows(const Site& site) {
  llvm::Type* wide = builder_.getInt64Ty();
  switch (site.space) {
    case ir::Space::shared:
      return {{nullptr, field(offsetof(Context, shared_size), wide, "shared.size")}};
    case ir::Space::local:
      return {{nullptr, field(offsetof(Context, local_stride), wide, "local.stride")}};
    default:
      return {{field(offsetof(Context, low_base), wide, "low.base"),
               field(offsetof(Context, low_size), wide, "low.size")},
              {field(offsetof(Context, high_base), wide, "high.base"),
               field(offsetof(Context, high_size), wide, "high.size")}};
  }
}

/// The address of the host for one of the window.
llvm::Value* Vectorizer::host(const Site& site, llvm::Value* address) {
  if (site.space != ir::Space::shared) return address;
  llvm::Value* base = field(offsetof(Context, shared_base), builder_.getInt64Ty(), "shared.base");
  return builder_.CreateAdd(address, address->getType()->isVectorTy() ? splat(base) : base);
}

/// Goes on where `bytes` bytes from `address` are legal for all lanes; else asks the run-time,
/// which looks at each lane of the mask.
void Vectorizer::check(u32 number, llvm::CallInst& call, llvm::Value* address, u64 bytes,
                       const Halves& mask) {
  const Site& site = kernel_.sites[number];
  Block* legal = new_block("legal");
  const u64 align = u64{site.bytes} * site.count;
  for (const Window& window : windows(site)) {
    Block* outside = new_block("outside");
    auto* branch = builder_.CreateCondBr(fits(window.base, window.size, address, bytes, align),
                                         legal, outside);
    branch->setMetadata(llvm::LLVMContext::MD_prof,
                        llvm::MDBuilder(context_).createBranchWeights(1000, 1));
    go_to(outside);
  }
  llvm::Value* address_of_call = call.getArgOperand(1);
  if (!shapes_.of(address_of_call).is_affine()) {
    ask(number, call, mask);
    builder_.CreateBr(legal);
    return go_to(legal);
  }
  // The addresses are in a line, of which the run-time gets the ends: this is hardly ever run, and
  // should not be long.
  for (unsigned h = 0; h < kHalves; ++h) {
    builder_.CreateStore(first(address_of_call, h),
                         field_address(offsetof(Context, line) + h * sizeof(u64)));
  }
  const s64 step = shapes_.of(address_of_call).stride;
  builder_.CreateStore(builder_.getInt64(static_cast<u64>(step)),
                       field_address(offsetof(Context, step)));
  call_helper(HelperId::check_line, builder_.getInt32(number), mask);
  builder_.CreateBr(legal);
  go_to(legal);
}

/// Has the run-time look at the addresses of the lanes of the mask.
void Vectorizer::ask(u32 number, llvm::CallInst& call, const Halves& mask) {
  pass_addresses(call);
  call_helper(HelperId::check_access, builder_.getInt32(number), mask);
}

/// The lanes' own host addresses, all of them looked at.
Halves Vectorizer::checked_addresses(u32 number, llvm::CallInst& call, const Halves& mask) {
  const Site& site = kernel_.sites[number];
  const u64 align = u64{site.bytes} * site.count;
  Halves bad, addresses;
  for (unsigned h = 0; h < kHalves; ++h) {
    addresses[h] = all_here(call.getArgOperand(1), h);
    llvm::Value* legal = nullptr;
    for (const Window& window : windows(site)) {
      llvm::Value* in_this = fits(window.base, window.size, addresses[h], align, align);
      legal = legal ? builder_.CreateOr(legal, in_this) : in_this;
    }
    bad[h] = builder_.CreateSelect(mask[h], builder_.CreateNot(legal), none()[h]);
  }
  Block* illegal = new_block("illegal");
  Block* legal = new_block("legal");
  auto* branch = builder_.CreateCondBr(any(bad), illegal, legal);
  branch->setMetadata(llvm::LLVMContext::MD_prof,
                      llvm::MDBuilder(context_).createBranchWeights(1, 1000));
  go_to(illegal);
  ask(number, call, mask);
  builder_.CreateBr(legal);
  go_to(legal);
  for (unsigned h = 0; h < kHalves; ++h) {
    addresses[h] = host(site, addresses[h]);
    if (site.space == ir::Space::local) {
      llvm::Type* wide = builder_.getInt64Ty();
      llvm::Value* lane = builder_.CreateAdd(splat(builder_.getInt64(h * kHalf)), ramp(wide, 1));
      llvm::Value* own = builder_.CreateMul(
          splat(field(offsetof(Context, local_stride), wide, "local.stride")), lane);
      addresses[h] = builder_.CreateAdd(addresses[h], builder_.CreateAdd(own, splat(local_base())));
    }
  }
  return addresses;
}

/// Whether the lanes access consecutive pieces.
bool Vectorizer::is_consecutive(const Site& site, const Shape& address) const {
  return site.space != ir::Space::local && address.is_affine() &&
         address.stride == s64{site.bytes} * site.count;
}

/// Makes `fast` and `slow` where consecutive addresses may have wrapped around; else `fast` alone.
/// Their results meet behind.
Halves Vectorizer::unless_wrapped(llvm::Value* straight, const std::function<Halves()>& fast,
                                  const std::function<Halves()>& slow) {
  if (!straight) return fast();
  Block* fast_block = new_block("straight");
  Block* slow_block = new_block("wrapped");
  Block* behind = new_block("behind");
  auto* branch = builder_.CreateCondBr(straight, fast_block, slow_block);
  branch->setMetadata(llvm::LLVMContext::MD_prof,
                      llvm::MDBuilder(context_).createBranchWeights(1000, 1));
  go_to(fast_block);
  const Halves a = fast();
  Block* fast_end = builder_.GetInsertBlock();
  builder_.CreateBr(behind);
  go_to(slow_block);
  const Halves b = slow();
  Block* slow_end = builder_.GetInsertBlock();
  builder_.CreateBr(behind);
  go_to(behind);
  Halves both{};
  for (unsigned h = 0; h < kHalves && a[h]; ++h) {
    llvm::PHINode* phi = builder_.CreatePHI(a[h]->getType(), 2);
    phi->addIncoming(a[h], fast_end);
    phi->addIncoming(b[h], slow_end);
    both[h] = phi;
  }
  return both;
}

/// The mask of a half for vectors of `count` elements a lane.
llvm::Value* Vectorizer::repeat(llvm::Value* mask, unsigned count) {
  if (count == 1) return mask;
  std::vector<int> order;
  for (unsigned i = 0; i < kHalf * count; ++i) order.push_back(static_cast<int>(i / count));
  return builder_.CreateShuffleVector(mask, order);
}

void Vectorizer::emit_load(llvm::CallInst& call, const Site& site, const Halves& mask) {
  const u32 number = static_cast<u32>(&site - kernel_.sites.data());
  const Shape shape = shapes_.of(call.getArgOperand(1));
  llvm::Type* element = builder_.getIntNTy(site.bytes * 8u);
  const unsigned count = site.count;
  const u64 whole = u64{site.bytes} * count;
  if (site.ordered) {
    pass_addresses(call);
    call_helper(HelperId::load, builder_.getInt32(number), mask);
    return take_results(call);
  }
  const auto record = [&](const std::vector<llvm::Value*>& parts) -> llvm::Value* {
    if (count == 1) return parts[0];
    std::vector<llvm::Type*> types;
    for (llvm::Value* part : parts) types.push_back(part->getType());
    llvm::Value* result = llvm::PoisonValue::get(llvm::StructType::get(context_, types));
    for (unsigned i = 0; i < count; ++i) result = builder_.CreateInsertValue(result, parts[i], i);
    return result;
  };
  const auto shared_by_lanes = [&](llvm::Value* address) {
    check(number, call, address, whole, mask);
    llvm::Value* at = builder_.CreateIntToPtr(host(site, address), builder_.getPtrTy());
    std::vector<llvm::Value*> parts;
    for (unsigned i = 0; i < count; ++i) {
      llvm::Value* part = builder_.CreateConstInBoundsGEP1_32(element, at, i);
      parts.push_back(builder_.CreateAlignedLoad(element, part, llvm::Align(1)));
    }
    return record(parts);
  };
  const Shape result = shapes_.of(&call);
  if (result.is_uniform())
    return define_uniform(call, shared_by_lanes(first(call.getArgOperand(1))));
  if (result.kind == Shape::Kind::half) {
    Lanes lanes;
    lanes.shape = result;
    for (unsigned h = 0; h < kHalves; ++h) {
      llvm::Value* address = first(call.getArgOperand(1), h);
      // A half of which no lane is there reads what the other one does.
      if (!is_all(mask)) {
        llvm::Value* there = any({mask[h], mask[h]});
        address = builder_.CreateSelect(there, address, first(call.getArgOperand(1), 1 - h));
      }
      lanes.first[h] = shared_by_lanes(address);
    }
    lanes_[&call] = lanes;
    return;
  }
  if (lane_ && site.space != ir::Space::local) {
    llvm::Value* loaded = splat(shared_by_lanes(of_lane(call.getArgOperand(1), lane_)));
    return define(call, {loaded, loaded});
  }
  const auto consecutive = [&] {
    const bool together = shape.kind == Shape::Kind::warp;
    Halves both;
    if (together) check(number, call, first(call.getArgOperand(1)), whole * kLanes, mask);
    for (unsigned h = 0; h < kHalves; ++h) {
      llvm::Value* address = first(call.getArgOperand(1), h);
      if (!together) check(number, call, address, whole * kHalf, mask);
      llvm::Value* at = builder_.CreateIntToPtr(host(site, address), builder_.getPtrTy());
      auto* type = llvm::FixedVectorType::get(element, kHalf * count);
      llvm::Value* loaded =
          is_all(mask)
              ? static_cast<llvm::Value*>(builder_.CreateAlignedLoad(type, at, llvm::Align(1)))
              : builder_.CreateMaskedLoad(type, at, llvm::Align(1), repeat(mask[h], count),
                                          llvm::Constant::getNullValue(type));
      std::vector<llvm::Value*> parts;
      for (unsigned i = 0; i < count; ++i) {
        std::vector<int> order;
        for (unsigned lane = 0; lane < kHalf; ++lane)
          order.push_back(static_cast<int>(lane * count + i));
        parts.push_back(count == 1 ? loaded : builder_.CreateShuffleVector(loaded, order));
      }
      both[h] = record(parts);
    }
    return both;
  };
  const auto scattered = [&] {
    const Halves addresses = checked_addresses(number, call, mask);
    Halves both;
    for (unsigned h = 0; h < kHalves; ++h) {
      std::vector<llvm::Value*> parts;
      for (unsigned i = 0; i < count; ++i) {
        llvm::Value* at =
            builder_.CreateAdd(addresses[h], splat(builder_.getInt64(u64{i} * site.bytes)));
        at = builder_.CreateIntToPtr(at, vector_of(builder_.getPtrTy()));
        parts.push_back(
            builder_.CreateMaskedGather(vector_of(element), at, llvm::Align(1), mask[h],
                                        llvm::Constant::getNullValue(vector_of(element))));
      }
      both[h] = record(parts);
    }
    return both;
  };
  const auto by_run_time = [&] {
    pass_addresses(call);
    call_helper(HelperId::load, builder_.getInt32(number), mask);
    Halves both;
    for (unsigned h = 0; h < kHalves; ++h) {
      std::vector<llvm::Value*> parts;
      for (unsigned i = 0; i < count; ++i) parts.push_back(take_result(element, i, h));
      both[h] = record(parts);
    }
    return both;
  };
  define(call, is_consecutive(site, shape)
                   ? unless_wrapped(no_wrap(shape), consecutive, by_run_time)
                   : scattered());
}

void Vectorizer::emit_store(llvm::CallInst& call, const Site& site, const Halves& mask) {
  const u32 number = static_cast<u32>(&site - kernel_.sites.data());
  const Shape shape = shapes_.of(call.getArgOperand(1));
  llvm::Type* element = builder_.getIntNTy(site.bytes * 8u);
  const unsigned count = site.count;
  const u64 whole = u64{site.bytes} * count;
  if (site.ordered) {
    pass_addresses(call);
    for (u32 i = 0; i < count; ++i) pass_operand(call.getArgOperand(2 + i), i);
    call_helper(HelperId::store, builder_.getInt32(number), mask);
    return;
  }
  const auto value = [&](unsigned i) { return call.getArgOperand(2 + i); };
  bool same = shape.is_uniform();
  for (unsigned i = 0; i < count; ++i) same &= shapes_.of(value(i)).is_uniform();
  if ((same || lane_) && site.space != ir::Space::local) {
    llvm::Value* lane = same ? builder_.getInt32(0) : lane_;
    llvm::Value* address = of_lane(call.getArgOperand(1), lane);
    check(number, call, address, whole, mask);
    llvm::Value* at = builder_.CreateIntToPtr(host(site, address), builder_.getPtrTy());
    for (unsigned i = 0; i < count; ++i)
      builder_.CreateAlignedStore(of_lane(value(i), lane),
                                  builder_.CreateConstInBoundsGEP1_32(element, at, i),
                                  llvm::Align(1));
    return;
  }
  const auto consecutive = [&] {
    const bool together = shape.kind == Shape::Kind::warp;
    if (together) check(number, call, first(call.getArgOperand(1)), whole * kLanes, mask);
    for (unsigned h = 0; h < kHalves; ++h) {
      llvm::Value* address = first(call.getArgOperand(1), h);
      if (!together) check(number, call, address, whole * kHalf, mask);
      llvm::Value* at = builder_.CreateIntToPtr(host(site, address), builder_.getPtrTy());
      llvm::Value* stored = all(value(0), h);
      if (count > 1) {
        // Two by two, in order; then lane by lane.
        std::vector<llvm::Value*> parts;
        for (unsigned i = 0; i < count; ++i) parts.push_back(all(value(i), h));
        llvm::Value* joined = llvm::concatenateVectors(builder_, parts);
        std::vector<int> order;
        for (unsigned lane = 0; lane < kHalf; ++lane)
          for (unsigned i = 0; i < count; ++i) order.push_back(static_cast<int>(i * kHalf + lane));
        stored = builder_.CreateShuffleVector(joined, order);
      }
      if (is_all(mask))
        builder_.CreateAlignedStore(stored, at, llvm::Align(1));
      else
        builder_.CreateMaskedStore(stored, at, llvm::Align(1), repeat(mask[h], count));
    }
    return Halves{};
  };
  const auto scattered = [&] {
    const Halves addresses = checked_addresses(number, call, mask);
    for (unsigned h = 0; h < kHalves; ++h) {
      for (unsigned i = 0; i < count; ++i) {
        llvm::Value* at =
            builder_.CreateAdd(addresses[h], splat(builder_.getInt64(u64{i} * site.bytes)));
        at = builder_.CreateIntToPtr(at, vector_of(builder_.getPtrTy()));
        builder_.CreateMaskedScatter(all(value(i), h), at, llvm::Align(1), mask[h]);
      }
    }
    return Halves{};
  };
  const auto by_run_time = [&] {
    pass_addresses(call);
    for (u32 i = 0; i < count; ++i) pass_operand(value(i), i);
    call_helper(HelperId::store, builder_.getInt32(number), mask);
    return Halves{};
  };
  if (is_consecutive(site, shape))
    unless_wrapped(no_wrap(shape), consecutive, by_run_time);
  else
    scattered();
}

}  // namespace heddle::jit
