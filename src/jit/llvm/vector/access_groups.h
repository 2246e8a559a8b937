// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Accesses to memory, and how the addresses of their lanes lie. Accesses of a block that have equal
// sizes and lie at fixed distances from one value are a group, which is checked as a whole.
#pragma once

#include <deque>
#include <map>
#include <utility>
#include <vector>

#include "jit/extent.h"
#include "jit/llvm/vector/masks.h"

namespace heddle::jit {

/// How the lanes' addresses lie.
enum class Layout : u8 {
  scattered,      ///< not known
  consecutive,    ///< one behind the other
  interleaved,    ///< a power of two times the size apart: a load of all that is between
  permuted,       ///< in a known order within two vectors (pattern.h)
  strided,        ///< equally far apart, further than interleaved; all lanes are active
  uniform_parts,  ///< each warp or half has one address
  uniform,        ///< all have one
  known_lanes,    ///< of ActiveLanes::known
};

struct AccessGroup {
  llvm::Value* root = nullptr;  ///< scalar code's; of 32 bits: a sum in shared memory that may wrap
  Layout layout = Layout::scattered;
  std::vector<s64> offsets;  ///< permuted: of the team's lanes
  Extent extent;             ///< from the lowest access to the end of the last one, from the root
  std::vector<const llvm::CallInst*> members;

  /// Once the group has been checked: host addresses of the lowest access. Scalars, or vectors of
  /// scattered ones; of permuted ones the lowest lane's.
  Halves host{};
  /// Once checked, where that was tested at run time (i1): the lanes are consecutive, and legal.
  llvm::Value* consecutive = nullptr;
};

/// Whether it may access memory that is not close to the processor all the time.
inline bool may_be_global(const Site& site) {
  return site.space == ir::Space::global || site.space == ir::Space::generic;
}

class AccessGroups {
 public:
  AccessGroups(const ScalarKernel& kernel, const Shapes& shapes, const Masks& masks)
      : kernel_(kernel), shapes_(shapes), masks_(masks) {}

  /// Finds the groups of a block.
  void find(const llvm::BasicBlock& block, const ActiveLanes& active);
  /// The group of an access, one of its own where find() has found none; and the access's distance
  /// from the root.
  std::pair<AccessGroup*, u64> of(const llvm::CallInst& call, const ActiveLanes& active);
  /// A new group, of this access alone.
  AccessGroup& open(const llvm::CallInst& call, Layout layout);
  /// The same as a value, which the access is not made a member of.
  AccessGroup group_of(const llvm::CallInst& call, Layout layout) const;
  /// From its root.
  u64 distance_of(const llvm::CallInst& call) const;
  /// Of an interleaved group: how many times its size the lanes' addresses are apart.
  unsigned interleave_factor(const AccessGroup& group) const;

 private:
  struct Member {
    AccessGroup* group;
    u64 distance;  ///< from the root
  };
  const Site& site_of(const llvm::CallInst& call) const {
    return jit::site_of(call, kernel_.sites);
  }
  Layout layout_of(const llvm::CallInst& call, const llvm::Value* root,
                   const ActiveLanes& active) const;
  bool is_permutation(const llvm::CallInst& call, const llvm::Value* root) const;

  const ScalarKernel& kernel_;
  const Shapes& shapes_;
  const Masks& masks_;
  std::deque<AccessGroup> groups_;
  std::map<const llvm::CallInst*, Member> members_;
};

}  // namespace heddle::jit
