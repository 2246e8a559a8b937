// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// DivergentBarrier from the rest, because LLVM's PassBuilder.h takes longer to compile than all its
// other headers that are used here.
#include "jit/llvm/analyses.h"

#include <llvm/Passes/PassBuilder.h>

namespace heddle::jit {

Analyses::Analyses(llvm::TargetMachine& machine)
    : target(machine), builder_(std::make_unique<llvm::PassBuilder>(&machine)) {
  builder_->registerModuleAnalyses(modules);
  builder_->registerCGSCCAnalyses(graph);
  builder_->registerFunctionAnalyses(functions);
  builder_->registerLoopAnalyses(loops);
  builder_->crossRegisterProxies(loops, functions, graph, modules);
}

Analyses::~Analyses() = default;

}  // namespace heddle::jit
