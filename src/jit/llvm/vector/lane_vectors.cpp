// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "jit/llvm/vector/lane_vectors.h"

namespace heddle::jit {
namespace {

/// The shuffle that makes a lane's <n x T> the vector of all lanes of a half.
std::vector<int> repeat_elements(const llvm::FixedVectorType* type) {
  std::vector<int> elements;
  for (unsigned i = 0; i < type->getNumElements() * kHalf; ++i)
    elements.push_back(static_cast<int>(i % type->getNumElements()));
  return elements;
}

}  // namespace

llvm::Type* vector_of(llvm::Type* type) {
  if (auto* record = llvm::dyn_cast<llvm::StructType>(type)) {
    std::vector<llvm::Type*> parts;
    for (llvm::Type* part : record->elements()) parts.push_back(vector_of(part));
    return llvm::StructType::get(type->getContext(), parts);
  }
  if (auto* pair = llvm::dyn_cast<llvm::FixedVectorType>(type))  // join_pairs.h
    return llvm::FixedVectorType::get(pair->getElementType(), pair->getNumElements() * kHalf);
  return llvm::FixedVectorType::get(type, kHalf);
}

llvm::Value* splat(llvm::IRBuilder<>& builder, llvm::Value* value) {
  if (auto* record = llvm::dyn_cast<llvm::StructType>(value->getType())) {
    llvm::Value* result = llvm::PoisonValue::get(vector_of(record));
    for (unsigned i = 0; i < record->getNumElements(); ++i)
      result = builder.CreateInsertValue(result,
                                         splat(builder, builder.CreateExtractValue(value, i)), i);
    return result;
  }
  if (auto* pair = llvm::dyn_cast<llvm::FixedVectorType>(value->getType()))
    return builder.CreateShuffleVector(value, repeat_elements(pair));
  return builder.CreateVectorSplat(kHalf, value);
}

llvm::Constant* step_vector(llvm::Type* type, s64 stride) {
  std::vector<llvm::Constant*> steps;
  for (unsigned lane = 0; lane < kHalf; ++lane)
    steps.push_back(
        llvm::ConstantInt::get(type, static_cast<u64>(stride * static_cast<s64>(lane)), true));
  return llvm::ConstantVector::get(steps);
}

llvm::Value* repeated(llvm::IRBuilder<>& builder, llvm::Value* mask, unsigned count) {
  if (count == 1) return mask;
  std::vector<int> order;
  for (unsigned i = 0; i < kHalf * count; ++i) order.push_back(static_cast<int>(i / count));
  return builder.CreateShuffleVector(mask, order);
}

llvm::Value* record_of(llvm::IRBuilder<>& builder, const std::vector<llvm::Value*>& parts) {
  if (parts.size() == 1) return parts[0];
  std::vector<llvm::Type*> types;
  for (llvm::Value* part : parts) types.push_back(part->getType());
  llvm::Value* result = llvm::PoisonValue::get(llvm::StructType::get(builder.getContext(), types));
  for (unsigned i = 0; i < parts.size(); ++i)
    result = builder.CreateInsertValue(result, parts[i], i);
  return result;
}

}  // namespace heddle::jit
