// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// cp.async (PTX ISA 9.7.9.25.3.1): each lane copies 4, 8 or 16 bytes, or fills them with zeros. A
// loop over the active lanes does so where all are legal; elsewhere, and where a lane copies a part
// of its bytes, the fallback engine executes the instruction.
#pragma once

#include "jit/llvm/vector/fallback_operations.h"
#include "jit/llvm/vector/memory_windows.h"

namespace heddle::jit {

class AsyncCopies : Emitter {
 public:
  AsyncCopies(CtaFunction& function, LaneValues& values, RuntimeCalls& runtime,
              MemoryWindows& windows, FallbackOperations& fallback)
      : Emitter(function),
        values_(values),
        runtime_(runtime),
        windows_(windows),
        fallback_(fallback) {}

  /// The operands: FunctionLowering::cp_async().
  void emit(llvm::CallInst& call, const Site& site, const Halves& mask);

 private:
  /// What the lanes do.
  struct Copies {
    Halves to{}, from{};           ///< addresses: offsets in shared memory, of the host
    Halves whole{}, none{};        ///< masks: lanes that copy all bytes; that write zeros
    llvm::Value* legal = nullptr;  ///< i1: each active lane does one of both, at legal addresses
  };
  Halves vectors_of(llvm::Value* value, const Halves& mask);
  Copies find(const llvm::CallInst& call, const Site& site, const Halves& mask);
  void copy(const Copies& copies, const Site& site, const Halves& mask);

  LaneValues& values_;
  RuntimeCalls& runtime_;
  MemoryWindows& windows_;
  FallbackOperations& fallback_;
};

}  // namespace heddle::jit
