// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The barrier object in shared memory (PTX ISA 9.7.13.15): the layout of its 64 bits in Heddle, and
// the operations on it. The layout is opaque to programs:
//
//     bits  0-19  arrivals still pending in the current phase
//     bits 20-39  arrivals that a phase expects
//     bits 40-60  tx-count, in two's complement
//     bit  61     parity of the current phase
//     bits 62-63 0b10: this is a barrier object; uninitialised memory rarely has this pattern
//
// The state that an arrival returns is the object before the arrival. The engines load and store
// the object.
#pragma once

#include "isa/sem/types.h"

namespace heddle::sem {

/// The maximum of each count of the object (9.7.13.15.2).
inline constexpr u32 kMbarrierMost = (1u << 20) - 1;

struct Mbarrier {
  u32 pending = 0, expected = 0;
  s32 tx = 0;
  bool odd = false;  ///< parity of the current phase
};

constexpr u64 pack_mbarrier(const Mbarrier& object) {
  constexpr u64 kTxBits = (u64{1} << 21) - 1;
  return u64{object.pending} | u64{object.expected} << 20 |
         (static_cast<u64>(object.tx) & kTxBits) << 40 | u64{object.odd} << 61 | u64{2} << 62;
}
constexpr Mbarrier unpack_mbarrier(u64 word) {
  const s64 tx = static_cast<s64>(word << 3) >> 43;
  return {static_cast<u32>(word) & kMbarrierMost, static_cast<u32>(word >> 20) & kMbarrierMost,
          static_cast<s32>(tx), (word >> 61 & 1) != 0};
}
constexpr bool is_mbarrier(u64 word) { return word >> 62 == 2; }

/// The cases that the manual leaves undefined.
enum class MbarrierFault : u8 {
  none,
  not_initialised,
  count_out_of_range,   ///< 0, or more than kMbarrierMost
  too_many_arrivals,    ///< more than are pending
  too_many_drops,       ///< more than are expected
  too_many_pending,     ///< cp.async.mbarrier.arrive: kMbarrierMost arrivals are pending already
  tx_out_of_range,      ///< the tx-count would leave [-kMbarrierMost, kMbarrierMost]
  completes_the_phase,  ///< .noComplete completed the phase
};

struct MbarrierResult {
  u64 word = 0;
  MbarrierFault fault = MbarrierFault::none;
};

constexpr MbarrierResult mbarrier_init(u32 count) {
  if (count == 0 || count > kMbarrierMost) return {0, MbarrierFault::count_out_of_range};
  return {pack_mbarrier({count, count, 0, false}), MbarrierFault::none};
}

/// The object, moved to the next phase if the current one is complete (9.7.13.15.6).
constexpr MbarrierResult mbarrier_settled(Mbarrier object) {
  if (object.pending == 0 && object.tx == 0) {
    object.odd = !object.odd;
    object.pending = object.expected;
  }
  return {pack_mbarrier(object), MbarrierFault::none};
}

/// expect-tx (9.7.13.15.5.1). It may come after the transactions that it expects.
constexpr MbarrierResult mbarrier_expect_tx(u64 word, u32 bytes) {
  if (!is_mbarrier(word)) return {word, MbarrierFault::not_initialised};
  Mbarrier object = unpack_mbarrier(word);
  const s64 tx = s64{object.tx} + bytes;
  if (tx > s64{kMbarrierMost}) return {word, MbarrierFault::tx_out_of_range};
  object.tx = static_cast<s32>(tx);
  return mbarrier_settled(object);
}

/// complete-tx (9.7.13.15.5.2).
constexpr MbarrierResult mbarrier_complete_tx(u64 word, u32 bytes) {
  if (!is_mbarrier(word)) return {word, MbarrierFault::not_initialised};
  Mbarrier object = unpack_mbarrier(word);
  const s64 tx = s64{object.tx} - bytes;
  if (tx < -s64{kMbarrierMost}) return {word, MbarrierFault::tx_out_of_range};
  object.tx = static_cast<s32>(tx);
  return mbarrier_settled(object);
}

/// arrive-on (9.7.13.15.7); with `drop`, later phases expect `count` fewer arrivals (9.7.13.15.14).
constexpr MbarrierResult mbarrier_arrive(u64 word, u32 count, bool drop, bool no_complete) {
  if (!is_mbarrier(word)) return {word, MbarrierFault::not_initialised};
  if (count == 0 || count > kMbarrierMost) return {word, MbarrierFault::count_out_of_range};
  Mbarrier object = unpack_mbarrier(word);
  if (drop && count > object.expected) return {word, MbarrierFault::too_many_drops};
  if (count > object.pending) return {word, MbarrierFault::too_many_arrivals};
  if (drop) object.expected -= count;
  object.pending -= count;
  if (no_complete && object.pending == 0 && object.tx == 0)
    return {word, MbarrierFault::completes_the_phase};
  return mbarrier_settled(object);
}

/// An arrival that first increments the pending count (9.7.13.15.15): the object does not change.
constexpr MbarrierResult mbarrier_arrive_extra(u64 word) {
  if (!is_mbarrier(word)) return {word, MbarrierFault::not_initialised};
  if (unpack_mbarrier(word).pending == kMbarrierMost)
    return {word, MbarrierFault::too_many_pending};
  return {word, MbarrierFault::none};
}

/// Whether the phase in which an arrival returned `state` is over (9.7.13.15.16).
constexpr bool mbarrier_is_past_state(u64 word, u64 state) {
  return ((word ^ state) >> 61 & 1) != 0;
}
/// Whether the phase of that parity is over: it is the phase before the current one.
constexpr bool mbarrier_is_past_parity(u64 word, u32 parity) {
  return (word >> 61 & 1) != (parity & 1);
}

constexpr u32 mbarrier_pending_count(u64 state) { return unpack_mbarrier(state).pending; }

}  // namespace heddle::sem
