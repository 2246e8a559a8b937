// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The table of warp functions of one CPU level. Compiled once per level.
#include "isa/sem/tcgen05_mma.h"
#include "isa/sem/warp_function.h"
#include "isa/warp_headers.inc"
#include "machine/warp_functions.h"

namespace heddle::machine {
namespace {
inline namespace HEDDLE_LEVEL {

template <auto kFunction>
void run(const u8* modifiers, isa::WarpContext& context, WarpLanes who, void* const* operands,
         u32 count) {
  sem::WarpFunction<kFunction>::call(modifiers, context, {who.members, who.active},
                                     {operands, count});
}

template <auto kFunction>
constexpr WarpFunction make() {
  using Function = sem::WarpFunction<kFunction>;
  return {&run<kFunction>, Function::kSources, Function::kResults, Function::kHasRegisters,
          Function::kFirstResultIsPredicate};
}

constexpr WarpFunction kWarpFunctions[] = {
#define HEDDLE_WARP(index, ...) make<&__VA_ARGS__>(),
#define HEDDLE_NO_WARP(index) WarpFunction{},
#include "isa/warp_functions.inc"
#undef HEDDLE_WARP
#undef HEDDLE_NO_WARP
};

isa::ProductFault multiply_matrices(const isa::TensorProduct& product,
                                    const isa::TensorCore& core) {
  return sem::TensorMultiplication(product, core).run();
}

}  // namespace HEDDLE_LEVEL
}  // namespace

LevelFunctions HEDDLE_LEVEL_FUNCTION() { return {kWarpFunctions, &multiply_matrices}; }

}  // namespace heddle::machine
