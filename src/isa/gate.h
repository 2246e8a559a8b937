// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Version and target gates: the first `.version` and `.target` in which a feature is legal (PTX ISA
// 11.1).
#pragma once

#include <compare>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "base/types.h"

namespace heddle::isa {

/// `.version major.minor`.
struct PtxVersion {
  u8 major = 0;
  u8 minor = 0;
  constexpr auto operator<=>(const PtxVersion&) const = default;
};

/// `.target sm_NN`, `sm_NNa` (architecture-specific) or `sm_NNf` (family-specific).
struct Target {
  u16 sm = 0;       ///< 90 for sm_90
  char suffix = 0;  ///< 0, 'a' or 'f'
  constexpr bool operator==(const Target&) const = default;
};

std::optional<Target> parse_target(std::string_view text);
std::string to_string(Target target);
std::string to_string(PtxVersion version);

/// True when code that needs `needed` is legal in a module with `.target have` (11.1.2): a plain
/// target admits every newer target, `a` only itself, `f` the `f` and `a` targets of the same
/// family with an equal or higher number.
bool admits(Target needed, Target have);

/// One way to satisfy a gate: both must hold.
struct GateAlternative {
  PtxVersion ptx;  ///< {0,0}: any
  Target target;   ///< sm 0: any
};

struct Gate {
  std::span<const GateAlternative> since;  ///< any one; empty: no lower bound
  GateAlternative until;                   ///< {0,0}/0: none; else illegal when both are exceeded
};

/// The requirements of the gate that (version, target) does not meet, or nothing. The text is a
/// help line: "needs `.version 8.0` or newer".
std::optional<std::string> refuse(const Gate& gate, PtxVersion version, Target target);

}  // namespace heddle::isa
