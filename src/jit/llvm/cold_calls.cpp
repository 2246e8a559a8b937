// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Every access to memory has a call behind a branch that is hardly ever taken. By the usual rules
// it destroys all vector registers, so that around each of them the register allocator has to move
// whatever lives, at the cost of compile time and of code on the way that matters. Here those calls
// go through a function that saves everything first.
#include "jit/llvm/cold_calls.h"

#include <llvm/CodeGen/TargetSubtargetInfo.h>
#include <llvm/IR/CFG.h>
#include <llvm/IR/InlineAsm.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/Module.h>
#include <llvm/IR/ProfDataUtils.h>

#include <string>
#include <vector>

#include <fmt/format.h>

#include "base/types.h"

namespace heddle::jit {
namespace {

/// What LLVM takes for kept by a call with this attribute: every register of the processor.
constexpr const char* kKeepsAll = "no_caller_saved_registers";

bool is_unlikely(const llvm::BasicBlock& block) {
  for (const llvm::BasicBlock* above : llvm::predecessors(&block)) {
    u64 yes = 0, no = 0;
    const auto* branch = llvm::dyn_cast<llvm::BranchInst>(above->getTerminator());
    if (!branch || !branch->isConditional() || !llvm::extractBranchWeights(*branch, yes, no))
      return false;
    if ((branch->getSuccessor(0) == &block ? yes >= no : no >= yes)) return false;
  }
  return !llvm::pred_empty(&block);
}

/// i32 keep_all(context, argument, function): registers, then the call, then registers.
std::string save_and_call(const llvm::MCSubtargetInfo& processor) {
  struct Kind {
    const char* move;
    const char* name;
    unsigned count, bytes;
  };
  std::vector<Kind> kinds;
  if (processor.checkFeatures("+avx512f")) {
    kinds.push_back({"vmovaps", "zmm", 32, 64});
    kinds.push_back({processor.checkFeatures("+avx512bw") ? "kmovq" : "kmovw", "k", 8, 8});
  } else if (processor.checkFeatures("+avx")) {
    kinds.push_back({"vmovaps", "ymm", 16, 32});
  } else {
    kinds.push_back({"movaps", "xmm", 16, 16});
  }
  constexpr const char* kGeneral[] = {"rcx", "rdx", "rsi", "rdi", "r8", "r9", "r10", "r11"};
  std::string text = "pushq %rbp\nmovq %rsp, %rbp\n", restore;
  for (const char* name : kGeneral) text += fmt::format("pushq %{}\n", name);
  unsigned bytes = 0;
  for (const Kind& kind : kinds) {
    for (unsigned i = 0; i < kind.count; ++i, bytes += kind.bytes) {
      restore += fmt::format("{} {}(%rsp), %{}{}\n", kind.move, bytes, kind.name, i);
    }
  }
  text += fmt::format("subq $${}, %rsp\nandq $$-64, %rsp\n", bytes);
  bytes = 0;
  for (const Kind& kind : kinds) {
    for (unsigned i = 0; i < kind.count; ++i, bytes += kind.bytes)
      text += fmt::format("{} %{}{}, {}(%rsp)\n", kind.move, kind.name, i, bytes);
  }
  if (kinds[0].bytes > 16) text += "vzeroupper\n";
  text += "callq *%rdx\n" + restore;
  text += fmt::format("leaq -{}(%rbp), %rsp\n", 8 * std::size(kGeneral));
  for (std::size_t i = std::size(kGeneral); i-- > 0;)
    text += fmt::format("popq %{}\n", kGeneral[i]);
  return text + "popq %rbp\nretq\n";
}

}  // namespace

void make_cold_calls(llvm::Function& warp, llvm::TargetMachine& target) {
  if (target.getTargetTriple().getArch() != llvm::Triple::x86_64) return;
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
                                    save_and_call(*target.getSubtargetImpl(warp)), "", true);
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
