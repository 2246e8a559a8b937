// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Accesses to local memory, in words of 32 bits: only its thread accesses it, so smaller accesses
// read and write whole words. Where no address of it becomes a generic one, words of one offset lie
// side by side over the lanes of a team; elsewhere the memory of each thread is contiguous.
#pragma once

#include "jit/llvm/vector/access_groups.h"
#include "jit/llvm/vector/lane_values.h"

namespace heddle::jit {

class LocalAccesses : Emitter {
 public:
  LocalAccesses(CtaFunction& function, LaneValues& values) : Emitter(function), values_(values) {}

  /// Bytes of a thread (i64).
  llvm::Value* size();
  /// Where the local memory of the team's first thread begins (i64).
  llvm::Value* base();
  /// `distance` is from the group's host addresses.
  void load(llvm::CallInst& call, const AccessGroup& group, u64 distance, const Halves& mask);
  void store(llvm::CallInst& call, const AccessGroup& group, u64 distance, const Halves& mask);

 private:
  llvm::Type* index_type();
  llvm::Value* offset_of(const AccessGroup& group, unsigned half, u64 distance);
  llvm::Value* place_of(llvm::Value* offset, unsigned half);
  llvm::Value* load_word(llvm::Value* place, llvm::Value* mask);
  void store_word(llvm::Value* word, llvm::Value* place, llvm::Value* mask);
  llvm::Value* shift_of(llvm::Value* offset);

  LaneValues& values_;
};

}  // namespace heddle::jit
