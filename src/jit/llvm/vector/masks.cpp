// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "jit/llvm/vector/masks.h"

#include <llvm/IR/Constants.h>

#include <algorithm>

namespace heddle::jit {

llvm::Value* Masks::any(const Halves& mask) const {
  return is_all(mask) ? builder_.getTrue() : any(mask, 0, halves_);
}

llvm::Value* Masks::any(const Halves& mask, unsigned begin, unsigned count) const {
  llvm::Value* either = mask[begin];
  for (unsigned h = 1; h < count; ++h) either = builder_.CreateOr(either, mask[begin + h]);
  if (const auto* known = llvm::dyn_cast<llvm::Constant>(either))  // IRBuilder does not fold it
    return builder_.getInt1(!known->isNullValue());
  llvm::Value* bits = builder_.CreateBitCast(either, builder_.getIntNTy(kHalf));
  return builder_.CreateICmpNE(bits, llvm::ConstantInt::get(bits->getType(), 0));
}

bool Masks::is_all(const Halves& mask) const {
  const auto all = [](const llvm::Value* one) {
    const auto* constant = llvm::dyn_cast<llvm::Constant>(one);
    return constant && constant->isAllOnesValue();
  };
  return std::all_of(mask.begin(), mask.begin() + halves_, all);
}

Halves Masks::none() const {
  Halves zero{};
  zero.fill(llvm::Constant::getNullValue(vector_of(builder_.getInt1Ty())));
  return zero;
}

llvm::Value* Masks::team_bits(const Halves& mask) const {
  llvm::Type* word = builder_.getIntNTy(halves_ * kHalf);
  if (is_all(mask)) return llvm::Constant::getAllOnesValue(word);
  llvm::Value* bits = nullptr;
  for (unsigned h = 0; h < halves_; ++h) {
    llvm::Value* half =
        builder_.CreateZExt(builder_.CreateBitCast(mask[h], builder_.getIntNTy(kHalf)), word);
    half = builder_.CreateShl(half, h * kHalf);
    bits = bits ? builder_.CreateOr(bits, half) : half;
  }
  return bits;
}

llvm::Value* Masks::warp_bits(const Halves& mask, unsigned warp) const {
  return builder_.CreateTrunc(builder_.CreateLShr(team_bits(mask), warp * kLanes),
                              builder_.getInt32Ty());
}

std::vector<llvm::Value*> Masks::known_lanes(const Halves& mask) const {
  std::vector<llvm::Value*> lanes;
  for (unsigned h = 0; h < halves_; ++h) {
    const auto* half = llvm::dyn_cast<llvm::Constant>(mask[h]);
    unsigned of_half = 0;
    for (unsigned lane = 0; lane < kHalf; ++lane) {
      const auto* bit = llvm::dyn_cast_or_null<llvm::ConstantInt>(
          half ? half->getAggregateElement(lane) : nullptr);
      if (!bit || (bit->isOne() && ++of_half > 1)) return {};
      if (bit->isOne()) lanes.push_back(builder_.getInt32(h * kHalf + lane));
    }
  }
  return lanes.size() <= halves_ / kHalves ? lanes : std::vector<llvm::Value*>{};
}

Halves Masks::from_known_lanes(const ActiveLanes& active,
                               const std::function<llvm::Value*(unsigned number)>& value) const {
  Halves result{};
  for (unsigned i = 0; i < active.known.size(); ++i) {
    llvm::Value* half = splat(builder_, value(i));
    if (i == 0)
      result.fill(half);
    else
      result[llvm::cast<llvm::ConstantInt>(active.known[i])->getZExtValue() / kHalf] = half;
  }
  return result;
}

}  // namespace heddle::jit
