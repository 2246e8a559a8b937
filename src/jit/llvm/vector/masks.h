// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Masks of a team: <16 x i1> for each half of a warp, constants where they are known.
#pragma once

#include <functional>

#include "jit/llvm/vector/lane_vectors.h"

namespace heddle::jit {

/// The lanes that may execute the block that is emitted.
struct ActiveLanes {
  Halves mask{};
  /// Their numbers in the team (i32), where there are few: the only one, or one of each warp.
  /// Empty: any number of lanes may be active.
  std::vector<llvm::Value*> known;
};

class Masks {
 public:
  /// Of a team of so many halves of warps.
  Masks(llvm::IRBuilder<>& builder, unsigned halves) : builder_(builder), halves_(halves) {}

  /// i1: whether a lane is set, of all halves or of `count` halves from `begin` on.
  llvm::Value* any(const Halves& mask) const;
  llvm::Value* any(const Halves& mask, unsigned begin, unsigned count) const;
  /// Whether the mask is known to have all lanes.
  bool is_all(const Halves& mask) const;
  Halves none() const;
  /// The mask as an integer, whose bit i is lane i of the team.
  llvm::Value* team_bits(const Halves& mask) const;
  /// The same of one warp (i32).
  llvm::Value* warp_bits(const Halves& mask, unsigned warp = 0) const;
  /// ActiveLanes::known of a constant mask; empty unless no half and no warp has more than one.
  std::vector<llvm::Value*> known_lanes(const Halves& mask) const;
  /// Vectors with `value(i)` of the i-th known lane: in that lane's half, or in all halves where
  /// there is one lane.
  Halves from_known_lanes(const ActiveLanes& active,
                          const std::function<llvm::Value*(unsigned number)>& value) const;

 private:
  llvm::IRBuilder<>& builder_;
  const unsigned halves_;
};

}  // namespace heddle::jit
