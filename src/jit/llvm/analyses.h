// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// LLVM's analysis managers, made once for a kernel.
#pragma once

#include <llvm/Analysis/CGSCCPassManager.h>
#include <llvm/Analysis/LoopAnalysisManager.h>
#include <llvm/IR/PassManager.h>
#include <llvm/Target/TargetMachine.h>

#include <memory>

namespace llvm {
class PassBuilder;
}

namespace heddle::jit {

struct Analyses {
  explicit Analyses(llvm::TargetMachine& machine);
  ~Analyses();

  llvm::TargetMachine& target;
  llvm::LoopAnalysisManager loops;
  llvm::FunctionAnalysisManager functions;
  llvm::CGSCCAnalysisManager graph;
  llvm::ModuleAnalysisManager modules;

 private:
  std::unique_ptr<llvm::PassBuilder> builder_;
};

}  // namespace heddle::jit
