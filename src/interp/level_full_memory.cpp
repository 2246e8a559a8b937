// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Loads and stores of whole warps. Compiled once per level.
#include "interp/level_memory.h"
#include "interp/memory_ops.h"

namespace heddle::interp {
inline namespace HEDDLE_LEVEL {
namespace {

template <class T, u32 kCount, class A>
constexpr void fill_by_address(Level& level, u32 width, u32 count) {
  constexpr bool kWide = sizeof(A) == 8;
  level.usual_load[width][count][kWide] = &full_access<&usual_load<T, kCount, A>>;
  level.usual_store[width][count][kWide] = &full_access<&usual_store<T, kCount, A>>;
  FullHandler(&loads)[3] = level.affine_load[width][count][kWide];
  loads[0] = &affine_load<T, kCount, A, AffineLoad::consecutive>;
  loads[1] = &affine_load<T, kCount, A, AffineLoad::same>;
  loads[2] = &affine_load<T, kCount, A, AffineLoad::lead>;
  level.affine_store[width][count][kWide] = &affine_store<T, kCount, A>;
}

/// Accesses of kCount elements each. Accesses of 256 bits have the general handlers only.
template <class T, u32... kCount>
constexpr void fill_accesses(Level& level, u32 width) {
  (fill_by_address<T, kCount, u32>(level, width, std::countr_zero(kCount)), ...);
  (fill_by_address<T, kCount, u64>(level, width, std::countr_zero(kCount)), ...);
}

}  // namespace

void fill_full_memory(Level& level) {
  fill_accesses<u8, 1, 2, 4>(level, 0), fill_accesses<u16, 1, 2, 4>(level, 1);
  fill_accesses<u32, 1, 2, 4>(level, 2), fill_accesses<u64, 1, 2>(level, 3);
  fill_accesses<sem::b128, 1>(level, 4);
}

}  // namespace HEDDLE_LEVEL
}  // namespace heddle::interp
