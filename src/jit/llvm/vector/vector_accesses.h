// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Accesses with a known layout of lanes, as loads and stores of vectors, with shuffles where the
// lanes are not consecutive. `distance` is from the group's host addresses.
#pragma once

#include "jit/llvm/vector/prefetcher.h"
#include "jit/llvm/vector/scattered_accesses.h"

namespace heddle::jit {

class VectorAccesses : Emitter {
 public:
  VectorAccesses(CtaFunction& function, LaneValues& values, MemoryWindows& windows,
                 AccessGroups& groups, Prefetcher& prefetcher, ScatteredAccesses& scattered,
                 const Processor& processor)
      : Emitter(function),
        values_(values),
        windows_(windows),
        groups_(groups),
        prefetcher_(prefetcher),
        scattered_(scattered),
        processor_(processor) {}

  Halves load_consecutive(const llvm::CallInst& call, const AccessGroup& group, u64 distance,
                          const Halves& mask);
  void store_consecutive(const llvm::CallInst& call, const AccessGroup& group, u64 distance,
                         const Halves& mask);
  Halves load_interleaved(const AccessGroup& group, u64 distance, const Halves& mask);
  Halves load_permuted(const AccessGroup& group, u64 distance, const Halves& mask);
  void store_permuted(const AccessGroup& group, u64 distance, llvm::Value* value,
                      const Halves& mask);
  Halves load_strided(const llvm::CallInst& call, const AccessGroup& group, u64 distance,
                      const Halves& mask);
  void store_strided(const llvm::CallInst& call, const AccessGroup& group, u64 distance,
                     const Halves& mask);

 private:
  llvm::Value* masked_load(const Site& site, llvm::Type* type, llvm::Value* at, llvm::Value* mask);
  std::vector<std::vector<int>> permutations(const AccessGroup& group, unsigned half) const;
  llvm::Value* permuted(llvm::Value* lanes, const std::vector<int>& list, unsigned part);
  llvm::Value* strided_place(const AccessGroup& group, unsigned half, unsigned lane, u64 distance);
  Halves strided_gather(const llvm::CallInst& call, const AccessGroup& group, u64 distance,
                        const Halves& mask);
  std::vector<llvm::Value*> transposed(const std::vector<llvm::Value*>& rows);

  LaneValues& values_;
  MemoryWindows& windows_;
  AccessGroups& groups_;
  Prefetcher& prefetcher_;
  ScatteredAccesses& scattered_;
  const Processor& processor_;
};

}  // namespace heddle::jit
