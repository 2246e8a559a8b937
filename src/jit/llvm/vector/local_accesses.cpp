// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "jit/llvm/vector/local_accesses.h"

#include <llvm/IR/Instructions.h>

namespace heddle::jit {
namespace {

constexpr unsigned kWord = 4;  ///< bytes

}  // namespace

llvm::Value* LocalAccesses::size() {
  if (!function_.kernel.has_room()) return builder_.getInt64(function_.kernel.local_size());
  return function_.field(offsetof(Context, local_stride), builder_.getInt64Ty(), "local.stride");
}

llvm::Value* LocalAccesses::base() {
  llvm::Type* wide = builder_.getInt64Ty();
  llvm::Value* bytes = builder_.CreateMul(size(), builder_.getInt64(shapes_.team()));
  return builder_.CreateAdd(function_.field(offsetof(Context, local_base), wide, "local.base"),
                            builder_.CreateMul(builder_.CreateZExt(function_.team, wide), bytes));
}

/// The type of offsets in the local memory of a team: 32 bits, which are faster, where its size is
/// known and small. The launch determines the room for calls.
llvm::Type* LocalAccesses::index_type() {
  const bool small = !function_.kernel.has_room() &&
                     function_.kernel.local_size() < (u64{1} << 31) / shapes_.team();
  return small ? builder_.getInt32Ty() : builder_.getInt64Ty();
}

/// The offset in a thread's local memory: a scalar where the lanes share it, or a vector.
llvm::Value* LocalAccesses::offset_of(const AccessGroup& group, unsigned half, u64 distance) {
  llvm::Type* type = index_type();
  llvm::Value* from = group.layout == Layout::uniform ? group.host[0] : group.host[half];
  if (from->getType()->isVectorTy()) type = vector_of(type);
  return builder_.CreateAdd(builder_.CreateTrunc(from, type),
                            llvm::ConstantInt::get(type, distance));
}

/// Where the words at the offset are: a pointer to those of all lanes, if they lie side by side, or
/// a vector of pointers.
llvm::Value* LocalAccesses::place_of(llvm::Value* offset, unsigned half) {
  llvm::Type* index = index_type();
  const auto times = [&](llvm::Value* value, u64 factor) {
    return builder_.CreateMul(value, llvm::ConstantInt::get(value->getType(), factor));
  };
  const bool vector = offset->getType()->isVectorTy();
  llvm::Value* at =
      builder_.CreateAnd(offset, llvm::ConstantInt::get(offset->getType(), ~u64{kWord - 1}));
  llvm::Value* base = builder_.CreateIntToPtr(this->base(), builder_.getPtrTy());
  if (function_.kernel.local_in_lanes) {
    at = times(at, shapes_.team());
    base = builder_.CreateConstGEP1_64(builder_.getInt8Ty(), base, u64{half} * kHalf * kWord);
    if (vector) at = builder_.CreateAdd(at, step_vector(index, kWord));
  } else {
    llvm::Value* bytes = builder_.CreateTrunc(size(), index);
    llvm::Value* lane = builder_.CreateAdd(splat(llvm::ConstantInt::get(index, half * kHalf)),
                                           step_vector(index, 1));
    at = builder_.CreateAdd(vector ? at : splat(at), builder_.CreateMul(splat(bytes), lane));
  }
  return builder_.CreateGEP(builder_.getInt8Ty(), base, at);
}

/// A load of words side by side needs no mask: they exist for all lanes.
llvm::Value* LocalAccesses::load_word(llvm::Value* place, llvm::Value* mask) {
  llvm::Type* type = vector_of(builder_.getInt32Ty());
  const llvm::Align align(kWord);
  if (!place->getType()->isVectorTy()) return builder_.CreateAlignedLoad(type, place, align);
  return builder_.CreateMaskedGather(type, place, align, mask, llvm::Constant::getNullValue(type));
}

void LocalAccesses::store_word(llvm::Value* word, llvm::Value* place, llvm::Value* mask) {
  const llvm::Align align(kWord);
  const auto* known = llvm::dyn_cast<llvm::Constant>(mask);
  if (place->getType()->isVectorTy())
    builder_.CreateMaskedScatter(word, place, align, mask);
  else if (known && known->isAllOnesValue())
    builder_.CreateAlignedStore(word, place, align);
  else
    builder_.CreateMaskedStore(word, place, align, mask);
}

/// The bit of the word at which the lanes' bytes begin.
llvm::Value* LocalAccesses::shift_of(llvm::Value* offset) {
  llvm::Type* type = builder_.getInt32Ty();
  if (offset->getType()->isVectorTy()) type = vector_of(type);
  offset = builder_.CreateTrunc(offset, type);
  llvm::Value* shift =
      builder_.CreateShl(builder_.CreateAnd(offset, llvm::ConstantInt::get(type, kWord - 1)), 3);
  return type->isVectorTy() ? shift : splat(shift);
}

void LocalAccesses::load(llvm::CallInst& call, const AccessGroup& group, u64 distance,
                         const Halves& mask) {
  const Site& site = site_of(call);
  llvm::Type* type = vector_of(builder_.getIntNTy(site.bytes * 8u));
  const auto element = [&](unsigned half, u64 at) -> llvm::Value* {
    llvm::Value* offset = offset_of(group, half, at);
    llvm::Value* word = load_word(place_of(offset, half), mask[half]);
    if (site.bytes == kWord) return word;
    if (site.bytes < kWord)
      return builder_.CreateTrunc(builder_.CreateLShr(word, shift_of(offset)), type);
    llvm::Value* high = load_word(place_of(offset_of(group, half, at + kWord), half), mask[half]);
    return builder_.CreateOr(builder_.CreateZExt(word, type),
                             builder_.CreateShl(builder_.CreateZExt(high, type), kWord * 8));
  };
  Halves both{};
  for (unsigned h = 0; h < halves_; ++h) {
    std::vector<llvm::Value*> parts;
    for (unsigned i = 0; i < site.count; ++i)
      parts.push_back(element(h, distance + u64{i} * site.bytes));
    both[h] = record_of(parts);
  }
  values_.define(call, both);
}

void LocalAccesses::store(llvm::CallInst& call, const AccessGroup& group, u64 distance,
                          const Halves& mask) {
  const Site& site = site_of(call);
  llvm::Type* type = vector_of(builder_.getInt32Ty());
  for (unsigned h = 0; h < halves_; ++h) {
    for (unsigned i = 0; i < site.count; ++i) {
      llvm::Value* value = values_.vector(call.getArgOperand(2 + i), h);
      const u64 at = distance + u64{i} * site.bytes;
      llvm::Value* offset = offset_of(group, h, at);
      llvm::Value* place = place_of(offset, h);
      if (site.bytes < kWord) {
        llvm::Value* shift = shift_of(offset);
        const auto shifted = [&](llvm::Value* bits) { return builder_.CreateShl(bits, shift); };
        llvm::Value* kept = builder_.CreateNot(
            shifted(llvm::ConstantInt::get(type, (u64{1} << site.bytes * 8) - 1)));
        value = builder_.CreateOr(builder_.CreateAnd(load_word(place, mask[h]), kept),
                                  shifted(builder_.CreateZExt(value, type)));
      } else if (site.bytes > kWord) {
        llvm::Value* high = builder_.CreateTrunc(builder_.CreateLShr(value, kWord * 8), type);
        store_word(high, place_of(offset_of(group, h, at + kWord), h), mask[h]);
        value = builder_.CreateTrunc(value, type);
      }
      store_word(value, place, mask[h]);
    }
  }
}

}  // namespace heddle::jit
