// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Every access to memory has a call behind an unlikely branch. By the usual calling convention it
// clobbers all vector registers, so that the register allocator spills around each call, at the
// cost of compile time and of code on the likely path. Here those calls go through a function that
// saves all registers.
#include "jit/llvm/host/cold_calls.h"

#include <llvm/CodeGen/TargetSubtargetInfo.h>
#include <llvm/IR/CFG.h>
#include <llvm/IR/InlineAsm.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/Module.h>

#include <vector>

#include "base/types.h"
#include "jit/llvm/analysis/branch_weights.h"

namespace heddle::jit {
namespace {

/// With this attribute LLVM assumes that a call preserves every register.
constexpr const char* kKeepsAll = "no_caller_saved_registers";

bool is_unlikely(const llvm::BasicBlock& block) {
  return !llvm::pred_empty(&block) &&
         llvm::all_of(llvm::predecessors(&block), [&](const llvm::BasicBlock* above) {
           return jit::is_unlikely(above, &block);
         });
}

/// i32 keep_all(context, argument, function): saves registers, calls, restores registers. XSAVE
/// saves all vectors and masks that the processor has (RFBM 0xe6); its header must be zero except
/// for what XSAVE writes. The components end below 2816 bytes on all processors.
constexpr const char* kKeepAll = R"(
pushq %rbp
movq %rsp, %rbp
pushq %rcx
pushq %rdx
pushq %rsi
pushq %rdi
pushq %r8
pushq %r9
pushq %r10
pushq %r11
subq $$2816, %rsp
andq $$-64, %rsp
movq %rdx, %r11
leaq 512(%rsp), %rdx
xorl %eax, %eax
movq %rax, (%rdx)
movq %rax, 8(%rdx)
movq %rax, 16(%rdx)
movq %rax, 24(%rdx)
movq %rax, 32(%rdx)
movq %rax, 40(%rdx)
movq %rax, 48(%rdx)
movq %rax, 56(%rdx)
xorl %edx, %edx
movl $$0xe6, %eax
xsave64 (%rsp)
vzeroupper
callq *%r11
movl %eax, %ecx
xorl %edx, %edx
movl $$0xe6, %eax
xrstor64 (%rsp)
movl %ecx, %eax
leaq -64(%rbp), %rsp
popq %r11
popq %r10
popq %r9
popq %r8
popq %rdi
popq %rsi
popq %rdx
popq %rcx
popq %rbp
retq
)";

}  // namespace

void make_cold_calls(llvm::Function& warp, llvm::TargetMachine& target) {
  if (target.getTargetTriple().getArch() != llvm::Triple::x86_64 ||
      !target.getSubtargetImpl(warp)->checkFeatures("+avx,+xsave"))
    return;
  std::vector<llvm::CallInst*> calls;
  for (llvm::BasicBlock& block : warp) {
    if (!is_unlikely(block)) continue;
    for (llvm::Instruction& inst : block) {
      auto* call = llvm::dyn_cast<llvm::CallInst>(&inst);
      if (call && call->isIndirectCall() && call->arg_size() == 2) calls.push_back(call);
    }
  }
  if (calls.empty()) return;
  llvm::LLVMContext& context = warp.getContext();
  auto* pointer = llvm::PointerType::get(context, 0);
  auto* number = llvm::Type::getInt32Ty(context);
  auto* type = llvm::FunctionType::get(number, {pointer, number, pointer}, false);
  auto* function =
      llvm::Function::Create(type, llvm::Function::InternalLinkage, "keep_all", *warp.getParent());
  function->addFnAttr(llvm::Attribute::Naked);
  function->addFnAttr(llvm::Attribute::NoInline);
  function->addFnAttr(llvm::Attribute::NoUnwind);
  auto* body = llvm::BasicBlock::Create(context, "", function);
  auto* text = llvm::InlineAsm::get(llvm::FunctionType::get(llvm::Type::getVoidTy(context), false),
                                    kKeepAll, "", true);
  llvm::CallInst::Create(text, "", body);
  new llvm::UnreachableInst(context, body);
  for (llvm::CallInst* call : calls) {
    auto* made = llvm::CallInst::Create(
        function, {call->getArgOperand(0), call->getArgOperand(1), call->getCalledOperand()}, "",
        call->getIterator());
    made->setDebugLoc(call->getDebugLoc());
    made->addFnAttr(llvm::Attribute::get(context, kKeepsAll));
    call->replaceAllUsesWith(made);
    call->eraseFromParent();
  }
}

}  // namespace heddle::jit
