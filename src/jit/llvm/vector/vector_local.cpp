// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Accesses to local memory, in words of 32 bits: nobody else sees a thread's, so what is smaller
// than a word is put into its word. Where no address of it becomes a generic one, words of one
// offset lie side by side over the lanes of a team; elsewhere the memory of each thread is a piece
// of its own.
#include <llvm/IR/Instructions.h>

#include "jit/llvm/vector/vectorizer.h"

namespace heddle::jit {
namespace {

constexpr unsigned kWord = 4;  ///< bytes

}  // namespace

/// Of a thread.
llvm::Value* Vectorizer::local_size() {
  if (!kernel_.has_room()) return builder_.getInt64(kernel_.local_size());
  return field(offsetof(Context, local_stride), builder_.getInt64Ty(), "local.stride");
}

/// Where the local memory of the team's first thread begins.
llvm::Value* Vectorizer::local_base() {
  llvm::Type* wide = builder_.getInt64Ty();
  llvm::Value* bytes = builder_.CreateMul(local_size(), builder_.getInt64(shapes_.team()));
  return builder_.CreateAdd(field(offsetof(Context, local_base), wide, "local.base"),
                            builder_.CreateMul(builder_.CreateZExt(made_.team, wide), bytes));
}

/// The type of offsets in the memory of a team. 32 bits are faster, where they are known to be
/// enough: how much room calls have, the launch says.
llvm::Type* Vectorizer::local_index() {
  const bool small = !kernel_.has_room() && kernel_.local_size() < (u64{1} << 31) / shapes_.team();
  return small ? builder_.getInt32Ty() : builder_.getInt64Ty();
}

/// In a thread's memory: a scalar where the lanes have one, or a vector.
llvm::Value* Vectorizer::local_offset(const Group& group, unsigned half, u64 distance) {
  llvm::Type* type = local_index();
  llvm::Value* from = group.way == Way::one ? group.at[0] : group.at[half];
  if (from->getType()->isVectorTy()) type = vector_of(type);
  return builder_.CreateAdd(builder_.CreateTrunc(from, type),
                            llvm::ConstantInt::get(type, distance));
}

/// A pointer to the lanes' words that the offset is in, which lie side by side, or to each of them.
llvm::Value* Vectorizer::local_place(llvm::Value* offset, unsigned half) {
  llvm::Type* index = local_index();
  const auto times = [&](llvm::Value* value, u64 factor) {
    return builder_.CreateMul(value, llvm::ConstantInt::get(value->getType(), factor));
  };
  const bool vector = offset->getType()->isVectorTy();
  llvm::Value* at =
      builder_.CreateAnd(offset, llvm::ConstantInt::get(offset->getType(), ~u64{kWord - 1}));
  llvm::Value* base = builder_.CreateIntToPtr(local_base(), builder_.getPtrTy());
  if (kernel_.local_in_lanes) {
    at = times(at, shapes_.team());
    base = builder_.CreateConstGEP1_64(builder_.getInt8Ty(), base, u64{half} * kHalf * kWord);
    if (vector) at = builder_.CreateAdd(at, ramp(index, kWord));
  } else {
    llvm::Value* bytes = builder_.CreateTrunc(local_size(), index);
    llvm::Value* lane =
        builder_.CreateAdd(splat(llvm::ConstantInt::get(index, half * kHalf)), ramp(index, 1));
    at = builder_.CreateAdd(vector ? at : splat(at), builder_.CreateMul(splat(bytes), lane));
  }
  return builder_.CreateGEP(builder_.getInt8Ty(), base, at);
}

/// The lanes' words. Those side by side are there for all of them.
llvm::Value* Vectorizer::load_word(llvm::Value* place, llvm::Value* mask) {
  llvm::Type* type = vector_of(builder_.getInt32Ty());
  const llvm::Align align(kWord);
  if (!place->getType()->isVectorTy()) return builder_.CreateAlignedLoad(type, place, align);
  return builder_.CreateMaskedGather(type, place, align, mask, llvm::Constant::getNullValue(type));
}

void Vectorizer::store_word(llvm::Value* word, llvm::Value* place, llvm::Value* mask) {
  const llvm::Align align(kWord);
  const auto* known = llvm::dyn_cast<llvm::Constant>(mask);
  if (place->getType()->isVectorTy())
    builder_.CreateMaskedScatter(word, place, align, mask);
  else if (known && known->isAllOnesValue())
    builder_.CreateAlignedStore(word, place, align);
  else
    builder_.CreateMaskedStore(word, place, align, mask);
}

/// How far in its word the lanes' bytes begin, in bits.
llvm::Value* Vectorizer::local_shift(llvm::Value* offset) {
  llvm::Type* type = builder_.getInt32Ty();
  if (offset->getType()->isVectorTy()) type = vector_of(type);
  offset = builder_.CreateTrunc(offset, type);
  llvm::Value* shift =
      builder_.CreateShl(builder_.CreateAnd(offset, llvm::ConstantInt::get(type, kWord - 1)), 3);
  return type->isVectorTy() ? shift : splat(shift);
}

void Vectorizer::load_local(llvm::CallInst& call, const Group& group, u64 distance,
                            const Halves& mask) {
  const Site& site = site_of(call);
  llvm::Type* type = vector_of(builder_.getIntNTy(site.bytes * 8u));
  const auto element = [&](unsigned half, u64 at) -> llvm::Value* {
    llvm::Value* offset = local_offset(group, half, at);
    llvm::Value* word = load_word(local_place(offset, half), mask[half]);
    if (site.bytes == kWord) return word;
    if (site.bytes < kWord)
      return builder_.CreateTrunc(builder_.CreateLShr(word, local_shift(offset)), type);
    llvm::Value* high =
        load_word(local_place(local_offset(group, half, at + kWord), half), mask[half]);
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
  define(call, both);
}

void Vectorizer::store_local(llvm::CallInst& call, const Group& group, u64 distance,
                             const Halves& mask) {
  const Site& site = site_of(call);
  llvm::Type* type = vector_of(builder_.getInt32Ty());
  for (unsigned h = 0; h < halves_; ++h) {
    for (unsigned i = 0; i < site.count; ++i) {
      llvm::Value* value = all(call.getArgOperand(2 + i), h);
      const u64 at = distance + u64{i} * site.bytes;
      llvm::Value* offset = local_offset(group, h, at);
      llvm::Value* place = local_place(offset, h);
      if (site.bytes < kWord) {
        llvm::Value* shift = local_shift(offset);
        const auto shifted = [&](llvm::Value* bits) { return builder_.CreateShl(bits, shift); };
        llvm::Value* kept = builder_.CreateNot(
            shifted(llvm::ConstantInt::get(type, (u64{1} << site.bytes * 8) - 1)));
        value = builder_.CreateOr(builder_.CreateAnd(load_word(place, mask[h]), kept),
                                  shifted(builder_.CreateZExt(value, type)));
      } else if (site.bytes > kWord) {
        llvm::Value* high = builder_.CreateTrunc(builder_.CreateLShr(value, kWord * 8), type);
        store_word(high, local_place(local_offset(group, h, at + kWord), h), mask[h]);
        value = builder_.CreateTrunc(value, type);
      }
      store_word(value, place, mask[h]);
    }
  }
}

}  // namespace heddle::jit
