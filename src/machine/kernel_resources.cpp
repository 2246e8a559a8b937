// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See kernel_resources.h.
#include "machine/kernel_resources.h"

#include <algorithm>

#include "ir/shared_layout.h"

namespace heddle::machine {
namespace {

constexpr u32 kBarriers = 16;  // of a CTA (9.7.13.1)

/// The barriers that an instruction may use: up to the one that it names, or all.
u32 barriers_of(const ir::Function& function, const ir::Inst& inst) {
  const isa::Form& form = inst.get_form();
  const auto named = std::ranges::find(form.operands, "a", &isa::OperandSpec::name);
  if (!form.effects().barrier || named == form.operands.end()) return 0;
  const auto& barrier =
      function.operands[inst.operands.first + static_cast<u32>(named - form.operands.begin())];
  return barrier.kind == ir::OperandKind::immediate && barrier.value < kBarriers
             ? static_cast<u32>(barrier.value) + 1
             : kBarriers;
}

u32 barriers_of(const ir::Module& module, ir::FunctionId kernel) {
  u32 most = 0;
  for (const ir::FunctionId id : ir::callable_functions(module, kernel)) {
    const ir::Function& function = module.functions[id.value];
    for (const ir::Inst& inst : function.insts) most = std::max(most, barriers_of(function, inst));
  }
  return most;
}

}  // namespace

KernelResources resources_of(const ir::Module& module, ir::FunctionId kernel,
                             const Profile& profile) {
  const ir::Function& function = module.functions[kernel.value];
  return {registers_of(function, profile),
          barriers_of(module, kernel),
          ir::lay_out_shared(module, kernel).static_bytes,
          bytes_in(function.locals, ir::Space::local),
          bytes_in(module.variables, ir::Space::constant),
          function.param_bytes};
}

u32 registers_of(const ir::Function& kernel, const Profile& profile) {
  const u32 most = profile.registers_per_block / profile.max_threads_per_block;
  const auto declared = static_cast<u32>(std::max<std::size_t>(kernel.registers.size(), 1));
  return std::min({declared, most, kernel.max_nreg ? kernel.max_nreg : most});
}

u64 bytes_in(const std::vector<ir::Variable>& variables, ir::Space space) {
  u64 bytes = 0;
  for (const ir::Variable& variable : variables) {
    if (variable.space == space) bytes += variable.size;
  }
  return bytes;
}

}  // namespace heddle::machine
