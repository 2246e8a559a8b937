// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "jit/llvm/vector/access_groups.h"

#include <llvm/IR/Instructions.h>

#include <algorithm>
#include <bit>
#include <optional>
#include <set>
#include <tuple>

#include "jit/llvm/analysis/pattern.h"

namespace heddle::jit {
namespace {

/// Splits an address into a root and a constant distance. An address of shared memory may be
/// widened from 32 bits: legal ones have the upper bit clear, so a sum that wraps around at 32 bits
/// is the same as one that is sign-extended.
std::pair<llvm::Value*, u64> root_of(llvm::Value* address, ir::Space space) {
  u64 distance = 0;
  llvm::Value* root = address;
  while (true) {
    if (auto* number = llvm::dyn_cast<llvm::ConstantInt>(root))
      return {llvm::ConstantInt::get(llvm::Type::getInt64Ty(address->getContext()), 0),
              distance + static_cast<u64>(number->getSExtValue())};
    auto* inst = llvm::dyn_cast<llvm::Instruction>(root);
    if (!inst) return {root, distance};
    const auto* disjoint = llvm::dyn_cast<llvm::PossiblyDisjointInst>(inst);
    const bool adds =
        inst->getOpcode() == llvm::Instruction::Add || (disjoint && disjoint->isDisjoint());
    if (adds && llvm::isa<llvm::ConstantInt>(inst->getOperand(1))) {
      distance +=
          static_cast<u64>(llvm::cast<llvm::ConstantInt>(inst->getOperand(1))->getSExtValue());
    } else if (!(space == ir::Space::shared && distance == 0 &&
                 inst->getOpcode() == llvm::Instruction::ZExt &&
                 inst->getOperand(0)->getType()->isIntegerTy(32))) {
      return {root, distance};
    }
    root = inst->getOperand(0);
  }
}

}  // namespace

Layout AccessGroups::layout_of(const llvm::CallInst& call, const llvm::Value* address,
                               const ActiveLanes& active) const {
  const Site& site = site_of(call);
  const Shape root = shapes_.of(address);
  if (site.space == ir::Space::local)
    return root.is_uniform() ? Layout::uniform : Layout::scattered;
  const bool loads = machine_op(call) == MachineOp::load;
  bool same = root.is_uniform();
  for (unsigned i = 2; i < call.arg_size(); ++i)
    same &= shapes_.of(call.getArgOperand(i)).is_uniform();
  if (same) return Layout::uniform;
  if (loads && shapes_.of(&call).is_affine()) return Layout::uniform_parts;
  if (!active.known.empty()) return Layout::known_lanes;
  const Layout otherwise = is_permutation(call, address) ? Layout::permuted : Layout::scattered;
  if (!root.is_affine()) return otherwise;
  const s64 whole = s64{site.bytes} * site.count;
  if (root.stride == whole) return Layout::consecutive;
  constexpr s64 kMostApart = 8;
  const bool apart = loads && site.count == 1 && site.bytes >= 4 && root.widened.empty() &&
                     root.stride > whole && root.stride <= kMostApart * whole &&
                     std::has_single_bit(static_cast<u64>(root.stride / whole)) &&
                     root.stride % whole == 0;
  if (apart) return Layout::interleaved;
  const bool spread = otherwise == Layout::scattered && root.widened.empty() && root.stride > 0 &&
                      root.stride % whole == 0 && masks_.is_all(active.mask);
  return spread ? Layout::strided : otherwise;
}

/// Whether the lanes of each half lie in a known order (pattern.h) within two vectors; lanes that
/// store, each in a place of its own.
bool AccessGroups::is_permutation(const llvm::CallInst& call, const llvm::Value* root) const {
  const Site& site = site_of(call);
  if (site.bytes != 4 || site.count != 1) return false;
  const auto pattern = pattern_of(root, shapes_);
  if (!pattern || (root->getType()->isIntegerTy(32) && pattern->wraps())) return false;
  for (unsigned h = 0; h < shapes_.team() / kHalf; ++h) {
    const auto lanes = of_half(pattern->offsets, h);
    const auto [least, largest] = std::ranges::minmax(lanes);
    if (largest - least >= 2 * kHalf * 4) return false;
    std::set<s64> places;
    for (const s64 offset : lanes) {
      if ((offset - least) % 4) return false;
      places.insert(offset);
    }
    if (machine_op(call) == MachineOp::store && places.size() < kHalf) return false;
  }
  return true;
}

unsigned AccessGroups::interleave_factor(const AccessGroup& group) const {
  return static_cast<unsigned>(static_cast<u64>(shapes_.of(group.root).stride) /
                               site_of(*group.members[0]).bytes);
}

/// Accesses are in one group if no barrier is between them: the block is straight-line code.
void AccessGroups::find(const llvm::BasicBlock& block, const ActiveLanes& active) {
  std::map<std::tuple<const llvm::Value*, ir::Space, u64, u64, Layout>, AccessGroup*> current;
  for (const llvm::Instruction& inst : block) {
    const MachineOp op = machine_op(inst);
    if (op == MachineOp::barrier) current.clear();
    if (op != MachineOp::load && op != MachineOp::store) continue;
    const auto& call = llvm::cast<llvm::CallInst>(inst);
    const Site& site = site_of(call);
    if (site.ordered) continue;
    const auto [root, distance] = root_of(call.getArgOperand(1), site.space);
    const Layout layout = layout_of(call, root, active);
    const u64 whole = u64{site.bytes} * site.count;
    AccessGroup*& group = current[{root, site.space, whole, distance % whole, layout}];
    const auto with_it = group ? group->extent.joined({distance, whole}) : std::nullopt;
    if (!with_it) {
      group = &open(call, layout);
      continue;
    }
    group->extent = *with_it;
    group->members.push_back(&call);
    members_[&call] = {group, distance};
  }
}

AccessGroup AccessGroups::group_of(const llvm::CallInst& call, Layout layout) const {
  const Site& site = site_of(call);
  const auto [root, distance] = root_of(call.getArgOperand(1), site.space);
  AccessGroup group;
  group.root = root;
  group.layout = layout;
  if (layout == Layout::permuted) group.offsets = pattern_of(root, shapes_)->offsets;
  group.extent = {distance, u64{site.bytes} * site.count};
  group.members = {&call};
  return group;
}

AccessGroup& AccessGroups::open(const llvm::CallInst& call, Layout layout) {
  AccessGroup& group = groups_.emplace_back(group_of(call, layout));
  members_[&call] = {&group, group.extent.low};
  return group;
}

std::pair<AccessGroup*, u64> AccessGroups::of(const llvm::CallInst& call,
                                              const ActiveLanes& active) {
  if (!members_.count(&call))
    open(call, layout_of(call, root_of(call.getArgOperand(1), site_of(call).space).first, active));
  const Member& member = members_.at(&call);
  return {member.group, member.distance};
}

u64 AccessGroups::distance_of(const llvm::CallInst& call) const {
  return root_of(call.getArgOperand(1), site_of(call).space).second;
}

}  // namespace heddle::jit
