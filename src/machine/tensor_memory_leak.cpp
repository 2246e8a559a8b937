// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "machine/tensor_memory_leak.h"

#include <fmt/format.h>

namespace heddle::machine {

std::optional<Trap> find_leak(const Launch& launch, Dim3 cta, const TensorMemory* memory) {
  if (!memory || memory->allocations().empty()) return std::nullopt;
  const TensorMemory::Allocation& one = memory->allocations().front();
  const ir::Module& module = launch.loaded->module();
  Trap trap = trap_at(TrapKind::tensor_memory_leak, module, launch.entry,
                      &module.functions[one.by.function], one.by.inst, launch.config->block, cta,
                      one.by.thread);
  trap.detail = fmt::format(
      "this instruction allocated {} columns from column {} on, and the CTA exits without a "
      "tcgen05.dealloc of them",
      one.columns, one.column);
  return trap;
}

}  // namespace heddle::machine
