// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Accesses whose lanes have addresses of their own: gathers and scatters, or a loop over the lanes.
#pragma once

#include "jit/llvm/vector/access_checks.h"

namespace heddle::jit {

class ScatteredAccesses : Emitter {
 public:
  ScatteredAccesses(CtaFunction& function, LaneValues& values, RuntimeCalls& runtime,
                    MemoryWindows& windows, AccessGroups& groups, AccessChecks& checks)
      : Emitter(function),
        values_(values),
        runtime_(runtime),
        windows_(windows),
        groups_(groups),
        checks_(checks) {}

  // Each returns what was loaded: vectors, or structs of vectors.

  /// The access of a scattered group, whose lanes are not consecutive.
  Halves access(const llvm::CallInst& call, const AccessGroup& group, u64 distance,
                const Halves& mask);
  /// Gathers or scatters: `places_of` gives the pointers to a half's elements, `bytes` behind the
  /// lanes' addresses.
  Halves gather_or_scatter(const llvm::CallInst& call, const Halves& mask,
                           llvm::function_ref<llvm::Value*(unsigned half, u64 bytes)> places_of);
  /// A loop over the lanes, which checks and makes the access of each.
  Halves access_lane_by_lane(const llvm::CallInst& call, const Halves& mask);

 private:
  void access_ordered(const Site& site, bool loads, llvm::Value* at,
                      const std::vector<llvm::Value*>& places);

  LaneValues& values_;
  RuntimeCalls& runtime_;
  MemoryWindows& windows_;
  AccessGroups& groups_;
  AccessChecks& checks_;
};

}  // namespace heddle::jit
