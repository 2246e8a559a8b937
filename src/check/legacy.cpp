// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Changes of the meaning of instructions by `.target`. `sm_10` to `sm_13`: f32 arithmetic,
// comparison and conversion flush subnormal numbers, as with `.ftz` (the notes of 9.7.3, 9.7.6,
// 9.7.9.21); the meaning of mad.f32 depends on the device, too (9.7.3.7). `map_f64_to_f32`
// (11.1.2): instructions of f64 compute with f32, in the low half of registers and memory that keep
// their 64 bits. The tables have the forms of PTX 1.0 to 1.3 without `.approx` or a rounding.
#include <algorithm>
#include <cstring>

#include "base/check.h"
#include "check/module_checker.h"
#include "ir/respell.h"
#include "isa/sem/softfloat.h"

namespace heddle::check {
namespace {

bool has_64_bits(const ir::Inst& inst) {
  for (const std::string_view word : ir::modifiers(inst)) {
    if (word == "f64" || word == "u64" || word == "s64") return true;
  }
  return false;
}

/// Replaces f64 by f32 in the modifiers. Tries three spellings: with the other modifiers unchanged;
/// without the rounding, because a conversion from f64 to f32 becomes one without a rounding; and
/// with a rounding.
void respell_single(ir::Inst& inst) {
  const std::string_view opcode = inst.get_form().opcode;
  auto words = ir::modifiers(inst);
  std::ranges::replace(words, "f64", "f32");
  if (ir::respell(inst, opcode, words)) return;
  const auto is_rounding = [](std::string_view word) {
    return word == "rn" || word == "rz" || word == "rm" || word == "rp";
  };
  if (std::erase_if(words, is_rounding) == 0) words.push_back("rn");
  ir::respell(inst, opcode, words);
}

u64 single_bits(u64 bits) {
  return sem::soft_convert<sem::FormatF32, sem::FormatF64>(bits, sem::Round::nearest_even);
}

}  // namespace

void map_f64_to_f32(ir::Module& module) {
  for (ir::Variable& variable : module.variables) {
    if (variable.type != isa::Type::f64) continue;
    for (std::size_t i = 0; i + 8 <= variable.init.size(); i += 8) {
      u64 bits;
      std::memcpy(&bits, variable.init.data() + i, 8);
      bits = single_bits(bits);
      std::memcpy(variable.init.data() + i, &bits, 8);
    }
  }
  for (ir::Function& function : module.functions) {
    for (ir::Operand& operand : function.operands) {
      if (operand.kind == ir::OperandKind::immediate && operand.type == isa::Type::f64)
        operand.value = single_bits(operand.value);
    }
    for (ir::Inst& inst : function.insts) {
      const std::string_view opcode = inst.get_form().opcode;
      const bool moves = opcode == "mov" || opcode == "ld" || opcode == "ldu" || opcode == "st";
      const auto words = ir::modifiers(inst);
      if (moves || std::ranges::find(words, "f64") == words.end()) continue;
      respell_single(inst);
      for (u32 i = 0; i < inst.operands.count; ++i) {
        isa::Type& type = function.operands[inst.operands.first + i].type;
        if (type == isa::Type::f64) type = isa::Type::f32;
      }
    }
  }
}

void imply_flushing(ir::Module& module) {
  // PTX 1.4 and older did not flush in conversions to and from 64 bits.
  const bool spares_wide_conversions = module.version <= isa::PtxVersion{1, 4};
  for (ir::Function& function : module.functions) {
    for (ir::Inst& inst : function.insts) {
      const isa::Form& form = inst.get_form();
      for (std::size_t i = 0; i < form.slots.size(); ++i) {
        if (form.slots[i].name != "ftz" || inst.slots[i]) continue;
        if (spares_wide_conversions && form.opcode == "cvt" && has_64_bits(inst)) break;
        auto words = ir::modifiers(inst);
        words.push_back("ftz");
        ir::respell(inst, form.opcode, words);  // false: not of f32, unchanged
        break;
      }
    }
  }
}

void fuse_mad(ir::Module& module) {
  if (module.targets.empty() || module.targets[0].sm >= 20) return;
  for (ir::Function& function : module.functions) {
    for (ir::Inst& inst : function.insts) {
      if (inst.get_form().opcode != "mad") continue;
      auto words = ir::modifiers(inst);
      if (std::ranges::find(words, "f32") == words.end()) continue;
      words.push_back("rn");
      HEDDLE_CHECK(ir::respell(inst, "fma", words));
    }
  }
}

}  // namespace heddle::check
