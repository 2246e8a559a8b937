// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// From the fault of a warp function (isa/warp_context.h) to a trap.
#pragma once

#include <optional>
#include <string>

#include "isa/warp_context.h"
#include "machine/trap_kind.h"

namespace heddle::machine {

struct FaultReport {
  TrapKind kind;
  u32 lane;
  std::optional<u64> address;
  std::string detail;
};

/// `active`: the lanes that execute the instruction.
FaultReport report_of(const isa::WarpFault& fault, const isa::TextureHandles& textures, u32 active);

}  // namespace heddle::machine
