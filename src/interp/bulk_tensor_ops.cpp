// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "interp/bulk_tensor_ops.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cstring>
#include <span>

#include "interp/mbarrier_ops.h"
#include "interp/windows.h"
#include "machine/engine.h"
#include "machine/tensor_copy.h"
#include "machine/tensor_map_text.h"
#include "machine/trap.h"

namespace heddle::interp {

using isa::LoadMode;
using machine::TrapKind;
using sem::TensorBoxFault;
using sem::TensorMapFault;

namespace {

constexpr u32 kMostCoordinates = 5, kMostInfo = 3;

/// A map that was read, and its words.
struct ReadMap {
  sem::TensorMapWords words = {};
  sem::TensorMap map;
  TensorMapFault fault = TensorMapFault::box;  ///< of zero words
};

sem::TensorLimits limits_of(const Op& op) {
  return static_cast<sem::TensorLimits>(op.runtime[kLimits]);
}

/// The operands of a lane.
struct Access {
  const ReadMap* read;
  s32 coordinates[kMostCoordinates];
  u16 info[kMostInfo];
  u32 info_count;

  const sem::TensorMap& map() const { return read->map; }
  sem::TensorOperands operands(const Op& op) const {
    return {static_cast<LoadMode>(op.runtime[0]), op.runtime[1], coordinates,
            info_count ? info : nullptr, limits_of(op)};
  }
};

u32 info_count_of(const Op& op) {
  switch (static_cast<LoadMode>(op.runtime[0])) {
    case LoadMode::im2col:
      return op.runtime[1] - 2u;
    case LoadMode::im2col_w:
    case LoadMode::im2col_w_128:
      return 2;
    default:
      return 0;
  }
}

void read_operands(const Warp& warp, const Op& op, u32 lane, Access& access) {
  for (u32 i = 0; i < op.count; ++i) access.coordinates[i] = warp.at<const s32>(op.list[i])[lane];
  access.info_count = info_count_of(op);
  for (u32 i = 0; i < access.info_count; ++i)
    access.info[i] = warp.at<const u16>(op.list[op.count + i])[lane];
}

/// Reads the map. Taking the words apart takes longer than comparing them, and a kernel has few
/// maps, so the thread keeps the last ones.
const ReadMap& read_map(Warp& warp, u32 lane, u64 host) {
  constexpr u64 kKept = 4;
  thread_local ReadMap kept[kKept];
  check_global(warp, lane, host, sem::kTensorMapBytes, sem::kTensorMapAlignment);
  sem::TensorMapWords words;
  std::memcpy(words, reinterpret_cast<const void*>(host), sizeof words);
  ReadMap& read = kept[host / sem::kTensorMapBytes % kKept];
  if (std::memcmp(words, read.words, sizeof words) == 0) return read;
  std::memcpy(read.words, words, sizeof words);
  read.map = sem::unpack_tensor_map(words);
  read.fault = tensor_map_fault(words, read.map);
  return read;
}

std::string_view name_of(sem::TensorMode mode) {
  constexpr std::string_view kNames[] = {"tile", "im2col", "im2col::w", "im2col::w::128"};
  return kNames[static_cast<u8>(mode)];
}

std::string explain(TensorBoxFault fault, const sem::TensorMap& map, const Op& op) {
  switch (fault) {
    case TensorBoxFault::none:
      break;
    case TensorBoxFault::mode:
      return fmt::format("the map is for mode {}, the instruction has {}", name_of(map.mode),
                         name_of(sem::mode_of_map(static_cast<LoadMode>(op.runtime[0]))));
    case TensorBoxFault::rank:
      return fmt::format("the map has {} dimensions, the instruction {}", map.rank, op.runtime[1]);
    case TensorBoxFault::gathered_box:
      return fmt::format("the box has {} rows; gather4 and scatter4 need a box with one",
                         map.box[1]);
    case TensorBoxFault::column:
      return fmt::format("the first coordinate must be a multiple of {} with this type",
                         column_unit(map.type, limits_of(op)));
    case TensorBoxFault::halo:
      return "wHalo must be less than 512, or 32 with im2col::w::128, and wOffset less than 32";
  }
  return {};
}

[[noreturn]] void refuse(Warp& warp, u32 lane, const u64* map, std::string why) {
  raise_trap(warp, TrapKind::tensor_map, lane, map, std::move(why));
}

/// The box of a lane; traps if there is none.
sem::TensorBox box_of(Warp& warp, const Op& op, u32 lane, Access& access) {
  const u64 host = address_of(warp, op, 0, lane);
  if (warp.in_shared_window(host)) {
    refuse(warp, lane, &host,
           "the tensor map must be in global or constant memory, or a parameter");
  }
  access.read = &read_map(warp, lane, host);
  read_operands(warp, op, lane, access);
  const sem::TensorLimits limits = limits_of(op);
  const TensorMapFault of_map = has_short_rows(access.map().type, limits)
                                    ? tensor_map_fault(access.read->words, access.map(), limits)
                                    : access.read->fault;
  if (of_map != TensorMapFault::none)
    refuse(warp, lane, &host, machine::describe(of_map, access.map(), limits));
  const sem::TensorOperands operands = access.operands(op);
  if (const TensorBoxFault fault = tensor_box_fault(access.map(), operands);
      fault != TensorBoxFault::none)
    refuse(warp, lane, &host, explain(fault, access.map(), op));
  return tensor_box(access.map(), operands);
}

void check_box(Warp& warp, u32 lane, const sem::TensorBox& box, u64 host) {
  check_shared(warp, lane, host, 0, sem::kTensorBoxAlignment);
  const machine::SharedExtent extent = machine::shared_extent(box, host);
  check_shared(warp, lane, extent.begin, extent.bytes, 1);
}

void check_reached(Warp& warp, const Op& op, u32 lane, std::optional<u64> beyond) {
  if (beyond)
    raise_trap(warp, TrapKind::illegal_address, lane, &*beyond,
               describe_box(warp, op, lane, *beyond));
}

/// Where a load leaves its box and signals that.
struct Destinations {
  u64 boxes[machine::kLargestCluster], objects[machine::kLargestCluster];
  u32 count = 0;
  void add(u64 box, u64 object) {
    boxes[count] = box;
    objects[count++] = object;
  }
};

void check_ranks(Warp& warp, const Op& op, u32 lane, u64 to, u64 object) {
  if (op.flags & kToOwnWindow) check_own_window(warp, lane, to);
  const u32 rank = rank_of(warp, to), signalled = rank_of(warp, object);
  const bool pair = op.flags & kSignalsPair;
  if (pair ? rank / 2 == signalled / 2 : rank == signalled) return;
  raise_trap(
      warp, TrapKind::illegal_address, lane, &object,
      fmt::format("the mbarrier object is in shared memory of CTA {}, the destination in that of "
                  "CTA {}; {}",
                  signalled, rank,
                  pair ? "`.cta_group::2` needs CTAs of one pair"
                       : "without `.cta_group::2` both must be in the same"));
}

void find_destinations(Warp& warp, const Op& op, u32 lane, u64 to, Destinations& all) {
  const u64 object = address_of(warp, op, 2, lane);
  check_shared(warp, lane, object, 8, 8);
  if (!(op.flags & kToRanksOfMask)) {
    check_ranks(warp, op, lane, to, object);
    return all.add(to, object);
  }
  // With a pair, the object is in the CTA of each pair that is as odd or even as its own.
  const u32 parity = rank_of(warp, object) % 2;
  for_each_rank(warp, lane, warp.at<const u16>(op.src[3])[lane], [&](u32 rank) {
    const u32 signalled = op.flags & kSignalsPair ? rank / 2 * 2 + parity : rank;
    all.add(in_window_of(warp, to, rank), in_window_of(warp, object, signalled));
  });
}

}  // namespace

bool is_bulk_tensor(const Op& op) {
  return op.run == &bulk_tensor_load || op.run == &bulk_tensor_store ||
         op.run == &bulk_tensor_reduce;
}

std::string describe_box(Warp& warp, const Op& op, u32 lane, u64 address) {
  std::string where = machine::describe_address(*warp.memory, address);
  const u64 at = address_of(warp, op, 0, lane);
  // A map without memory behind it cannot be read here either, and one that another thread has
  // overwritten since then says nothing.
  if (address - at < sem::kTensorMapBytes) return "this is where the tensor map begins; " + where;
  Access access;
  access.read = &read_map(warp, lane, at);
  read_operands(warp, op, lane, access);
  const sem::TensorMap& map = access.map();
  if (map.rank > sem::kMostTensorRank) return where;
  const std::span<const u64> dims(map.dims, map.rank);
  const std::string box =
      map.mode == sem::TensorMode::tile
          ? fmt::format("the box {}", fmt::join(std::span(map.box).first(map.rank), " x "))
          : fmt::format("{} pixels of {} channels", map.pixels, map.channels);
  std::string text = fmt::format("{} at coordinates ({}) of the tensor {} at {:#x}", box,
                                 fmt::join(std::span(access.coordinates).first(op.count), ", "),
                                 fmt::join(dims, " x "), map.address);
  if (map.rank > 1) {
    text += fmt::format(", strides of {} bytes",
                        fmt::join(std::span(map.strides).first(map.rank - 1u), ", "));
  }
  return text + "; " + where;
}

void bulk_tensor_load(Warp& warp, const Op& op) {
  for_lane_by_lane(warp, [&](u32 lane) {
    Access access;
    sem::TensorBox box = box_of(warp, op, lane, access);
    const u64 to = address_of(warp, op, 1, lane);
    check_box(warp, lane, box, to);
    Destinations all;
    find_destinations(warp, op, lane, to, all);
    check_reached(warp, op, lane,
                  machine::load_box(*warp.memory, box, std::span(all.boxes).first(all.count)));
    for (u32 i = 0; i < all.count; ++i)
      complete_tx(warp, lane, all.objects[i], static_cast<u32>(box.counted_bytes()));
  });
}

void bulk_tensor_store(Warp& warp, const Op& op) {
  for_lane_by_lane(warp, [&](u32 lane) {
    Access access;
    sem::TensorBox box = box_of(warp, op, lane, access);
    if (box.type == sem::TensorType::b4x16_p64)
      refuse(warp, lane, nullptr, "tensors of type .b4x16_p64 can be loaded only");
    const u64 from = address_of(warp, op, 1, lane);
    check_box(warp, lane, box, from);
    check_reached(warp, op, lane, machine::store_box(*warp.memory, box, from));
  });
}

void bulk_tensor_reduce(Warp& warp, const Op& op) {
  for_lane_by_lane(warp, [&](u32 lane) {
    Access access;
    sem::TensorBox box = box_of(warp, op, lane, access);
    const auto* function =
        machine::tensor_reduction(static_cast<isa::Atomop>(op.runtime[2]), box.type);
    if (!function)
      refuse(warp, lane, nullptr, "the type of the map's elements has no such reduction");
    const u64 from = address_of(warp, op, 1, lane);
    check_box(warp, lane, box, from);
    check_reached(warp, op, lane, machine::reduce_box(*warp.memory, box, from, *function));
  });
}

void bulk_tensor_prefetch(Warp& warp, const Op& op) {
  for_lane_by_lane(warp, [&](u32 lane) {
    Access access;
    box_of(warp, op, lane, access);
  });
}

void tensormap_replace(Warp& warp, const Op& op) {
  for_lane_by_lane(warp, [&](u32 lane) {
    const u64 host = address_of(warp, op, 0, lane);
    if (warp.in_shared_window(host))
      check_shared(warp, lane, host, sem::kTensorMapBytes, sem::kTensorMapAlignment);
    else
      check_global(warp, lane, host, sem::kTensorMapBytes, sem::kTensorMapAlignment);
    u64 value = op.flags & kWideValue ? warp.at<const u64>(op.src[1])[lane]
                                      : warp.at<const u32>(op.src[1])[lane];
    if ((op.flags & kStrideInUnits) || ((op.flags & kStrideMayBeInUnits) && value % 16))
      value *= 16;
    sem::TensorMapWords words;
    std::memcpy(words, reinterpret_cast<const void*>(host), sizeof words);
    sem::replace_in_tensor_map(words, static_cast<isa::MapField>(op.runtime[0]), op.runtime[1],
                               value);
    std::memcpy(reinterpret_cast<void*>(host), words, sizeof words);
  });
}

}  // namespace heddle::interp
