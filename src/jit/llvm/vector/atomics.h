// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// atom and red (PTX ISA 9.7.13.5, 9.7.13.6).
#pragma once

#include "jit/llvm/vector/access_checks.h"

namespace heddle::jit {

class Atomics : Emitter {
 public:
  Atomics(CtaFunction& function, LaneValues& values, RuntimeCalls& runtime, MemoryWindows& windows,
          AccessGroups& groups, AccessChecks& checks)
      : Emitter(function),
        values_(values),
        runtime_(runtime),
        windows_(windows),
        groups_(groups),
        checks_(checks) {}

  void emit(llvm::CallInst& call, const Site& site, const ActiveLanes& active);

 private:
  llvm::Value* add_number(llvm::Value* at, llvm::Value* b, llvm::Value* flushes);
  llvm::Value* atomic_at(const Site& site, llvm::Value* address, llvm::Value* b, llvm::Value* c);
  llvm::Value* reduced(const Site& site, llvm::Value* operand, const Halves& mask);
  llvm::Value* address_in_context(const Halves& at, llvm::Value* lane);
  llvm::Value* combine_equal(const Site& site, const Halves& at, llvm::Value* operand,
                             const Halves& mask, llvm::Value* bits);

  LaneValues& values_;
  RuntimeCalls& runtime_;
  MemoryWindows& windows_;
  AccessGroups& groups_;
  AccessChecks& checks_;
};

}  // namespace heddle::jit
