// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the decoder and its analyses ask of an instruction.
#pragma once

#include <algorithm>
#include <span>

#include "ir/operands.h"
#include "isa/form.h"

namespace heddle::interp {

using ir::Operand;
using ir::OperandKind;
using isa::SemId;
using isa::SemKind;
using isa::Type;

inline u32 bytes_of(Type type) { return std::max(1, isa::type_info(type).bits / 8); }
inline bool is_predicate(Type type) { return type == Type::pred; }

inline bool is_load(const ir::Inst& inst) {
  return inst.get_form().effects().access == isa::Access::load;
}
/// Whether it is a cvta whose result is its operand: the address in .global or .const is the
/// generic one.
inline bool copies_address(const ir::Inst& inst) {
  const auto space = static_cast<ir::Space>(inst.space);
  return inst.get_form().sem_id == SemId::cvta &&
         (space == ir::Space::global || space == ir::Space::constant);
}

inline std::span<const Operand> operands_of(const ir::Function& function, const ir::Inst& inst) {
  return std::span(function.operands).subspan(inst.operands.first, inst.operands.count);
}

/// Calls `see(operand, written)` for each register that the instruction reads or writes.
template <class See>
void for_each_register(const ir::Function& function, const ir::Inst& inst, See see) {
  const isa::Form& form = inst.get_form();
  const auto operands = operands_of(function, inst);
  for (u32 i = 0; i < operands.size(); ++i) {
    // An operand beside those of the form is the carry register.
    const bool carry = i >= form.operands.size();
    for (const Operand& one : ir::elements_of(function, operands[i])) {
      if (one.kind != OperandKind::reg) continue;
      if (carry || form.operands[i].written) see(one, true);
      if (carry || !form.operands[i].written || form.operands[i].also_read) see(one, false);
    }
  }
}

}  // namespace heddle::interp
