// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The handler table of one CPU level: moves, width changes and packing. The handlers of
// lane and atomic functions come from the generated tables. Compiled once per level.
#include "interp/level.h"

#include "interp/lane.h"
#include "interp/level_joined.h"
#include "interp/level_lanes.h"
#include "interp/level_memory.h"

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

/// Packs the list, kCount elements W a lane, into dst[0].
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

template <class T>
const Op* broadcast(Gang& gang, const Op* op) {
  const T value = static_cast<T>(gang.cta_values[op->cta_value]);
  for (u32 k = 0; k < gang.count; ++k) {
    T* const to = reinterpret_cast<T*>(gang.frames[k] + op->dst[0]);
    for (u32 i = 0; i < kLanes; ++i) to[i] = value;
  }
  ++op;
  HEDDLE_GO_ON(gang, op);
}

Level make_level() {
  Level level{};
  level.name = HEDDLE_LEVEL_NAME;
  level.lanes = lane_table();
  fill_memory(level), fill_full_memory(level);
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
  level.broadcast[0] = &broadcast<u32>, level.broadcast[1] = &broadcast<u64>;
  level.joined = joined_handlers();
  return level;
}

}  // namespace
}  // namespace HEDDLE_LEVEL

const Level& HEDDLE_LEVEL_FUNCTION() {
  static const Level level = make_level();
  return level;
}

}  // namespace heddle::interp
