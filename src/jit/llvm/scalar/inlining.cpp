// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "jit/llvm/scalar/inlining.h"

#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/MC/MCSubtargetInfo.h>
#include <llvm/Transforms/IPO/AlwaysInliner.h>
#include <llvm/Transforms/IPO/GlobalDCE.h>
#include <llvm/Transforms/Utils/Cloning.h>

#include <map>
#include <vector>

#include "jit/llvm/scalar/float_results.h"

namespace heddle::jit {
namespace {

void inline_always(llvm::Function& function) {
  function.setLinkage(llvm::GlobalValue::InternalLinkage);
  function.setComdat(nullptr);
  function.removeFnAttr(llvm::Attribute::NoInline);
  function.removeFnAttr(llvm::Attribute::OptimizeNone);
  function.addFnAttr(llvm::Attribute::AlwaysInline);
}

void inline_calls(llvm::Module& module, Analyses& analyses) {
  llvm::ModulePassManager whole;
  whole.addPass(llvm::AlwaysInlinerPass(false));
  whole.addPass(llvm::GlobalDCEPass());
  whole.run(module, analyses.modules);
}

/// Tables of the semantics are accessed directly, not through the global offset table.
void make_tables_internal(llvm::Module& module) {
  for (llvm::GlobalVariable& variable : module.globals()) {
    variable.setLinkage(llvm::GlobalValue::InternalLinkage);
    variable.setComdat(nullptr);
    variable.setDSOLocal(true);
  }
}

}  // namespace

bool has_halves(const llvm::TargetMachine& machine) {
  return machine.getMCSubtargetInfo()->checkFeatures("+avx512fp16");
}

void use_instructions(ScalarKernel& kernel, Analyses& analyses) {
  llvm::Module& module = *kernel.module;
  llvm::Function* fma = module.getFunction("heddle_fma_f16");
  if (!fma || !has_halves(analyses.target)) return;
  fma->deleteBody();
  llvm::IRBuilder<> builder(llvm::BasicBlock::Create(module.getContext(), "entry", fma));
  llvm::Value* sum = builder.CreateIntrinsic(llvm::Intrinsic::fma, {builder.getHalfTy()},
                                             {fma->getArg(0), fma->getArg(1), fma->getArg(2)});
  llvm::Value* canonical = builder.CreateBitCast(builder.getInt16(0x7fff), builder.getHalfTy());
  builder.CreateRet(builder.CreateSelect(builder.CreateFCmpUNO(sum, sum), canonical, sum));
}

void mark_any_mode(ScalarKernel& kernel) {
  llvm::Module& module = *kernel.module;
  std::map<const llvm::Function*, llvm::Function*> marked;
  std::vector<llvm::CallInst*> work;
  const auto look_at = [&](llvm::Function& function) {
    for (llvm::Instruction& inst : llvm::instructions(function)) {
      auto* call = llvm::dyn_cast<llvm::CallInst>(&inst);
      if (call && call->hasMetadata(kAnyMode)) work.push_back(call);
    }
  };
  for (llvm::Function& function : module) look_at(function);
  while (!work.empty()) {
    llvm::CallInst* call = work.back();
    work.pop_back();
    llvm::Function* called = call->getCalledFunction();
    if (!called || called->isDeclaration() || is_inlined_late(called)) continue;
    llvm::Function*& copy = marked[called];
    if (!copy) {
      llvm::ValueToValueMapTy values;
      copy = llvm::CloneFunction(called, values);
      for (llvm::Instruction& inst : llvm::instructions(*copy))
        inst.setMetadata(kAnyMode, llvm::MDNode::get(inst.getContext(), {}));
      look_at(*copy);
    }
    call->setCalledFunction(copy);
  }
}

void inline_functions(ScalarKernel& kernel, Analyses& analyses) {
  llvm::Module& module = *kernel.module;
  bool calls = false;
  for (llvm::Function& function : module) {
    if (&function == kernel.function || function.isDeclaration()) continue;
    calls = true;
    if (!is_inlined_late(&function) && !kernel.recursive.count(&function)) inline_always(function);
  }
  make_tables_internal(module);
  if (calls) inline_calls(module, analyses);
}

std::string inline_recursion(ScalarKernel& kernel, Analyses& analyses) {
  while (!kernel.recursive.empty()) {
    if (std::string why = unwind_recursion(kernel, analyses); !why.empty()) return why;
    inline_calls(*kernel.module, analyses);
  }
  return {};
}

void inline_late(ScalarKernel& kernel, Analyses& analyses) {
  bool found = false;
  for (llvm::Function& function : *kernel.module) {
    if (!is_inlined_late(&function)) continue;
    inline_always(function);
    found = true;
  }
  if (found) inline_calls(*kernel.module, analyses);
}

}  // namespace heddle::jit
