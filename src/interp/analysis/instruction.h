// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Facts of single instructions that the decoder and its analyses need.
#pragma once

#include <algorithm>
#include <bit>
#include <span>
#include <string_view>

#include "interp/op.h"
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
/// The index of a size, a power of two, in the tables of Level.
inline u32 width_index(std::size_t bytes) { return static_cast<u32>(std::countr_zero(bytes)); }

inline bool is_load(const ir::Inst& inst) {
  return inst.get_form().effects().access == isa::Access::load;
}
/// Whether the instruction is a cvta whose result is its operand: an address in .global or .const
/// is the generic address.
inline bool copies_address(const ir::Inst& inst) {
  const auto space = static_cast<ir::Space>(inst.space);
  return inst.get_form().sem_id == SemId::cvta &&
         (space == ir::Space::global || space == ir::Space::constant);
}

inline std::span<const Operand> operands_of(const ir::Function& function, const ir::Inst& inst) {
  return std::span(function.operands).subspan(inst.operands.first, inst.operands.count);
}

/// The state space of an address operand as it is written: "shared::cluster", "" when generic.
std::string_view space_of(const ir::Function& function, const ir::Inst& inst,
                          const Operand& operand);

/// Whether a load or store is weak enough for a plain access of the host, and its address is a
/// register or a constant in memory that the threads of the CTA share.
bool is_usual_access(const ir::Function& function, const ir::Inst& inst);

/// Calls `see(operand, written)` for each register that the instruction reads or writes.
template <class See>
void for_each_register(const ir::Function& function, const ir::Inst& inst, See see) {
  const isa::Form& form = inst.get_form();
  const auto operands = operands_of(function, inst);
  for (u32 i = 0; i < operands.size(); ++i) {
    // An operand beyond those of the form is the carry register.
    const bool carry = i >= form.operands.size();
    for (const Operand& one : ir::elements_of(function, operands[i])) {
      if (one.kind != OperandKind::reg) continue;
      if (carry || form.operands[i].written) see(one, true);
      if (carry || !form.operands[i].written || form.operands[i].also_read) see(one, false);
    }
  }
}

/// Of an instruction whose operands are its result and its sources: the first source that is a
/// register as wide as the source, and for which `fits(register)`; kNoSource: none is.
template <class Fits>
u32 find_source(const ir::Function& function, const ir::Inst& inst, Fits fits) {
  const auto sources = operands_of(function, inst).subspan(1);
  for (u32 i = 0; i < sources.size(); ++i) {
    const Operand& one = sources[i];
    if (one.kind == OperandKind::reg &&
        bytes_of(one.type) == bytes_of(function.registers[one.id].type) && fits(one.id))
      return i;
  }
  return kNoSource;
}

}  // namespace heddle::interp
