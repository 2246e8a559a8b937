// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "jit/llvm/machine_ops.h"

#include <llvm/ADT/StringMap.h>

#include <iterator>
#include <vector>

#include "base/check.h"

namespace heddle::jit {
namespace {

using Effect = MachineOpInfo::Effect;
using Result = MachineOpInfo::Result;
using Warps = MachineOpInfo::Warps;
constexpr bool yes = true, no = false;

constexpr MachineOpInfo kInfos[] = {
#define MACHINE_OP(identifier, name, operands, site, effect, result, convergent, warps) \
  {name, operands, site, Effect::effect, Result::result, convergent, Warps::warps},
#include "jit/llvm/machine_ops.def"
#undef MACHINE_OP
};

/// Name and types behind kPrefix; empty: it calls no such function.
llvm::StringRef called_name(const llvm::Instruction& inst) {
  const auto* call = llvm::dyn_cast<llvm::CallInst>(&inst);
  if (!call || !call->getCalledFunction()) return {};
  llvm::StringRef name = call->getCalledFunction()->getName();
  return name.consume_front(kPrefix) ? name : llvm::StringRef();
}

}  // namespace

const MachineOpInfo& info_of(MachineOp op) {
  HEDDLE_CHECK(op != MachineOp::none);
  return kInfos[static_cast<unsigned>(op) - 1];
}

MachineOp find_machine_op(llvm::StringRef name) {
  static const auto& known = *new llvm::StringMap<MachineOp>([] {
    llvm::StringMap<MachineOp> all;
    for (unsigned i = 0; i < std::size(kInfos); ++i)
      all[kInfos[i].name] = static_cast<MachineOp>(i + 1);
    return all;
  }());
  const auto found = known.find(name);
  return found == known.end() ? MachineOp::none : found->second;
}

MachineOp machine_op(const llvm::Instruction& inst) {
  const llvm::StringRef name = called_name(inst);
  return name.empty() ? MachineOp::none
                      : find_machine_op(name.take_until([](char one) { return one == ':'; }));
}

bool is_machine_call(const llvm::Instruction& inst) { return !called_name(inst).empty(); }

void set_attributes(llvm::Function& function, MachineOp op) {
  const MachineOpInfo& info = info_of(op);
  function.setDoesNotThrow();
  if (info.is_convergent) function.setConvergent();
  if (info.effect != Effect::any) function.setDoesNotAccessMemory();
  if (info.effect == Effect::pure) {
    function.setWillReturn();
    function.setSpeculatable();
  }
}

llvm::CallInst* call_machine(llvm::IRBuilder<>& builder, MachineOp op, llvm::Type* result,
                             llvm::ArrayRef<llvm::Value*> operands, const std::string& types) {
  const MachineOpInfo& info = info_of(op);
  std::vector<llvm::Type*> of_operands;
  for (llvm::Value* one : operands) of_operands.push_back(one->getType());
  const std::string name = kPrefix + info.name.str() + (types.empty() ? "" : ":" + types);
  auto callee = builder.GetInsertBlock()->getModule()->getOrInsertFunction(
      name, llvm::FunctionType::get(result, of_operands, false));
  set_attributes(*llvm::cast<llvm::Function>(callee.getCallee()), op);
  return builder.CreateCall(callee, operands);
}

}  // namespace heddle::jit
