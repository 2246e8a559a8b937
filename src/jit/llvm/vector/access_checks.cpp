// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "jit/llvm/vector/access_checks.h"

#include <llvm/IR/Instructions.h>
#include <llvm/IR/Intrinsics.h>

#include <algorithm>
#include <bit>

#include "base/check.h"
#include "jit/llvm/analysis/branch_weights.h"
#include "jit/llvm/analysis/pattern.h"

namespace heddle::jit {
namespace {

/// Whether that in which the lanes' values differ is computed from memory, or from more than 64
/// instructions.
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

/// Whether every address of the group is known to lie in its window and to be aligned, from the
/// ranges of thread numbers, constants and loop counters that it is computed from.
bool AccessChecks::always_fits(const AccessGroup& group) {
  const Site& site = site_of(*group.members[0]);
  u64 room = 0;
  if (site.space == ir::Space::shared) room = function_.kernel.shared_bytes;
  if (site.space == ir::Space::local && !function_.kernel.has_room())
    room = function_.kernel.local_size();
  const auto most = static_cast<s64>(room), low = static_cast<s64>(group.extent.low);
  if (group.extent.bytes > room || low <= -most || low >= most) return false;
  // BoundsAnalysis takes a mutable instruction, but changes nothing.
  auto& first = const_cast<llvm::CallInst&>(*group.members[0]);
  const Bounds root = bounds_.of(group.root, first);
  const auto zeros = static_cast<unsigned>(std::countr_zero(u64{site.bytes} * site.count));
  const bool aligned =
      root.zeros >= zeros && static_cast<unsigned>(std::countr_zero(group.extent.low)) >= zeros;
  return aligned && root.largest <= room && static_cast<s64>(root.least) + low >= 0 &&
         static_cast<s64>(root.largest) + low + static_cast<s64>(group.extent.bytes) <= most;
}

void AccessChecks::check_lane(const Site& site, const AccessGroup& group, llvm::Value* address,
                              llvm::function_ref<void()> illegal) {
  if (always_fits(group)) return;
  Block *legal = new_block("legal"), *ask_there = new_block("illegal");
  llvm::Value* fit = windows_.in_a_window(site, [&](const Window& window) {
    return windows_.fits(window, address, group.extent.bytes, group.extent.bytes);
  });
  expect(builder_.CreateCondBr(fit, legal, ask_there));
  go_to(ask_there);
  illegal();
  builder_.CreateBr(legal);
  go_to(legal);
}

void AccessChecks::check_in_runtime(const AccessGroup& group, const Halves& mask) {
  // The run-time finds the members of the group by Site::next.
  const auto number = [&](const llvm::CallInst* call) {
    return static_cast<u32>(llvm::cast<llvm::ConstantInt>(call->getArgOperand(0))->getZExtValue());
  };
  const Shape shape = shapes_.of(group.root);
  const bool is_line = shape.is_affine() && shape.widened.empty();
  for (std::size_t i = 0; i < group.members.size(); ++i) {
    Site& site = jit::site_of(*group.members[i], function_.kernel.sites);
    site.distance = groups_.distance_of(*group.members[i]) - group.extent.low;
    site.narrow = group.root->getType()->isIntegerTy(32);
    if (is_line) site.step = shape.stride, site.shared = static_cast<u8>(shapes_.halves_of(shape));
    if (i + 1 < group.members.size()) site.next = number(group.members[i + 1]);
  }
  // This is hardly ever executed, and should be short.
  if (function_.warps() > 1) function_.publish_warp(0);
  if (masks_.is_all(mask)) {
    runtime_.hand_over(builder_.getInt64(~u64{0}), offsetof(Context, team_lanes), 0);
  } else {
    for (unsigned h = 0; h < halves_; ++h)
      runtime_.hand_over(builder_.CreateBitCast(mask[h], builder_.getIntNTy(kHalf)),
                         offsetof(Context, team_lanes), h);
  }
  for (unsigned h = 0; h < halves_; ++h) {
    if (!is_line) {
      llvm::Value* lanes = windows_.advanced(values_.vector_here(group.root, h), group.extent.low);
      runtime_.hand_over(lanes, offsetof(Context, addresses), h);
    } else if (h % shapes_.halves_of(shape) == 0) {
      runtime_.hand_over(windows_.advanced(values_.scalar(group.root, h), group.extent.low),
                         offsetof(Context, lines), h / shapes_.halves_of(shape));
    }
  }
  runtime_.call(is_line ? HelperId::check_line : HelperId::check_access,
                builder_.getInt32(number(group.members[0])));
}

/// The memory that a group with known layout accesses.
AccessChecks::Spans AccessChecks::spans_of(const AccessGroup& group, const ActiveLanes& active) {
  const Halves& mask = active.mask;
  const Shape shape = shapes_.of(group.root);
  Spans spans;
  Halves& from = spans.from;
  const auto is_there = [&](unsigned part) {
    return masks_.any(mask, part, shapes_.halves_of(shape));
  };
  const auto somewhere = [&] {
    llvm::Value* address = values_.scalar(group.root, 0);
    for (unsigned h = shapes_.halves_of(shape); h < halves_; h += shapes_.halves_of(shape))
      address = builder_.CreateSelect(is_there(h), values_.scalar(group.root, h), address);
    return address;
  };
  switch (group.layout) {
    case Layout::uniform:
      from[0] = windows_.advanced(values_.scalar(group.root), group.extent.low);
      spans.pieces = {{from[0], group.extent.bytes}};
      break;
    case Layout::known_lanes:
      for (std::size_t i = 0; i < active.known.size(); ++i) {
        from[i] = windows_.advanced(values_.lane(group.root, active.known[i]), group.extent.low);
        spans.pieces.emplace_back(from[i], group.extent.bytes);
      }
      break;
    case Layout::uniform_parts:
      for (unsigned h = 0; h < halves_; h += shapes_.halves_of(shape)) {
        llvm::Value* address = values_.scalar(group.root, h);
        // A part without an active lane reads the address of another part.
        if (!masks_.is_all(mask))
          address = builder_.CreateSelect(is_there(h), address, somewhere());
        from[h] = windows_.advanced(address, group.extent.low);
        spans.pieces.emplace_back(from[h], group.extent.bytes);
      }
      break;
    case Layout::consecutive:
    case Layout::interleaved:
    case Layout::strided: {
      const u64 reach = static_cast<u64>(shapes_.reach(shape));
      for (unsigned h = 0; h < halves_; ++h) {
        from[h] = windows_.advanced(values_.scalar(group.root, h), group.extent.low);
        if (h % shapes_.halves_of(shape) == 0)
          spans.pieces.emplace_back(from[h], group.extent.bytes + reach);
      }
      break;
    }
    case Layout::permuted:
      for (unsigned h = 0; h < halves_; ++h) {
        const auto lanes = of_half(group.offsets, h);
        const auto [least, largest] = std::ranges::minmax(lanes);
        from[h] = windows_.advanced(values_.scalar_of_first_lane(group.root, h),
                                    group.extent.low + static_cast<u64>(least - lanes[0]));
        spans.pieces.emplace_back(from[h], group.extent.bytes + static_cast<u64>(largest - least));
      }
      break;
    case Layout::scattered:
      HEDDLE_UNREACHABLE();
  }
  return spans;
}

void AccessChecks::check(AccessGroup& group, const ActiveLanes& active) {
  const Halves& mask = active.mask;
  const Site& site = site_of(*group.members[0]);
  if (group.layout == Layout::scattered) {
    if (may_be_consecutive(group)) return test_consecutive(group, mask);
    // Accesses that are made lane by lane are checked lane by lane.
    if (site.space == ir::Space::local ||
        llvm::any_of(group.members, [&](const auto* one) { return is_gathered(*one, mask); }))
      check_scattered(group, mask);
    return;
  }
  const Shape shape = shapes_.of(group.root);
  const Spans spans = spans_of(group, active);
  for (unsigned h = 0; h < halves_; ++h) {
    if (spans.from[h]) group.host[h] = windows_.host_address(site, spans.from[h]);
  }
  const bool widened = group.layout == Layout::consecutive && !shape.widened.empty();
  llvm::Value* holds = widened ? values_.no_wrap(shape) : builder_.getTrue();
  if (!always_fits(group)) {
    holds = windows_.in_a_window(site, [&](const Window& window) {
      llvm::Value* all = holds;
      for (const auto& [address, bytes] : spans.pieces)
        all = builder_.CreateAnd(
            all, windows_.fits(window, address, bytes, u64{site.bytes} * site.count));
      return all;
    });
  } else if (!widened) {
    return;
  }
  if (widened) {
    group.consecutive = holds;
    if (is_partial(group, mask)) test_partial(group, mask);
  } else {
    trap_unless(holds, group, mask);
  }
}

/// Where the group is not consecutive or not legal as a whole: tests its active lanes alone.
void AccessChecks::test_partial(AccessGroup& group, const Halves& mask) {
  const Site& site = site_of(*group.members[0]);
  const u64 step = u64{site.bytes} * site.count;
  Block *before = builder_.GetInsertBlock(), *behind = new_block("behind");
  Block* partly = new_block("partly");
  expect(builder_.CreateCondBr(group.consecutive, behind, partly));
  go_to(partly);
  const auto [begin, fit] = active_range(group, mask);
  llvm::Value* at = windows_.host_address(site, begin);
  builder_.CreateBr(behind);
  go_to(behind);
  const auto join = [&](llvm::Value* whole, llvm::Value* part) {
    llvm::PHINode* phi = builder_.CreatePHI(whole->getType(), 2);
    phi->addIncoming(whole, before);
    phi->addIncoming(part, partly);
    return phi;
  };
  group.host[0] = join(group.host[0], at);
  group.consecutive = join(builder_.getTrue(), fit);
  for (unsigned h = 1; h < halves_; ++h)
    group.host[h] = builder_.CreateAdd(group.host[0], builder_.getInt64(h * kHalf * step));
}

/// Continues where the group is legal as a whole, or its active lanes are; elsewhere the run-time
/// traps.
void AccessChecks::trap_unless(llvm::Value* holds, const AccessGroup& group, const Halves& mask) {
  Block *legal = new_block("legal"), *outside = new_block("outside");
  expect(builder_.CreateCondBr(holds, legal, outside));
  go_to(outside);
  if (is_partial(group, mask)) {
    outside = new_block("outside");
    expect(builder_.CreateCondBr(active_range(group, mask).second, legal, outside));
    go_to(outside);
  }
  check_in_runtime(group, mask);
  builder_.CreateBr(legal);
  go_to(legal);
}

/// Whether only some lanes of a consecutive group in shared memory are active, as is common at its
/// ends: `if (lane < warps)`, or `if (thread >= offset) ... [thread - offset]`.
bool AccessChecks::is_partial(const AccessGroup& group, const Halves& mask) const {
  return site_of(*group.members[0]).space == ir::Space::shared &&
         group.layout == Layout::consecutive && !masks_.is_all(mask) &&
         shapes_.of(group.root).kind == Shape::Kind::team;
}

/// For the active lanes alone: the address that lane 0 would have, and (i1) whether they are
/// consecutive and all from the first to the last of them lies in shared memory.
std::pair<llvm::Value*, llvm::Value*> AccessChecks::active_range(const AccessGroup& group,
                                                                 const Halves& mask) {
  const Site& site = site_of(*group.members[0]);
  llvm::Type* wide = builder_.getInt64Ty();
  const u64 align = u64{site.bytes} * site.count;
  const auto number = [&](llvm::Intrinsic::ID id) {
    return builder_.CreateZExt(
        builder_.CreateBinaryIntrinsic(id, masks_.team_bits(mask), builder_.getTrue()), wide);
  };
  llvm::Value* low = number(llvm::Intrinsic::cttz);
  llvm::Value* high =
      builder_.CreateSub(builder_.getInt64(shapes_.team() - 1), number(llvm::Intrinsic::ctlz));
  llvm::Value* step = builder_.getInt64(align);
  llvm::Value* begin = windows_.advanced(values_.lane(group.root, low), group.extent.low);
  llvm::Value* span = builder_.CreateMul(builder_.CreateSub(high, low), step);
  llvm::Value* bytes = builder_.CreateAdd(span, builder_.getInt64(group.extent.bytes));
  llvm::Value* size = windows_.of(site)[0].size;
  llvm::Value* fits =
      builder_.CreateAnd(builder_.CreateICmpULE(bytes, size),
                         builder_.CreateICmpULE(begin, builder_.CreateSub(size, bytes)));
  llvm::Value* off = builder_.CreateAnd(begin, builder_.getInt64(align - 1));
  fits = builder_.CreateAnd(fits, builder_.CreateICmpEQ(off, builder_.getInt64(0)));
  if (!shapes_.of(group.root).widened.empty()) {
    llvm::Value* last = windows_.advanced(values_.lane(group.root, high), group.extent.low);
    fits = builder_.CreateAnd(fits, builder_.CreateICmpEQ(last, builder_.CreateAdd(begin, span)));
  }
  return {builder_.CreateSub(begin, builder_.CreateMul(low, step)), fits};
}

/// Indices that were divided, or taken modulo a row, or that come from a loop which lanes enter in
/// different rounds, are consecutive often enough to test it at run time. Addresses computed from
/// loaded values seldom are.
bool AccessChecks::may_be_consecutive(const AccessGroup& group) const {
  return site_of(*group.members[0]).space != ir::Space::local &&
         !shapes_.of(group.root).is_affine() && !comes_from_memory(group.root, shapes_);
}

/// Sets AccessGroup::consecutive: whether the lanes of each half are consecutive, and all of them
/// legal. Nothing else is known of the lanes.
void AccessChecks::test_consecutive(AccessGroup& group, const Halves& mask) {
  const Site& site = site_of(*group.members[0]);
  const u64 align = u64{site.bytes} * site.count;
  llvm::Type* type = group.root->getType();
  llvm::Value* every = nullptr;
  Halves from{}, absent{};
  for (unsigned h = 0; h < halves_; ++h) {
    // Inactive lanes may have any address, the first lane too.
    llvm::Value* lanes = values_.vector_here(group.root, h);
    if (!masks_.is_all(mask)) lanes = builder_.CreateFreeze(lanes);
    llvm::Value* begin = builder_.CreateExtractElement(lanes, u64{0});
    llvm::Value* line =
        builder_.CreateAdd(splat(begin), step_vector(type, static_cast<s64>(align)));
    llvm::Value* there = builder_.CreateICmpEQ(lanes, line);
    if (!masks_.is_all(mask)) {
      there = builder_.CreateOr(there, builder_.CreateNot(mask[h]));
      absent[h] = builder_.CreateNot(masks_.any(mask, h, 1));
    }
    every = every ? builder_.CreateAnd(every, there) : there;
    from[h] = windows_.advanced(begin, group.extent.low);
    group.host[h] = windows_.host_address(site, from[h]);
  }
  llvm::Type* word = builder_.getIntNTy(kHalf);
  group.consecutive = builder_.CreateICmpEQ(builder_.CreateBitCast(every, word),
                                            llvm::Constant::getAllOnesValue(word));
  if (always_fits(group)) return;
  llvm::Value* fit = windows_.in_a_window(site, [&](const Window& window) {
    llvm::Value* all = nullptr;
    for (unsigned h = 0; h < halves_; ++h) {
      llvm::Value* one =
          windows_.fits(window, from[h], group.extent.bytes + (kHalf - 1) * align, align);
      if (absent[h]) one = builder_.CreateOr(one, absent[h]);
      all = all ? builder_.CreateAnd(all, one) : one;
    }
    return all;
  });
  group.consecutive = builder_.CreateAnd(group.consecutive, fit);
}

void AccessChecks::check_scattered(AccessGroup& group, const Halves& mask) {
  const Site& site = site_of(*group.members[0]);
  const u64 align = u64{site.bytes} * site.count;
  llvm::Type* type = group.root->getType();
  // Addresses of 32 bits in shared memory stay: windows_.pointer() adds the base.
  const bool narrow = type->isIntegerTy(32);
  for (unsigned h = 0; h < halves_; ++h) {
    llvm::Value* lanes = values_.vector_here(group.root, h);
    group.host[h] =
        narrow ? builder_.CreateAdd(lanes, splat(llvm::ConstantInt::get(type, group.extent.low)))
               : windows_.advanced(lanes, group.extent.low);
  }
  const auto finish = [&] {
    for (unsigned h = 0; h < halves_ && !narrow; ++h)
      group.host[h] = windows_.host_address(site, group.host[h]);
  };
  if (always_fits(group)) return finish();
  Halves left = mask;  // whose addresses are in no window so far
  llvm::Value* fit = windows_.in_a_window(site, [&](const Window& window) {
    for (unsigned h = 0; h < halves_; ++h) {
      llvm::Value* in_this = windows_.fits(window, group.host[h], group.extent.bytes, align);
      left[h] = builder_.CreateSelect(left[h], builder_.CreateNot(in_this), masks_.none()[h]);
    }
    return builder_.CreateNot(masks_.any(left));
  });
  Block* illegal = new_block("illegal");
  Block* legal = new_block("legal");
  expect(builder_.CreateCondBr(fit, legal, illegal));
  go_to(illegal);
  check_in_runtime(group, mask);
  builder_.CreateBr(legal);
  go_to(legal);
  finish();
}

bool AccessChecks::is_gathered(const llvm::CallInst& call, const Halves& mask) const {
  return processor_.has_gather(call, site_of(call)) ||
         (masks_.is_all(mask) && shapes_.of(call.getArgOperand(1)).is_affine());
}

std::pair<AccessGroup*, u64> AccessChecks::checked(const llvm::CallInst& call,
                                                   const ActiveLanes& active) {
  const auto [group, distance] = groups_.of(call, active);
  if (!group->host[0]) check(*group, active);
  return {group, distance - group->extent.low};
}

}  // namespace heddle::jit
