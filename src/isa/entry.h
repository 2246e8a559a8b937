// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Directives, pragma strings and targets (PTX ISA 11, 12): names with a gate. The special registers
// (10) are in the generated isa/special_registers.h.
#pragma once

#include <span>
#include <string_view>

#include "isa/gate.h"

namespace heddle::isa {

struct Entry {
  std::string_view name;  ///< ".maxntid", "nounroll", "sm_90a"
  std::string_view summary;
  std::string_view manual;
  std::span<const Gate> gates;  ///< all must be open
};

std::span<const Entry> directives();
std::span<const Entry> pragmas();
/// The target architectures that `.target` may name, in the order of the manual.
std::span<const Entry> targets();

/// By name, with its dot; null when there is none.
const Entry* find_directive(std::string_view name);
const Entry* find_pragma(std::string_view name);
const Entry* find_target(Target target);

/// The version and target that `gates` require and that (version, target) lacks, or nothing.
std::optional<std::string> refuse(std::span<const Gate> gates, PtxVersion version, Target target);

}  // namespace heddle::isa
