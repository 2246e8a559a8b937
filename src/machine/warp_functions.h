// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The warp functions of the tables (isa/sem/lanes.h) and the products in tensor memory, as both
// engines call them. They are built for each CPU level, and usable_cpu_level() chooses.
#pragma once

#include <span>

#include "isa/tensor_product.h"
#include "isa/warp_context.h"

namespace heddle::machine {

/// Which lanes take part; as sem::WarpLanes.
struct WarpLanes {
  u32 members, active;
};

struct WarpFunction {
  /// See sem::WarpFunction::call(). Where the context has failed, there is an illegal access.
  void (*run)(const u8* modifiers, isa::WarpContext& context, WarpLanes who, void* const* operands,
              u32 count);
  u32 sources, results;     ///< no sources: the number depends on the form
  bool has_registers;       ///< each operand is of several registers
  bool first_is_predicate;  ///< result
};

inline constexpr u32 kMostWarpOperands = 12;
inline constexpr u32 kMostWarpRegisters = 144;  ///< of all operands of an instruction

/// Of one CPU level.
struct LevelFunctions {
  std::span<const WarpFunction> warp;
  isa::ProductFault (*multiply)(const isa::TensorProduct& product, const isa::TensorCore& core);
};
LevelFunctions level_functions_baseline();

/// By isa::dispatch_index().
const WarpFunction& warp_function(u32 index);
/// tcgen05.mma (isa/sem/tcgen05_mma.h).
isa::ProductFault multiply(const isa::TensorProduct& product, const isa::TensorCore& core);

}  // namespace heddle::machine
