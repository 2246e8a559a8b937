// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Checks that accesses are legal. Each address is compared with the window it may reach and for
// alignment: with an address rotated right by the bits that alignment wants zero, both are one
// comparison. A group is checked as a whole, before its first access. Pages of a window that belong
// to no allocation fault; the run-time finds the instruction by the place in the code.
#pragma once

#include "jit/llvm/analysis/bounds.h"
#include "jit/llvm/vector/memory_windows.h"
#include "jit/llvm/vector/processor.h"
#include "jit/llvm/vector/runtime_calls.h"

namespace heddle::jit {

class AccessChecks : Emitter {
 public:
  AccessChecks(CtaFunction& function, LaneValues& values, RuntimeCalls& runtime,
               MemoryWindows& windows, AccessGroups& groups, BoundsAnalysis& bounds,
               const Processor& processor)
      : Emitter(function),
        values_(values),
        runtime_(runtime),
        windows_(windows),
        groups_(groups),
        bounds_(bounds),
        processor_(processor) {}

  /// The group of an access, checked, and the access's distance from the group's host addresses.
  std::pair<AccessGroup*, u64> checked(const llvm::CallInst& call, const ActiveLanes& active);
  /// Continues where the group is legal for the active lanes; sets AccessGroup::host.
  void check(AccessGroup& group, const ActiveLanes& active);
  /// The same where each lane has an address of its own.
  void check_scattered(AccessGroup& group, const Halves& mask);
  /// Checks the address of one lane; `illegal` emits what is done where it is in no window.
  void check_lane(const Site& site, const AccessGroup& group, llvm::Value* address,
                  llvm::function_ref<void()> illegal);
  /// Calls the run-time, which looks at each access of the group for the lanes of the mask.
  void check_in_runtime(const AccessGroup& group, const Halves& mask);

  /// Whether scattered lanes of the group are often consecutive, which is then tested.
  bool may_be_consecutive(const AccessGroup& group) const;
  /// Whether lanes with addresses of their own are accessed at once: by a gather or scatter of the
  /// processor, or where all lanes are active and their addresses affine.
  bool is_gathered(const llvm::CallInst& call, const Halves& mask) const;

 private:
  struct Spans {
    Halves from{};  ///< addresses of the lowest access
    std::vector<std::pair<llvm::Value*, u64>>
        pieces;  ///< what is accessed: scalar addresses, bytes
  };
  Spans spans_of(const AccessGroup& group, const ActiveLanes& active);
  bool always_fits(const AccessGroup& group);
  bool is_partial(const AccessGroup& group, const Halves& mask) const;
  std::pair<llvm::Value*, llvm::Value*> active_range(const AccessGroup& group, const Halves& mask);
  void test_consecutive(AccessGroup& group, const Halves& mask);
  void test_partial(AccessGroup& group, const Halves& mask);
  void trap_unless(llvm::Value* holds, const AccessGroup& group, const Halves& mask);

  LaneValues& values_;
  RuntimeCalls& runtime_;
  MemoryWindows& windows_;
  AccessGroups& groups_;
  BoundsAnalysis& bounds_;
  const Processor& processor_;
};

}  // namespace heddle::jit
