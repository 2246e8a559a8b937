// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Where accesses may go. Each address is checked against the window it may reach and for alignment:
// with an address turned right by the bits that alignment wants zero, both are one comparison. What
// a block accesses at fixed distances from one value is checked together, before the first of them.
// Pages inside of a window that belong to no allocation fault; the run-time finds the instruction
// by the place in the code.
#include <llvm/IR/Instructions.h>
#include <llvm/IR/Intrinsics.h>

#include <bit>

#include "base/check.h"
#include "jit/llvm/analysis/branches.h"
#include "jit/llvm/analysis/pattern.h"
#include "jit/llvm/vector/vectorizer.h"

namespace heddle::jit {

namespace {

/// value >> 0 turned right by `bits`, scalar or vector.
llvm::Value* rotate(llvm::IRBuilder<>& builder, llvm::Value* value, unsigned bits) {
  if (!bits) return value;
  llvm::Value* by = llvm::ConstantInt::get(value->getType(), bits);
  return builder.CreateIntrinsic(llvm::Intrinsic::fshr, {value->getType()}, {value, value, by});
}

/// Whether what lanes have different of the value is made of what was read, or too much to tell.
bool comes_from_memory(const llvm::Value* value, const Shapes& shapes) {
  return is_made_of(
      value, 64,
      [](const llvm::Instruction& inst) {
        const MachineOp op = machine_op(inst);
        return op != MachineOp::none && op != MachineOp::tid && op != MachineOp::lane &&
               op != MachineOp::local_base;
      },
      [&](const llvm::Instruction& inst) { return shapes.of(&inst).is_affine(); });
}

}  // namespace

/// In a window of `size` bytes from `base` (null: 0) lie `bytes` bytes from `address`, which is a
/// multiple of `align`. Vectors of addresses may have 32 bits, if the window is one of such.
llvm::Value* Vectorizer::fits(llvm::Value* base, llvm::Value* size, llvm::Value* address, u64 bytes,
                              u64 align) {
  const unsigned turn = static_cast<unsigned>(std::countr_zero(align));
  llvm::Value* places = nullptr;  // of the first byte, in units of `align`
  {
    const llvm::IRBuilder<>::InsertPointGuard guard(builder_);
    llvm::Value*& known = places_[{size, bytes, align}];
    if (!known) {
      place_behind(size);
      llvm::Value* extent = builder_.getInt64(bytes);
      llvm::Value* room = builder_.CreateAdd(
          builder_.CreateLShr(builder_.CreateSub(size, extent), turn), builder_.getInt64(1));
      known =
          builder_.CreateSelect(builder_.CreateICmpULT(size, extent), builder_.getInt64(0), room);
    }
    places = known;
  }
  if (address->getType()->isVectorTy()) {
    places = splat(builder_.CreateTrunc(places, address->getType()->getScalarType()));
    if (base) base = splat(base);
  }
  llvm::Value* offset = base ? builder_.CreateSub(address, base) : address;
  return builder_.CreateICmpULT(rotate(builder_, offset, turn), places);
}

/// The legal windows of a site: one, or two of generic addresses.
std::vector<Vectorizer::Window> Vectorizer::windows(const Site& site) {
  llvm::Type* wide = builder_.getInt64Ty();
  switch (site.space) {
    case ir::Space::shared:
      return {{nullptr, field(offsetof(Context, shared_size), wide, "shared.size")}};
    case ir::Space::local:
      return {{nullptr, local_size()}};
    case ir::Space::param:
      return {{field(offsetof(Context, params), wide, "params"),
               field(offsetof(Context, params_size), wide, "params.size")}};
    default:
      return {{field(offsetof(Context, low_base), wide, "low.base"),
               field(offsetof(Context, low_size), wide, "low.size")},
              {field(offsetof(Context, high_base), wide, "high.base"),
               field(offsetof(Context, high_size), wide, "high.size")}};
  }
}

/// `test` of a window where it holds for one. That of the second is behind a branch: there is
/// little memory that is not in the first.
llvm::Value* Vectorizer::in_a_window(
    const Site& site, const std::function<llvm::Value*(const Window& window)>& test) {
  const std::vector<Window> all = windows(site);
  llvm::Value* holds = test(all[0]);
  if (all.size() == 1) return holds;
  Block *before = builder_.GetInsertBlock(), *second = new_block("second");
  Block* known = new_block("known");
  expect(builder_.CreateCondBr(holds, known, second));
  go_to(second);
  llvm::Value* there = test(all[1]);
  second = builder_.GetInsertBlock();
  builder_.CreateBr(known);
  go_to(known);
  llvm::PHINode* phi = builder_.CreatePHI(builder_.getInt1Ty(), 2);
  phi->addIncoming(builder_.getTrue(), before);
  phi->addIncoming(there, second);
  return phi;
}

/// Whether each lane that accesses what is in the group finds it in the window, by what its address
/// is made of: the number of a thread, constants, a loop's counter.
bool Vectorizer::always_fits(const Group& group) {
  const Site& site = site_of(*group.members[0]);
  u64 room = 0;
  if (site.space == ir::Space::shared) room = kernel_.shared_bytes;
  if (site.space == ir::Space::local && !kernel_.has_room()) room = kernel_.local_size();
  const auto most = static_cast<s64>(room), low = static_cast<s64>(group.extent.low);
  if (group.extent.bytes > room || low <= -most || low >= most) return false;
  // As it is: nothing of the function is changed.
  auto& first = const_cast<llvm::CallInst&>(*group.members[0]);
  const Bounds root = bounds_.of(group.root, first);
  const auto zeros = static_cast<unsigned>(std::countr_zero(u64{site.bytes} * site.count));
  const bool aligned =
      root.zeros >= zeros && static_cast<unsigned>(std::countr_zero(group.extent.low)) >= zeros;
  return aligned && root.largest <= room && static_cast<s64>(root.least) + low >= 0 &&
         static_cast<s64>(root.largest) + low + static_cast<s64>(group.extent.bytes) <= most;
}

/// The address of the host for one of the window; of local memory the offset in it, as it is.
llvm::Value* Vectorizer::host(const Site& site, llvm::Value* address) {
  if (site.space != ir::Space::shared) return address;
  llvm::Value* base = field(offsetof(Context, shared_base), builder_.getInt64Ty(), "shared.base");
  return builder_.CreateAdd(address, address->getType()->isVectorTy() ? splat(base) : base);
}

/// An address is a value plus a number. An address of shared memory may come from 32 bits: what is
/// legal there has the upper bit zero, so a sum that wraps around is the same with its sign in
/// front.
std::pair<llvm::Value*, u64> Vectorizer::root_of(llvm::Value* address, ir::Space space) const {
  u64 distance = 0;
  llvm::Value* root = address;
  while (true) {
    if (auto* number = llvm::dyn_cast<llvm::ConstantInt>(root))
      return {llvm::ConstantInt::get(llvm::Type::getInt64Ty(context_), 0),
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

/// How the lanes' addresses lie.
Vectorizer::Way Vectorizer::way_of(const llvm::CallInst& call, const llvm::Value* address) const {
  const Site& site = site_of(call);
  const Shape root = shapes_.of(address);
  if (site.space == ir::Space::local) return root.is_uniform() ? Way::one : Way::scattered;
  const bool loads = machine_op(call) == MachineOp::load;
  bool same = root.is_uniform();
  for (unsigned i = 2; i < call.arg_size(); ++i)
    same &= shapes_.of(call.getArgOperand(i)).is_uniform();
  if (same) return Way::one;
  if (loads && shapes_.of(&call).is_affine()) return Way::parts;
  if (!lanes_here_.empty()) return Way::only;
  const Way otherwise = fits_pattern(call, address) ? Way::pattern : Way::scattered;
  if (!root.is_affine()) return otherwise;
  const s64 whole = s64{site.bytes} * site.count;
  if (root.stride == whole) return Way::line;
  constexpr s64 kMostApart = 8;
  const bool apart = loads && site.count == 1 && site.bytes >= 4 && root.widened.empty() &&
                     root.stride > whole && root.stride <= kMostApart * whole &&
                     std::has_single_bit(static_cast<u64>(root.stride / whole)) &&
                     root.stride % whole == 0;
  if (apart) return Way::apart;
  const bool spread = otherwise == Way::scattered && root.widened.empty() && root.stride > 0 &&
                      root.stride % whole == 0 && is_all(masks_.at(call.getParent()));
  return spread ? Way::spread : otherwise;
}

/// Whether the lanes of each half lie within two vectors, in a way that is known; those that store,
/// each in a place of its own.
bool Vectorizer::fits_pattern(const llvm::CallInst& call, const llvm::Value* root) const {
  const Site& site = site_of(call);
  if (site.bytes != 4 || site.count != 1) return false;
  const auto pattern = pattern_of(root, shapes_);
  if (!pattern || (root->getType()->isIntegerTy(32) && pattern->wraps())) return false;
  for (unsigned h = 0; h < halves_; ++h) {
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

/// Of Way::apart: how many times their size the lanes' addresses are apart.
unsigned Vectorizer::times_apart(const Group& group) const {
  return static_cast<unsigned>(static_cast<u64>(shapes_.of(group.root).stride) /
                               site_of(*group.members[0]).bytes);
}

/// Finds what can be checked together: nothing parts the accesses but code that goes straight on.
void Vectorizer::find_groups(const Block& block) {
  std::map<std::tuple<const llvm::Value*, ir::Space, u64, u64, Way>, Group*> open;
  for (const llvm::Instruction& inst : block) {
    const MachineOp op = machine_op(inst);
    if (op == MachineOp::barrier) open.clear();
    if (op != MachineOp::load && op != MachineOp::store) continue;
    const auto& call = llvm::cast<llvm::CallInst>(inst);
    const Site& site = site_of(call);
    if (site.ordered) continue;
    const auto [root, distance] = root_of(call.getArgOperand(1), site.space);
    const Way way = way_of(call, root);
    const u64 whole = u64{site.bytes} * site.count;
    Group*& group = open[{root, site.space, whole, distance % whole, way}];
    const auto with_it = group ? group->extent.joined({distance, whole}) : std::nullopt;
    if (!with_it) {
      group = &open_group(call, way);
      continue;
    }
    group->extent = *with_it;
    group->members.push_back(&call);
    accesses_[&call] = {group, distance};
  }
}

Vectorizer::Group Vectorizer::group_of(const llvm::CallInst& call, Way way) const {
  const Site& site = site_of(call);
  const auto [root, distance] = root_of(call.getArgOperand(1), site.space);
  Group group;
  group.root = root;
  group.way = way;
  if (way == Way::pattern) group.offsets = pattern_of(root, shapes_)->offsets;
  group.extent = {distance, u64{site.bytes} * site.count};
  group.members = {&call};
  return group;
}

Vectorizer::Group& Vectorizer::open_group(const llvm::CallInst& call, Way way) {
  Group& group = groups_.emplace_back(group_of(call, way));
  accesses_[&call] = {&group, group.extent.low};
  return group;
}

/// The value at 64 bits, `distance` further.
llvm::Value* Vectorizer::further(llvm::Value* value, u64 distance) {
  const bool vector = value->getType()->isVectorTy();
  llvm::Type* wide = builder_.getInt64Ty();
  llvm::Type* narrow = value->getType()->getScalarType();
  if (narrow != wide) {
    value = builder_.CreateAdd(value, llvm::ConstantInt::get(value->getType(), distance));
    return builder_.CreateSExt(value, vector ? vector_of(wide) : wide);
  }
  if (!distance) return value;
  return builder_.CreateAdd(value, llvm::ConstantInt::get(value->getType(), distance));
}

/// Of one lane's address: `illegal` makes what is done when it may lie in no window.
void Vectorizer::check_lane(const Site& site, const Group& group, llvm::Value* address,
                            llvm::function_ref<void()> illegal) {
  if (always_fits(group)) return;
  Block *legal = new_block("legal"), *ask_there = new_block("illegal");
  llvm::Value* fit = in_a_window(site, [&](const Window& window) {
    return fits(window.base, window.size, address, group.extent.bytes, group.extent.bytes);
  });
  expect(builder_.CreateCondBr(fit, legal, ask_there));
  go_to(ask_there);
  illegal();
  builder_.CreateBr(legal);
  go_to(legal);
}

/// Has the run-time look at each access of the group, for the lanes of the mask.
void Vectorizer::ask(const Group& group, const Halves& mask) {
  // Linked for the run-time.
  const auto number = [&](const llvm::CallInst* call) {
    return static_cast<u32>(llvm::cast<llvm::ConstantInt>(call->getArgOperand(0))->getZExtValue());
  };
  const Shape shape = shapes_.of(group.root);
  const bool is_line = shape.is_affine() && shape.widened.empty();
  for (std::size_t i = 0; i < group.members.size(); ++i) {
    Site& site = jit::site_of(*group.members[i], kernel_.sites);
    site.distance = accesses_.at(group.members[i]).distance - group.extent.low;
    site.narrow = group.root->getType()->isIntegerTy(32);
    if (is_line) site.step = shape.stride, site.shared = static_cast<u8>(shapes_.halves_of(shape));
    if (i + 1 < group.members.size()) site.next = number(group.members[i + 1]);
  }
  // This is hardly ever run, and should not be long.
  if (warps() > 1) name_warp(0);
  if (is_all(mask)) {
    hand_over(builder_.getInt64(~u64{0}), offsetof(Context, team_lanes), 0);
  } else {
    for (unsigned h = 0; h < halves_; ++h)
      hand_over(builder_.CreateBitCast(mask[h], builder_.getIntNTy(kHalf)),
                offsetof(Context, team_lanes), h);
  }
  for (unsigned h = 0; h < halves_; ++h) {
    if (!is_line) {
      llvm::Value* lanes = further(all_here(group.root, h), group.extent.low);
      hand_over(lanes, offsetof(Context, addresses), h);
    } else if (h % shapes_.halves_of(shape) == 0) {
      hand_over(further(first(group.root, h), group.extent.low), offsetof(Context, lines),
                h / shapes_.halves_of(shape));
    }
  }
  call_helper(is_line ? HelperId::check_line : HelperId::check_access,
              builder_.getInt32(number(group.members[0])));
}

/// Of what has a pattern: the value of the half's first lane, by scalar instructions.
llvm::Value* Vectorizer::first_lane(llvm::Value* value, unsigned half) {
  if (llvm::isa<llvm::Constant>(value) || shapes_.of(value).is_affine()) return first(value, half);
  llvm::Instruction* copy = llvm::cast<llvm::Instruction>(value)->clone();
  copy->dropPoisonGeneratingFlags();
  for (llvm::Use& operand : copy->operands()) operand.set(first_lane(operand.get(), half));
  return builder_.Insert(copy);
}

/// Goes on where all of the group is legal for the lanes of the mask: its host addresses are known
/// then.
void Vectorizer::check(Group& group, const Halves& mask) {
  const Site& site = site_of(*group.members[0]);
  const u64 align = u64{site.bytes} * site.count;
  const Shape shape = shapes_.of(group.root);
  Halves from{};                                     // the first one's addresses
  std::vector<std::pair<llvm::Value*, u64>> pieces;  // scalar addresses, and bytes from there
  const auto is_there = [&](unsigned part) { return any(mask, part, shapes_.halves_of(shape)); };
  const auto somewhere = [&] {
    llvm::Value* address = first(group.root, 0);
    for (unsigned h = shapes_.halves_of(shape); h < halves_; h += shapes_.halves_of(shape))
      address = builder_.CreateSelect(is_there(h), first(group.root, h), address);
    return address;
  };
  switch (group.way) {
    case Way::one:
      from[0] = further(first(group.root), group.extent.low);
      pieces = {{from[0], group.extent.bytes}};
      break;
    case Way::only:
      for (std::size_t i = 0; i < lanes_here_.size(); ++i) {
        from[i] = further(of_lane(group.root, lanes_here_[i]), group.extent.low);
        pieces.emplace_back(from[i], group.extent.bytes);
      }
      break;
    case Way::parts:
      for (unsigned h = 0; h < halves_; h += shapes_.halves_of(shape)) {
        llvm::Value* address = first(group.root, h);
        // A part of which no lane is there reads what another one does.
        if (!is_all(mask)) address = builder_.CreateSelect(is_there(h), address, somewhere());
        from[h] = further(address, group.extent.low);
        pieces.emplace_back(from[h], group.extent.bytes);
      }
      break;
    case Way::line:
    case Way::apart:
    case Way::spread: {
      const u64 reach = static_cast<u64>(shapes_.reach(shape));
      for (unsigned h = 0; h < halves_; ++h) {
        from[h] = further(first(group.root, h), group.extent.low);
        if (h % shapes_.halves_of(shape) == 0)
          pieces.emplace_back(from[h], group.extent.bytes + reach);
      }
      break;
    }
    case Way::pattern:
      for (unsigned h = 0; h < halves_; ++h) {
        const auto lanes = of_half(group.offsets, h);
        const auto [least, largest] = std::ranges::minmax(lanes);
        from[h] = further(first_lane(group.root, h),
                          group.extent.low + static_cast<u64>(least - lanes[0]));
        pieces.emplace_back(from[h], group.extent.bytes + static_cast<u64>(largest - least));
      }
      break;
    case Way::scattered:
      if (may_be_line(group)) return find_line(group, mask);
      // What is made lane by lane is checked so, too.
      if (site.space == ir::Space::local ||
          llvm::any_of(group.members, [&](const auto* one) { return is_made_at_once(*one, mask); }))
        check_scattered(group, mask);
      return;
  }
  for (unsigned h = 0; h < halves_; ++h) {
    if (from[h]) group.at[h] = host(site, from[h]);
  }
  const bool widened = group.way == Way::line && !shape.widened.empty();
  llvm::Value* straight = widened ? no_wrap(shape) : builder_.getTrue();
  if (!always_fits(group)) {
    straight = in_a_window(site, [&](const Window& window) {
      llvm::Value* all = straight;
      for (const auto& [address, bytes] : pieces)
        all = builder_.CreateAnd(all, fits(window.base, window.size, address, bytes, align));
      return all;
    });
  } else if (!widened) {
    return;
  }
  if (widened) {
    group.straight = straight;
    if (is_partial(group, mask)) {
      Block *before = builder_.GetInsertBlock(), *behind = new_block("behind");
      Block* partly = new_block("partly");
      expect(builder_.CreateCondBr(group.straight, behind, partly));
      go_to(partly);
      const auto [begin, fit] = active_line(group, mask);
      llvm::Value* at = host(site, begin);
      builder_.CreateBr(behind);
      go_to(behind);
      const auto meet = [&](llvm::Value* whole, llvm::Value* part) {
        llvm::PHINode* phi = builder_.CreatePHI(whole->getType(), 2);
        phi->addIncoming(whole, before);
        phi->addIncoming(part, partly);
        return phi;
      };
      group.at[0] = meet(group.at[0], at);
      group.straight = meet(builder_.getTrue(), fit);
      for (unsigned h = 1; h < halves_; ++h)
        group.at[h] = builder_.CreateAdd(group.at[0], builder_.getInt64(h * kHalf * align));
    }
    return;
  }
  Block *legal = new_block("legal"), *outside = new_block("outside");
  expect(builder_.CreateCondBr(straight, legal, outside));
  go_to(outside);
  if (is_partial(group, mask)) {
    outside = new_block("outside");
    expect(builder_.CreateCondBr(active_line(group, mask).second, legal, outside));
    go_to(outside);
  }
  ask(group, mask);
  builder_.CreateBr(legal);
  go_to(legal);
}

/// At the ends of shared memory, some lanes of a warp are a common thing: `if (lane < warps)` and
/// `if (thread >= offset) ... [thread - offset]`.
bool Vectorizer::is_partial(const Group& group, const Halves& mask) const {
  return site_of(*group.members[0]).space == ir::Space::shared && group.way == Way::line &&
         !is_all(mask) && shapes_.of(group.root).kind == Shape::Kind::team;
}

/// The address from which the lanes of the mask lie in a line, as if lane 0 were there; and whether
/// they do, and all that lies between the first and the last of them is shared memory.
std::pair<llvm::Value*, llvm::Value*> Vectorizer::active_line(const Group& group,
                                                              const Halves& mask) {
  const Site& site = site_of(*group.members[0]);
  llvm::Type* wide = builder_.getInt64Ty();
  const u64 align = u64{site.bytes} * site.count;
  const auto number = [&](llvm::Intrinsic::ID id) {
    return builder_.CreateZExt(
        builder_.CreateBinaryIntrinsic(id, team_mask(mask), builder_.getTrue()), wide);
  };
  llvm::Value* low = number(llvm::Intrinsic::cttz);
  llvm::Value* high =
      builder_.CreateSub(builder_.getInt64(shapes_.team() - 1), number(llvm::Intrinsic::ctlz));
  llvm::Value* step = builder_.getInt64(align);
  llvm::Value* begin = further(of_lane(group.root, low), group.extent.low);
  llvm::Value* span = builder_.CreateMul(builder_.CreateSub(high, low), step);
  llvm::Value* bytes = builder_.CreateAdd(span, builder_.getInt64(group.extent.bytes));
  llvm::Value* size = windows(site)[0].size;
  llvm::Value* fits =
      builder_.CreateAnd(builder_.CreateICmpULE(bytes, size),
                         builder_.CreateICmpULE(begin, builder_.CreateSub(size, bytes)));
  llvm::Value* off = builder_.CreateAnd(begin, builder_.getInt64(align - 1));
  fits = builder_.CreateAnd(fits, builder_.CreateICmpEQ(off, builder_.getInt64(0)));
  if (!shapes_.of(group.root).widened.empty()) {
    llvm::Value* last = further(of_lane(group.root, high), group.extent.low);
    fits = builder_.CreateAnd(fits, builder_.CreateICmpEQ(last, builder_.CreateAdd(begin, span)));
  }
  return {builder_.CreateSub(begin, builder_.CreateMul(low, step)), fits};
}

/// Whether lanes whose addresses may lie anyhow often lie in a line after all, as with indices that
/// were divided, or taken modulo a row, or in a loop that lanes may begin in different rounds: then
/// it is asked when it runs. What was read seldom does, and of some it is known that they do not.
bool Vectorizer::may_be_line(const Group& group) const {
  return site_of(*group.members[0]).space != ir::Space::local &&
         !shapes_.of(group.root).is_affine() && !comes_from_memory(group.root, shapes_);
}

/// Group::straight: whether the lanes of each half lie in a line, and all of it is legal. Nothing
/// is known of the lanes else.
void Vectorizer::find_line(Group& group, const Halves& mask) {
  const Site& site = site_of(*group.members[0]);
  const u64 align = u64{site.bytes} * site.count;
  llvm::Type* type = group.root->getType();
  llvm::Value* every = nullptr;
  Halves from{}, absent{};
  for (unsigned h = 0; h < halves_; ++h) {
    // Lanes that do not come may have any address, the first one as well.
    llvm::Value* lanes = all_here(group.root, h);
    if (!is_all(mask)) lanes = builder_.CreateFreeze(lanes);
    llvm::Value* begin = builder_.CreateExtractElement(lanes, u64{0});
    llvm::Value* line = builder_.CreateAdd(splat(begin), ramp(type, static_cast<s64>(align)));
    llvm::Value* there = builder_.CreateICmpEQ(lanes, line);
    if (!is_all(mask)) {
      there = builder_.CreateOr(there, builder_.CreateNot(mask[h]));
      absent[h] = builder_.CreateNot(any(mask, h, 1));
    }
    every = every ? builder_.CreateAnd(every, there) : there;
    from[h] = further(begin, group.extent.low);
    group.at[h] = host(site, from[h]);
  }
  llvm::Type* word = builder_.getIntNTy(kHalf);
  group.straight = builder_.CreateICmpEQ(builder_.CreateBitCast(every, word),
                                         llvm::Constant::getAllOnesValue(word));
  if (always_fits(group)) return;
  llvm::Value* fit = in_a_window(site, [&](const Window& window) {
    llvm::Value* all = nullptr;
    for (unsigned h = 0; h < halves_; ++h) {
      llvm::Value* one =
          fits(window.base, window.size, from[h], group.extent.bytes + (kHalf - 1) * align, align);
      if (absent[h]) one = builder_.CreateOr(one, absent[h]);
      all = all ? builder_.CreateAnd(all, one) : one;
    }
    return all;
  });
  group.straight = builder_.CreateAnd(group.straight, fit);
}

/// The same where each lane has an address of its own.
void Vectorizer::check_scattered(Group& group, const Halves& mask) {
  const Site& site = site_of(*group.members[0]);
  const u64 align = u64{site.bytes} * site.count;
  llvm::Type* type = group.root->getType();
  // 32 bits of shared memory stay so: pointer() adds them to where it begins.
  const bool narrow = type->isIntegerTy(32);
  for (unsigned h = 0; h < halves_; ++h) {
    llvm::Value* lanes = all_here(group.root, h);
    group.at[h] =
        narrow ? builder_.CreateAdd(lanes, splat(llvm::ConstantInt::get(type, group.extent.low)))
               : further(lanes, group.extent.low);
  }
  const auto finish = [&] {
    for (unsigned h = 0; h < halves_ && !narrow; ++h) group.at[h] = host(site, group.at[h]);
  };
  if (always_fits(group)) return finish();
  Halves left = mask;  // in none of the windows so far
  llvm::Value* fit = in_a_window(site, [&](const Window& window) {
    for (unsigned h = 0; h < halves_; ++h) {
      llvm::Value* in_this = fits(window.base, window.size, group.at[h], group.extent.bytes, align);
      left[h] = builder_.CreateSelect(left[h], builder_.CreateNot(in_this), none()[h]);
    }
    return builder_.CreateNot(any(left));
  });
  Block* illegal = new_block("illegal");
  Block* legal = new_block("legal");
  expect(builder_.CreateCondBr(fit, legal, illegal));
  go_to(illegal);
  ask(group, mask);
  builder_.CreateBr(legal);
  go_to(legal);
  finish();
}

/// The group of the access, checked, and where in it the access is.
std::pair<Vectorizer::Group*, u64> Vectorizer::checked(llvm::CallInst& call, const Halves& mask) {
  if (!accesses_.count(&call))
    open_group(call, way_of(call, root_of(call.getArgOperand(1), site_of(call).space).first));
  const Access& access = accesses_.at(&call);
  if (!access.group->at[0]) check(*access.group, mask);
  return {access.group, access.distance - access.group->extent.low};
}

}  // namespace heddle::jit
