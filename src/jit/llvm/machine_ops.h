// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Operations of the machine, as machine_ops.def has them. What a pass does with one depends on the
// table, or is a `switch` without `default`: a new operation that such a pass does not treat does
// not build.
#pragma once

#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Instructions.h>

#include <string>

#include "base/types.h"

namespace heddle::jit {

enum class MachineOp : u8 {
  none,  ///< another instruction
#define MACHINE_OP(identifier, ...) identifier,
#include "jit/llvm/machine_ops.def"
#undef MACHINE_OP
};

struct MachineOpInfo {
  enum class Effect : u8 { pure, asks, any };
  enum class Result : u8 { none, uniform, lanes, depends };
  enum class Warps : u8 { together, alone, depends };
  llvm::StringLiteral name;  ///< behind kPrefix, up to the types
  unsigned operands;         ///< at least
  bool has_site;
  Effect effect;
  Result result;
  bool is_convergent;
  Warps warps;
};

inline constexpr const char* kPrefix = "heddle.";

/// Of any but `none`.
const MachineOpInfo& info_of(MachineOp op);

/// By the name behind kPrefix, up to the types; `none`: there is no such operation.
MachineOp find_machine_op(llvm::StringRef name);

/// What `inst` is.
MachineOp machine_op(const llvm::Instruction& inst);

/// Whether it is a call of a function behind kPrefix, known or not.
bool is_machine_call(const llvm::Instruction& inst);

/// Tells LLVM what the table says of the operation's effects.
void set_attributes(llvm::Function& function, MachineOp op);

/// Where the builder stands; `types`: behind the name, where they differ from call to call.
llvm::CallInst* call_machine(llvm::IRBuilder<>& builder, MachineOp op, llvm::Type* result,
                             llvm::ArrayRef<llvm::Value*> operands, const std::string& types = {});

/// Barriers of the CTA and of the cluster, and arrivals there.
inline bool is_barrier_op(MachineOp op) {
  return op >= MachineOp::barrier && op <= MachineOp::barrier_cluster_wait;
}

/// Loads, stores and atomic operations of the kernel's.
inline bool is_access_op(MachineOp op) {
  return op == MachineOp::load || op == MachineOp::store || op == MachineOp::atomic;
}

}  // namespace heddle::jit
