// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What `.target sm_10` to `sm_13` change in the meaning of instructions: f32 arithmetic, comparison
// and conversion flush subnormal numbers, as with `.ftz` (the notes of 9.7.3, 9.7.6, 9.7.9.21). The
// forms that PTX 1.0 to 1.3 wrote without `.approx` or a rounding, and mad without one, are in the
// tables.
#include "check/module_checker.h"
#include "ir/respell.h"

namespace heddle::check {
namespace {

bool has_64_bits(const ir::Inst& inst) {
  for (const std::string_view word : ir::modifiers(inst)) {
    if (word == "f64" || word == "u64" || word == "s64") return true;
  }
  return false;
}

}  // namespace

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
        ir::respell(inst, form.opcode, words);  // no such form: not of f32
        break;
      }
    }
  }
}

}  // namespace heddle::check
