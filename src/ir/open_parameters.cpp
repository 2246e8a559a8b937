// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// `.func f(.param .u32 n, .param .b8 rest[])` takes an array of any size (PTX ISA 11.2.2). Its
// frame must hold the argument of any call, so the size is known once all calls are known.
#include <algorithm>

#include "ir/module.h"

namespace heddle::ir {
namespace {

struct Passed {
  u64 bytes = 0;  ///< size of the last argument
  const Operand* callee = nullptr;
};

/// The last argument of a call.
Passed passed_last(const Function& f, const Inst& inst) {
  const isa::Form& form = inst.get_form();
  Passed passed;
  for (u32 i = 0; i < inst.operands.count && i < form.operands.size(); ++i) {
    const Operand& operand = f.operands[inst.operands.first + i];
    if (form.operands[i].name == "f") passed.callee = &operand;
    if (form.operands[i].name != "a" || operand.kind != OperandKind::vector || !operand.value)
      continue;
    const Operand& last = f.operands[operand.id + operand.value - 1];
    if (last.kind == OperandKind::local) passed.bytes = f.locals[last.id].size;
  }
  return passed;
}

}  // namespace

void size_open_parameters(Module& module) {
  const auto is_open = [](const Function& f) {
    return !f.signature.params.empty() && f.signature.params.back().unsized;
  };
  if (std::none_of(module.functions.begin(), module.functions.end(), is_open)) return;
  std::vector<u64> direct(module.functions.size(), 0);
  u64 through_pointers = 0;
  for (const Function& f : module.functions) {
    for (const Inst& inst : f.insts) {
      if (inst.get_form().opcode != "call") continue;
      const Passed passed = passed_last(f, inst);
      if (!passed.callee) continue;
      u64& most = passed.callee->kind == OperandKind::function ? direct[passed.callee->id]
                                                               : through_pointers;
      most = std::max(most, passed.bytes);
    }
  }
  for (std::size_t i = 0; i < module.functions.size(); ++i) {
    Function& f = module.functions[i];
    if (!is_open(f)) continue;
    Parameter& open = f.signature.params.back();
    const u64 least =
        std::max(1, isa::type_info(open.type).bits / 8);  // a frame cannot hold empty variables
    open.size = std::max({direct[i], through_pointers, least});
    if (open.local && open.local.value < f.locals.size())
      f.locals[open.local.value].size = open.size;
  }
}

}  // namespace heddle::ir
