// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What LLVM's passes want to have around them: made once for a kernel.
#pragma once

#include <llvm/Passes/PassBuilder.h>
#include <llvm/Target/TargetMachine.h>

namespace heddle::jit {

struct Analyses {
  explicit Analyses(llvm::TargetMachine& machine) : target(machine), builder(&machine) {
    builder.registerModuleAnalyses(modules);
    builder.registerCGSCCAnalyses(graph);
    builder.registerFunctionAnalyses(functions);
    builder.registerLoopAnalyses(loops);
    builder.crossRegisterProxies(loops, functions, graph, modules);
  }

  llvm::TargetMachine& target;
  llvm::LoopAnalysisManager loops;
  llvm::FunctionAnalysisManager functions;
  llvm::CGSCCAnalysisManager graph;
  llvm::ModuleAnalysisManager modules;
  llvm::PassBuilder builder;
};

}  // namespace heddle::jit
