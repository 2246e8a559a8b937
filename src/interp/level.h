// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The handlers of one CPU level. level.cpp and the generated lane tables are compiled once per
// level with the compiler flags of that level; the best one the host can run is chosen at start.
#pragma once

#include <span>
#include <string_view>

#include "interp/joined.h"

namespace heddle::interp {

inline constexpr u32 kWidths = 5;  ///< 1, 2, 4, 8, 16 bytes
inline constexpr u32 kCounts = 4;  ///< 1, 2, 4, 8 elements

struct Level {
  std::string_view name;
  // Of lane functions and of the functions that atomics apply; by
  // isa::dispatch_index.
  std::span<const Handlers> lanes;
  std::span<const Handler> atomics;
  /// [element width][count], both by width_index().
  Handlers load[kWidths][kCounts], store[kWidths][kCounts];
  /// [element width][count][the base register is wide]: weak accesses of a whole warp, in the
  /// shared or the generic window. Null: there is no handler; the same holds for affine accesses.
  FullHandler usual_load[kWidths][kCounts][2], usual_store[kWidths][kCounts][2];
  /// [element width][count][the base register is wide]: the same with affine addresses; loads by
  /// AffineLoad, too.
  FullHandler affine_load[kWidths][kCounts][2][3], affine_store[kWidths][kCounts][2];
  /// [from][to][signed]: src[0] to dst[0], truncated or extended.
  Handlers resize[kWidths][kWidths][2];
  /// Pack the list of `count` elements into dst[0]; unpack src[0] into the list.
  Handlers pack[kWidths][2], unpack[kWidths][2];  ///< [element width][count == 4]
  Handlers move[kWidths];
  Handlers predicate_move, predicate_not;
  Handlers to_generic[2], from_generic[2],
      is_space[2];            ///< [wide address]: cvta, cvta.to, isspacep
  FullHandler broadcast[2];   ///< [8 bytes]: dst[0] = Gang::cta_values[offset]
  Handlers frame_address[2];  ///< dst[0] = frame_local + offset
  JoinedHandlers joined;
};

const Level& level_baseline();

/// The best level that this CPU runs; HEDDLE_CPU=baseline|v3|v4 lowers it.
const Level& best_level();

}  // namespace heddle::interp
