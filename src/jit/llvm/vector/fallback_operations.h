// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Instructions and functions that the fallback engine executes: registers go there, and come back,
// through Context::operands.
#pragma once

#include "jit/llvm/vector/runtime_calls.h"

namespace heddle::jit {

class FallbackOperations : Emitter {
 public:
  FallbackOperations(CtaFunction& function, LaneValues& values, RuntimeCalls& runtime)
      : Emitter(function), values_(values), runtime_(runtime) {}

  /// One instruction. With a helper that waits, the warp yields until a lane has an answer
  /// (PTX ISA 9.7.13.15.16).
  void step(llvm::CallInst& call, HelperId helper, const Halves& mask);
  /// An instruction that all lanes of the warp execute together. Its registers are the call's
  /// operands from `first` up to `end`. Returns the result of the call, if it has one.
  Halves step_together(llvm::CallInst& call, u32 first, u32 end, const Halves& mask);
  /// A function that hardly any lane calls (cold_functions.h).
  void cold_call(llvm::CallInst& call, const Halves& mask);
  /// Barriers with thread counts, or with a number in a register, bar.red and bar.arrive
  /// (9.7.13.1).
  void barrier(llvm::CallInst& call, const Halves& mask);

 private:
  u32 pass_registers(llvm::CallInst& call, u32 first, u32 end);
  Halves take_registers(llvm::CallInst& call, u32 first);

  LaneValues& values_;
  RuntimeCalls& runtime_;
};

}  // namespace heddle::jit
