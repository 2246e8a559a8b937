// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The handler table of one CPU level: moves, width changes, packing, address conversions, loads,
// stores and atomics. The lane handlers come from the generated tables. Compiled once per level.
#include "interp/level.h"

#include <algorithm>

#include "interp/level_joined.h"
#include "interp/level_lanes.h"
#include "interp/memory_ops.h"
#include "isa/sem/warp_shuffle.h"

namespace heddle::interp {
inline namespace HEDDLE_LEVEL {
namespace {

template <class T>
constexpr T move(T a) {
  return a;
}
template <class To, class From>
constexpr To resize(From a) {
  if constexpr (std::is_same_v<From, sem::b128>) {
    if constexpr (std::is_same_v<To, sem::b128>)
      return a;
    else
      return static_cast<To>(a.lo);
  } else if constexpr (std::is_same_v<To, sem::b128>) {
    return {static_cast<u64>(a), std::is_signed_v<From> && a < 0 ? ~u64{0} : 0};
  } else {
    return static_cast<To>(a);
  }
}
constexpr bool negate(bool a) { return !a; }

template <class From>
constexpr void fill_resize(Handlers (&row)[kWidths][2]) {
  row[0][std::is_signed_v<From>] = lane<&resize<u8, From>>;
  row[1][std::is_signed_v<From>] = lane<&resize<u16, From>>;
  row[2][std::is_signed_v<From>] = lane<&resize<u32, From>>;
  row[3][std::is_signed_v<From>] = lane<&resize<u64, From>>;
  row[4][std::is_signed_v<From>] = lane<&resize<sem::b128, From>>;
}

/// dst[0], seen as `kCount` elements of W a lane, from the list.
template <class W, u32 kCount>
void pack(Warp& warp, const Op& op) {
  W* out = warp.at<W>(op.dst[0]);
  for (u32 e = 0; e < kCount; ++e) {
    const W* from = warp.at<const W>(op.list[e]);
    for (u32 i = 0; i < kLanes; ++i) {
      out[i * kCount + e] = (warp.mask & kBit[i]) != 0 ? from[i] : out[i * kCount + e];
    }
  }
}
template <class W, u32 kCount>
void unpack(Warp& warp, const Op& op) {
  const W* from = warp.at<const W>(op.src[0]);
  for (u32 e = 0; e < kCount; ++e) {
    Sink<W> sink(registers_of(warp), op.list[e]);
    for (u32 i = 0; i < kLanes; ++i) sink.template set<false>(i, from[i * kCount + e]);
  }
}

template <class T, int kSign>
void convert_address(Warp& warp, const Op& op) {
  const T* from = warp.at<const T>(op.src[0]);
  const WindowShape shape = shape_of(warp, op.window);
  const T base = static_cast<T>(op.window == Window::param ? warp.params : shape.base);
  const T stride = static_cast<T>(shape.stride);
  Sink<T> sink(registers_of(warp), op.dst[0]);
  for (u32 i = 0; i < kLanes; ++i) {
    const T start = static_cast<T>(base + stride * i);
    sink.template set<false>(i, static_cast<T>(kSign > 0 ? from[i] + start : from[i] - start));
  }
}

template <class T>
void is_space(Warp& warp, const Op& op) {
  const T* from = warp.at<const T>(op.src[0]);
  Sink<bool> sink(registers_of(warp), op.dst[0]);
  for (u32 i = 0; i < kLanes; ++i) {
    const u64 address = from[i];
    const bool shared = address - warp.shared_base < warp.shared_window;
    const bool cluster = address - warp.cluster_base < warp.cluster_size;
    const bool local = address - (warp.local_base + warp.local_stride * i) < warp.local_stride;
    const bool constant = address - warp.const_base < warp.const_size;
    const bool param = address - warp.params < warp.params_size;
    bool in = false;
    switch (static_cast<SpaceTest>(op.flags)) {
      case SpaceTest::shared:
        in = shared;
        break;
      case SpaceTest::shared_cluster:
        in = cluster;
        break;
      case SpaceTest::local:
        in = local;
        break;
      case SpaceTest::constant:
        in = constant;
        break;
      case SpaceTest::param:
        in = param;
        break;
      case SpaceTest::global:
        in = !cluster && !local && !constant;  // parameters lie in it (6.4.1.1)
        break;
    }
    sink.template set<false>(i, in);
  }
  sink.template finish<false>();
}

template <class T>
const Op* broadcast(Gang& gang, const Op* op) {
  const T value = static_cast<T>(gang.cta_values[op->offset]);
  for (u32 k = 0; k < gang.count; ++k) {
    T* const to = reinterpret_cast<T*>(gang.frames[k] + op->dst[0]);
    for (u32 i = 0; i < kLanes; ++i) to[i] = value;
  }
  ++op;
  HEDDLE_GO_ON(gang, op);
}

/// Of warps, yet here: its loops need the level's vectors.
template <sem::Shflmode kMode>
void shuffle(Warp& warp, const Op& op) {
  const u32 in_range = sem::shuffle_by<kMode>(
      warp.mask, warp.at<const u32>(op.src[0]), warp.at<const u32>(op.src[1]),
      warp.at<const u32>(op.src[2]), warp.at<u32>(op.dst[0]));
  if (op.dst[1] != kNoPlace) set_predicate(warp, op.dst[1], warp.mask, in_range);
}
template <sem::Shflmode... kMode>
constexpr void fill_shuffle(Level& level) {
  ((level.shuffle[static_cast<u32>(kMode)] = &shuffle<kMode>), ...);
}

template <class T>
void frame_address(Warp& warp, const Op& op) {
  Sink<T> sink(registers_of(warp), op.dst[0]);
  for (u32 i = 0; i < kLanes; ++i)
    sink.template set<false>(i, static_cast<T>(warp.frame_local + op.offset));
}

template <class T, u32 kCount, class A>
constexpr void fill_accesses_by(Level& level, u32 width, u32 count) {
  constexpr bool kWide = sizeof(A) == 8;
  level.usual_load[width][count][kWide] = &full_access<&usual_load<T, kCount, A>>;
  level.usual_store[width][count][kWide] = &full_access<&usual_store<T, kCount, A>>;
  FullHandler(&loads)[3] = level.affine_load[width][count][kWide];
  loads[0] = &affine_load<T, kCount, A, AffineLoad::consecutive>;
  loads[1] = &affine_load<T, kCount, A, AffineLoad::same>;
  loads[2] = &affine_load<T, kCount, A, AffineLoad::lead>;
  level.affine_store[width][count][kWide] = &affine_store<T, kCount, A>;
}

/// Of kCount elements each, as far as there are such accesses (9.7.9.8: 256 bits at most).
template <class T, u32... kCount>
constexpr void fill_accesses(Level& level, u32 width) {
  const auto fill = [&]<u32 kOne>() {
    constexpr u32 kIndex = std::countr_zero(kOne);
    level.load[width][kIndex] = &load<T, kOne>;
    level.store[width][kIndex] = &store<T, kOne>;
    // The few that have 256 bits may take the general way.
    if constexpr (sizeof(T) * kOne <= 16) {
      fill_accesses_by<T, kOne, u32>(level, width, kIndex);
      fill_accesses_by<T, kOne, u64>(level, width, kIndex);
    }
  };
  (fill.template operator()<kCount>(), ...);
}

#ifdef HEDDLE_BASELINE_LEVEL
template <sem::Atomop kOp, class T>
constexpr Handlers atom_handler() {
  if constexpr (sem::kHasAtomForm<kOp, T>)
    return &atom<kOp, T>;
  else
    return nullptr;
}

template <sem::Atomop kOp>
constexpr void fill_atoms(Level& level) {
  Handlers* row = level.atom[static_cast<u32>(kOp)];
  row[0] = atom_handler<kOp, u16>();
  row[1] = atom_handler<kOp, u32>();
  row[2] = atom_handler<kOp, s32>();
  row[3] = atom_handler<kOp, u64>();
  row[4] = atom_handler<kOp, s64>();
  row[5] = atom_handler<kOp, sem::f32>();
  row[6] = atom_handler<kOp, sem::f64>();
  row[7] = atom_handler<kOp, sem::f16>();
  row[8] = atom_handler<kOp, sem::f16x2>();
  row[9] = atom_handler<kOp, sem::bf16>();
  row[10] = atom_handler<kOp, sem::bf16x2>();
}
#endif

Level make_level() {
  using sem::Atomop;
  Level level{};
  level.name = HEDDLE_LEVEL_NAME;
  level.lanes = lane_table();
  fill_accesses<u8, 1, 2, 4>(level, 0), fill_accesses<u16, 1, 2, 4>(level, 1);
  fill_accesses<u32, 1, 2, 4, 8>(level, 2), fill_accesses<u64, 1, 2, 4>(level, 3);
  fill_accesses<sem::b128, 1>(level, 4);
#ifdef HEDDLE_BASELINE_LEVEL
  fill_atoms<Atomop::and_>(level), fill_atoms<Atomop::or_>(level), fill_atoms<Atomop::xor_>(level);
  fill_atoms<Atomop::cas>(level), fill_atoms<Atomop::exch>(level), fill_atoms<Atomop::add>(level);
  fill_atoms<Atomop::inc>(level), fill_atoms<Atomop::dec>(level);
  fill_atoms<Atomop::min>(level), fill_atoms<Atomop::max>(level);
#else
  // One lane after the other: no vectors.
  std::copy_n(&level_baseline().atom[0][0], kAtomOps * kAtomTypes, &level.atom[0][0]);
#endif
  fill_resize<u8>(level.resize[0]), fill_resize<s8>(level.resize[0]);
  fill_resize<u16>(level.resize[1]), fill_resize<s16>(level.resize[1]);
  fill_resize<u32>(level.resize[2]), fill_resize<s32>(level.resize[2]);
  fill_resize<u64>(level.resize[3]), fill_resize<s64>(level.resize[3]);
  fill_resize<sem::b128>(level.resize[4]);
  for (Handlers(&to)[2] : level.resize[4]) to[1] = to[0];
  level.pack[0][0] = &pack<u8, 2>, level.pack[0][1] = &pack<u8, 4>;
  level.pack[1][0] = &pack<u16, 2>, level.pack[1][1] = &pack<u16, 4>;
  level.pack[2][0] = &pack<u32, 2>, level.pack[2][1] = &pack<u32, 4>;
  level.pack[3][0] = &pack<u64, 2>;
  level.unpack[0][0] = &unpack<u8, 2>, level.unpack[0][1] = &unpack<u8, 4>;
  level.unpack[1][0] = &unpack<u16, 2>, level.unpack[1][1] = &unpack<u16, 4>;
  level.unpack[2][0] = &unpack<u32, 2>, level.unpack[2][1] = &unpack<u32, 4>;
  level.unpack[3][0] = &unpack<u64, 2>;
  level.move[0] = lane<&move<u8>>, level.move[1] = lane<&move<u16>>,
  level.move[2] = lane<&move<u32>>;
  level.move[3] = lane<&move<u64>>, level.move[4] = lane<&move<sem::b128>>;
  level.predicate_move = lane<&move<bool>>;
  level.predicate_not = lane<&negate>;
  level.to_generic[0] = &convert_address<u32, 1>, level.to_generic[1] = &convert_address<u64, 1>;
  level.from_generic[0] = &convert_address<u32, -1>,
  level.from_generic[1] = &convert_address<u64, -1>;
  level.is_space[0] = &is_space<u32>, level.is_space[1] = &is_space<u64>;
  level.broadcast[0] = &broadcast<u32>, level.broadcast[1] = &broadcast<u64>;
  fill_shuffle<sem::Shflmode::up, sem::Shflmode::down, sem::Shflmode::bfly, sem::Shflmode::idx>(
      level);
  level.joined = joined_handlers();
  level.frame_address[0] = &frame_address<u32>, level.frame_address[1] = &frame_address<u64>;
  return level;
}

}  // namespace
}  // namespace HEDDLE_LEVEL

const Level& HEDDLE_LEVEL_FUNCTION() {
  static const Level level = make_level();
  return level;
}

}  // namespace heddle::interp
