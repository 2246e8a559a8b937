// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "machine/warp_functions.h"

#include "base/check.h"
#include "base/cpu_level.h"

namespace heddle::machine {

std::span<const WarpFunction> warp_functions_v3();
std::span<const WarpFunction> warp_functions_v4();

namespace {

std::span<const WarpFunction> best_functions() {
  [[maybe_unused]] const CpuLevel most = wanted_cpu_level().value_or(CpuLevel::v4);
#ifdef HEDDLE_HAS_LEVEL_V4
  if (most >= CpuLevel::v4 && __builtin_cpu_supports("x86-64-v4")) return warp_functions_v4();
#endif
#ifdef HEDDLE_HAS_LEVEL_V3
  if (most >= CpuLevel::v3 && __builtin_cpu_supports("x86-64-v3")) return warp_functions_v3();
#endif
  return warp_functions_baseline();
}

}  // namespace

const WarpFunction& warp_function(u32 index) {
  static const std::span<const WarpFunction> functions = best_functions();
  HEDDLE_CHECK(index < functions.size() && functions[index].run);
  return functions[index];
}

}  // namespace heddle::machine
