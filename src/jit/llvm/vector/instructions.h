// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// LLVM's own instructions in the code of a team: scalar where the result is affine, or else once
// for each half of which a lane is demanded.
#pragma once

#include "jit/llvm/analysis/demanded_lanes.h"
#include "jit/llvm/vector/lane_values.h"

namespace heddle::jit {

class Instructions : Emitter {
 public:
  Instructions(CtaFunction& function, LaneValues& values, const DemandedLanes& demanded)
      : Emitter(function), values_(values), demanded_(demanded) {}

  void emit(llvm::Instruction& inst, const Halves& mask);

 private:
  void emit_affine(llvm::Instruction& inst);
  void emit_vector(llvm::Instruction& inst, const Halves& mask);
  llvm::Value* vector_instruction(llvm::Instruction& inst, unsigned half, const Halves& mask);
  llvm::Value* divide(llvm::Instruction::BinaryOps what, llvm::Value* a, llvm::Value* b,
                      llvm::Value* mask);
  llvm::Value* scalarize(llvm::Instruction& inst, unsigned half);
  Block* home_of(const llvm::Instruction& inst) const;

  LaneValues& values_;
  const DemandedLanes& demanded_;
};

}  // namespace heddle::jit
