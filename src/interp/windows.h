// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Shared memory of a cluster (PTX ISA 5.1.7): machine/shared_address.h has the addresses. The
// windows of its CTAs lie side by side, by rank, so a generic address tells its CTA, too.
//
// Instructions with more than one address, and instructions that access other CTAs, first turn each
// address into a host address (host_address).
#pragma once

#include <bit>
#include <string>

#include "interp/op.h"
#include "machine/memory.h"
#include "machine/shared_address.h"

namespace heddle::interp {

/// The explanation that a handler gives of its trap.
struct TrapDetail {
  std::string text;
};
[[noreturn]] void raise_trap(Warp& warp, machine::TrapKind kind, u32 lane, const u64* address,
                             std::string detail);

inline u32 rank_of(const Warp& warp, u64 host) {
  return static_cast<u32>((host - warp.cluster_base) / machine::kSharedSlot);
}
inline u32 rank_of(const Warp& warp) { return rank_of(warp, warp.shared_base); }
inline u32 ranks(const Warp& warp) {
  return static_cast<u32>(warp.cluster_size / machine::kSharedSlot);
}
[[noreturn]] void refuse_rank(Warp& warp, u32 lane, u32 mask, u32 rank);
/// The same place in the window of the CTA `rank`.
inline u64 in_window_of(const Warp& warp, u64 host, u32 rank) {
  return warp.cluster_base + rank * machine::kSharedSlot +
         (host - warp.cluster_base) % machine::kSharedSlot;
}

/// The host address in a lane of src[index].
inline u64 address_of(const Warp& warp, const Op& op, u32 index, u32 lane) {
  return warp.at<const u64>(op.src[index])[lane];
}

/// Traps unless the destination `host` is in the CTA's own window.
void check_own_window(Warp& warp, u32 lane, u64 host);
[[noreturn]] void refuse_shared(Warp& warp, u32 lane, u64 host, u64 bytes, u32 alignment);
[[noreturn]] void refuse_global(Warp& warp, u32 lane, u64 host, u64 bytes, u32 alignment);
/// Traps unless [host, host + bytes) is shared memory of a CTA of the cluster, aligned to a power
/// of two.
inline void check_shared(Warp& warp, u32 lane, u64 host, u64 bytes, u32 alignment) {
  const u64 offset = (host - warp.cluster_base) % machine::kSharedSlot;
  const bool fits = offset <= warp.shared_size && bytes <= warp.shared_size - offset;
  if (!warp.in_shared_window(host) || !fits || (host & (alignment - 1)))
    refuse_shared(warp, lane, host, bytes, alignment);
}
/// Traps unless [host, host + bytes) can be device memory, aligned to a power of two.
inline void check_global(Warp& warp, u32 lane, u64 host, u64 bytes, u32 alignment) {
  if (!warp.memory->is_accessible(host, bytes) || (host & (alignment - 1)))
    refuse_global(warp, lane, host, bytes, alignment);
}

/// Host address of the window that a lane's address is counted from; 0: the address is generic.
u64 window_start(const Warp& warp, const Op& op, u32 lane);

/// dst[0], 64-bit lanes: the host address of the address that op.base, src[0], offset and window
/// name; a shared address may be that of any CTA of the cluster. Shared addresses: at least
/// op.count bytes from there must exist.
void host_address(Warp& warp, const Op& op);

// dst[0] from src[0] (and the rank in src[1]); flags: kWide, kGeneric.
inline constexpr u8 kWide = 1;               ///< 64-bit lanes
inline constexpr u8 kGeneric = 2;            ///< the addresses are generic, not .shared::cluster
void map_address(Warp& warp, const Op& op);  ///< mapa
void cta_rank(Warp& warp, const Op& op);     ///< getctarank
void from_shared_address(Warp& warp, const Op& op);  ///< cvta.shared of a CTA in a cluster
void to_shared_address(Warp& warp, const Op& op);    ///< cvta.to.shared of a CTA in a cluster

/// Calls f(rank) for each CTA of the cluster that the mask, an operand of the lane, names. Traps if
/// there is no such CTA.
template <class F>
void for_each_rank(Warp& warp, u32 lane, u32 mask, F f) {
  for (u32 rest = mask; rest; rest &= rest - 1) {
    const u32 rank = static_cast<u32>(std::countr_zero(rest));
    if (rank >= ranks(warp)) refuse_rank(warp, lane, mask, rank);
    f(rank);
  }
}

/// Calls `f(lane)` for each active lane, with only that lane active, so that a fault is attributed
/// to it.
template <class F>
void for_lane_by_lane(Warp& warp, F f) {
  const u32 mask = warp.mask;
  for (u32 rest = mask; rest; rest &= rest - 1) {
    const u32 lane = static_cast<u32>(std::countr_zero(rest));
    warp.mask = 1u << lane;
    f(lane);
  }
  warp.mask = mask;
}

}  // namespace heddle::interp
