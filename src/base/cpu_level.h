// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Levels of x86-64 for which both engines have code. By default they use the highest level of the
// processor; HEDDLE_CPU chooses a lower one.
#pragma once

#include <optional>
#include <string_view>

#include "base/types.h"

namespace heddle {

enum class CpuLevel : u8 { baseline, v3, v4 };

inline std::optional<CpuLevel> parse_cpu_level(std::string_view name) {
  if (name == "baseline") return CpuLevel::baseline;
  if (name == "v3") return CpuLevel::v3;
  if (name == "v4") return CpuLevel::v4;
  return std::nullopt;
}

/// What HEDDLE_CPU says (base/config.h). None: the best.
std::optional<CpuLevel> wanted_cpu_level();

/// The highest level that this processor has and HEDDLE_CPU allows.
inline CpuLevel usable_cpu_level() {
  [[maybe_unused]] const CpuLevel most = wanted_cpu_level().value_or(CpuLevel::v4);
#if defined(__x86_64__)
  if (most >= CpuLevel::v4 && __builtin_cpu_supports("x86-64-v4")) return CpuLevel::v4;
  if (most >= CpuLevel::v3 && __builtin_cpu_supports("x86-64-v3")) return CpuLevel::v3;
#endif
  return CpuLevel::baseline;
}

}  // namespace heddle
