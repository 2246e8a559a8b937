// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Calls of the run-time's helpers (HelperId), and how operands go there and results come back
// through Context.
#pragma once

#include "jit/llvm/vector/lane_values.h"

namespace heddle::jit {

class RuntimeCalls : Emitter {
 public:
  RuntimeCalls(CtaFunction& function, LaneValues& values) : Emitter(function), values_(values) {}

  /// Calls the helper; leaves the kernel where it traps.
  void call(HelperId helper, llvm::Value* argument);
  /// The same for the lanes of the mask in one warp of the team: Context::lanes.
  void call(HelperId helper, llvm::Value* argument, const Halves& mask, unsigned warp = 0);

  /// Of Context::operands[number].
  llvm::Value* operand_address(u32 number);
  void pass_operand(llvm::Value* value, u32 number, unsigned warp = 0);
  /// The addresses of an access, its operand 1, of a warp.
  void pass_addresses(llvm::CallInst& call, unsigned warp = 0);
  /// Stores a value as the element `place` of the array at `offset` in Context.
  void hand_over(llvm::Value* value, std::size_t offset, unsigned place);

  llvm::Value* take_result(llvm::Type* type, u32 number, unsigned half);
  /// Defines the call by the helper's results: one, or several, operands from number `first` on.
  void take_results(llvm::CallInst& call, u32 first = 0);

  /// A predicate of a warp as i32, whose bit i is lane i.
  llvm::Value* lane_bits(llvm::Value* predicate, unsigned warp = 0);

 private:
  LaneValues& values_;
};

}  // namespace heddle::jit
