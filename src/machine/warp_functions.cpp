// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "machine/warp_functions.h"

#include "base/check.h"
#include "base/cpu_level.h"

namespace heddle::machine {

LevelFunctions level_functions_v3();
LevelFunctions level_functions_v4();

namespace {

LevelFunctions choose_functions() {
  [[maybe_unused]] const CpuLevel usable = usable_cpu_level();
#ifdef HEDDLE_HAS_LEVEL_V4
  if (usable >= CpuLevel::v4) return level_functions_v4();
#endif
#ifdef HEDDLE_HAS_LEVEL_V3
  if (usable >= CpuLevel::v3) return level_functions_v3();
#endif
  return level_functions_baseline();
}

const LevelFunctions& best_functions() {
  static const LevelFunctions best = choose_functions();
  return best;
}

}  // namespace

const WarpFunction& warp_function(u32 index) {
  const std::span<const WarpFunction> functions = best_functions().warp;
  HEDDLE_CHECK(index < functions.size() && functions[index].run);
  return functions[index];
}

isa::ProductFault multiply(const isa::TensorProduct& product, const isa::TensorCore& core) {
  return best_functions().multiply(product, core);
}

}  // namespace heddle::machine
