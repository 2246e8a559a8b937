// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Loads and stores: chooses how an access is made by how its lanes' addresses lie.
#pragma once

#include "jit/llvm/vector/vector_accesses.h"

namespace heddle::jit {

class Accesses : Emitter {
 public:
  Accesses(CtaFunction& function, LaneValues& values, RuntimeCalls& runtime, LocalAccesses& local,
           MemoryWindows& windows, AccessChecks& checks, Prefetcher& prefetcher,
           ScatteredAccesses& scattered, VectorAccesses& vectors)
      : Emitter(function),
        values_(values),
        runtime_(runtime),
        local_(local),
        windows_(windows),
        checks_(checks),
        prefetcher_(prefetcher),
        scattered_(scattered),
        vectors_(vectors) {}

  void load(llvm::CallInst& call, const Site& site, const ActiveLanes& active);
  void store(llvm::CallInst& call, const Site& site, const ActiveLanes& active);

 private:
  Halves either(llvm::Value* condition, const std::function<Halves()>& likely,
                const std::function<Halves()>& unlikely);
  Halves if_consecutive(const llvm::CallInst& call, const AccessGroup& group, u64 distance,
                        const std::function<Halves()>& access,
                        const std::function<Halves()>& by_run_time);

  LaneValues& values_;
  RuntimeCalls& runtime_;
  LocalAccesses& local_;
  MemoryWindows& windows_;
  AccessChecks& checks_;
  Prefetcher& prefetcher_;
  ScatteredAccesses& scattered_;
  VectorAccesses& vectors_;
};

}  // namespace heddle::jit
