// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "interp/windows.h"

#include <fmt/format.h>

namespace heddle::interp {

using machine::kNoSharedAddress;
using machine::kSharedSlot;
using machine::TrapKind;

namespace {

u64 get(const Warp& warp, Place p, bool wide, u32 lane) {
  return wide ? warp.at<const u64>(p)[lane] : warp.at<const u32>(p)[lane];
}
void put(Warp& warp, Place p, bool wide, u32 lane, u64 value) {
  if (wide)
    warp.at<u64>(p)[lane] = value;
  else
    warp.at<u32>(p)[lane] = static_cast<u32>(value);
}

/// kNoSharedAddress when the address is in no window of the cluster.
u64 to_host(const Warp& warp, u64 address) {
  const u64 rank = address >> machine::kRankShift;
  const u64 offset = machine::offset_of_shared_address(address);
  if (rank >= ranks(warp) || offset >= kSharedSlot) return kNoSharedAddress;
  return warp.cluster_base + rank * kSharedSlot + offset;
}

/// The opposite, of an address in a window of the cluster.
u64 from_host(const Warp& warp, u64 host) {
  return machine::first_shared_address(rank_of(warp, host)) +
         (host - warp.cluster_base) % kSharedSlot;
}

}  // namespace

void raise_trap(Warp& warp, TrapKind kind, u32 lane, const u64* address, std::string detail) {
  warp.detail->text = std::move(detail);
  raise_trap(warp, kind, lane, address);
}

void check_own_window(Warp& warp, u32 lane, u64 host) {
  if (rank_of(warp, host) == rank_of(warp)) return;
  raise_trap(warp, TrapKind::illegal_address, lane, &host,
             fmt::format("the destination must be in the CTA's own shared memory, this is that of "
                         "CTA {} of the cluster",
                         rank_of(warp, host)));
}

void refuse_shared(Warp& warp, u32 lane, u64 host, u64 bytes, u32 alignment) {
  if (!warp.in_shared_window(host)) {
    raise_trap(warp, TrapKind::illegal_address, lane, &host,
               "this is no address of shared memory of the CTA or its cluster");
  }
  const u64 offset = (host - warp.cluster_base) % kSharedSlot;
  if (offset > warp.shared_size || bytes > warp.shared_size - offset) {
    raise_trap(warp, TrapKind::illegal_address, lane, &host,
               fmt::format("{} bytes at offset {} of the shared memory of CTA {} of the cluster, "
                           "which has {} bytes",
                           bytes, offset, rank_of(warp, host), warp.shared_size));
  }
  raise_trap(warp, TrapKind::misaligned_address, lane, &host,
             fmt::format("offset {} in shared memory is no multiple of {}", offset, alignment));
}

void refuse_rank(Warp& warp, u32 lane, u32 mask, u32 rank) {
  raise_trap(
      warp, TrapKind::illegal_address, lane, nullptr,
      fmt::format("the mask {:#x} names CTA {} of a cluster of {}", mask, rank, ranks(warp)));
}

void refuse_global(Warp& warp, u32 lane, u64 host, u64 bytes, u32 alignment) {
  if (!warp.memory->is_accessible(host, bytes))
    raise_trap(warp, TrapKind::illegal_address, lane, &host);
  raise_trap(warp, TrapKind::misaligned_address, lane, &host,
             fmt::format("the address must be a multiple of {}", alignment));
}

void host_address(Warp& warp, const Op& op) {
  u64* out = warp.at<u64>(op.dst[0]);
  for (u32 rest = warp.mask; rest; rest &= rest - 1) {
    const u32 lane = static_cast<u32>(std::countr_zero(rest));
    u64 address = lane_address(warp, op, lane);
    if (op.window == Window::shared) {
      const u64 host = to_host(warp, address);
      if (host == kNoSharedAddress) {
        raise_trap(warp, TrapKind::illegal_address, lane, &address,
                   fmt::format("no CTA of the cluster, which has {}, has this shared address",
                               ranks(warp)));
      }
      check_shared(warp, lane, host, op.count, 1);
      address = host;
    } else if (op.window == Window::local) {
      address += warp.local_base + warp.local_stride * lane;
    } else if (op.window == Window::param) {
      address += warp.params;
    }
    out[lane] = address;
  }
}

void map_address(Warp& warp, const Op& op) {
  const bool wide = op.flags & kWide, generic = op.flags & kGeneric;
  const u32* rank = warp.at<const u32>(op.src[1]);
  for (u32 rest = warp.mask; rest; rest &= rest - 1) {
    const u32 lane = static_cast<u32>(std::countr_zero(rest));
    const u64 from = get(warp, op.src[0], wide, lane);
    const u64 host = generic ? from : to_host(warp, from);
    u64 result = kNoSharedAddress;
    if (warp.in_shared_window(host) && rank[lane] < ranks(warp)) {
      result = in_window_of(warp, host, rank[lane]);
      if (!generic) result = from_host(warp, result);
    }
    put(warp, op.dst[0], wide, lane, result);
  }
}

void cta_rank(Warp& warp, const Op& op) {
  const bool wide = op.flags & kWide, generic = op.flags & kGeneric;
  for (u32 rest = warp.mask; rest; rest &= rest - 1) {
    const u32 lane = static_cast<u32>(std::countr_zero(rest));
    const u64 from = get(warp, op.src[0], wide, lane);
    const u64 host = generic ? from : to_host(warp, from);
    warp.at<u32>(op.dst[0])[lane] = warp.in_shared_window(host) ? rank_of(warp, host) : ~0u;
  }
}

void from_shared_address(Warp& warp, const Op& op) {
  const bool wide = op.flags & kWide;
  for (u32 rest = warp.mask; rest; rest &= rest - 1) {
    const u32 lane = static_cast<u32>(std::countr_zero(rest));
    put(warp, op.dst[0], wide, lane, to_host(warp, get(warp, op.src[0], wide, lane)));
  }
}

void to_shared_address(Warp& warp, const Op& op) {
  const bool wide = op.flags & kWide;
  for (u32 rest = warp.mask; rest; rest &= rest - 1) {
    const u32 lane = static_cast<u32>(std::countr_zero(rest));
    const u64 host = get(warp, op.src[0], wide, lane);
    put(warp, op.dst[0], wide, lane,
        warp.in_shared_window(host) ? from_host(warp, host) : kNoSharedAddress);
  }
}

}  // namespace heddle::interp
