// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "interp/async_ops.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "interp/mbarrier_ops.h"
#include "interp/multimem_ops.h"
#include "interp/windows.h"
#include "machine/read_modify_write.h"

namespace heddle::interp {

using machine::TrapKind;

namespace {

u8* bytes_at(u64 host) { return reinterpret_cast<u8*>(host); }

/// The bytes of a bulk operation move in units of 16 (9.7.9.25.4.1).
constexpr u32 kBulkUnit = 16;

/// Checks that both ranges exist, and returns their size.
u32 check_bulk(Warp& warp, const Op& op, u32 lane) {
  const u64 to = address_of(warp, op, 0, lane), from = address_of(warp, op, 1, lane);
  const u32 bytes = warp.at<const u32>(op.src[2])[lane];
  if (bytes % kBulkUnit) {
    raise_trap(warp, TrapKind::misaligned_address, lane, nullptr,
               fmt::format("the size is {} bytes, no multiple of {}", bytes, kBulkUnit));
  }
  if (op.flags & kToGlobal)
    check_global(warp, lane, to, bytes, kBulkUnit);
  else
    check_shared(warp, lane, to, bytes, kBulkUnit);
  if (op.flags & kFromGlobal)
    check_global(warp, lane, from, bytes, kBulkUnit);
  else
    check_shared(warp, lane, from, bytes, kBulkUnit);
  if (op.flags & kOwnWindow) check_own_window(warp, lane, to);
  return bytes;
}

void copy_masked(u8* to, const u8* from, u32 bytes, u32 mask) {
  for (u32 i = 0; i < bytes; ++i) {
    if (mask >> i % kBulkUnit & 1) to[i] = from[i];
  }
}

}  // namespace

void cp_async(Warp& warp, const Op& op) {
  for_lane_by_lane(warp, [&](u32 lane) {
    const u64 to = address_of(warp, op, 0, lane), from = address_of(warp, op, 1, lane);
    const u32 bytes = op.count;
    u32 copied = bytes;
    if (op.flags & kSourceSize) copied = warp.at<const u32>(op.src[2])[lane];
    if ((op.flags & kIgnoreSource) && (*warp.at<const u32>(op.src[2]) >> lane & 1)) copied = 0;
    check_shared(warp, lane, to, bytes, bytes);
    if (copied > bytes) {
      raise_trap(warp, TrapKind::illegal_address, lane, nullptr,
                 fmt::format("{} bytes of the source, but {} are copied", copied, bytes));
    }
    alignas(16) u8 data[16] = {};
    if (copied) {
      check_global(warp, lane, from, copied, bytes);
      std::memcpy(data, bytes_at(from), copied);
    }
    std::memcpy(bytes_at(to), data, bytes);
  });
}

void bulk_copy(Warp& warp, const Op& op) {
  for_lane_by_lane(warp, [&](u32 lane) {
    const u32 bytes = check_bulk(warp, op, lane);
    const u64 to = address_of(warp, op, 0, lane);
    const u8* from = bytes_at(address_of(warp, op, 1, lane));
    const u32 mask = op.flags & (kMulticast | kByteMask) ? warp.at<const u16>(op.src[4])[lane] : 0;
    const u64 barrier = op.flags & kSignals ? address_of(warp, op, 3, lane) : 0;
    if (op.flags & kMulticast) {
      check_shared(warp, lane, barrier, 8, 8);
      for_each_rank(warp, lane, mask, [&](u32 rank) {
        std::memmove(bytes_at(in_window_of(warp, to, rank)), from, bytes);
        complete_tx(warp, lane, in_window_of(warp, barrier, rank), bytes);
      });
      return;
    }
    if (op.flags & kMultimem) {
      on_replicas(warp, lane, to, bytes, MultimemAccess::write, [&](u64 at, u64 done, u64 count) {
        copy_masked(bytes_at(at), from + done, static_cast<u32>(count),
                    op.flags & kByteMask ? mask : ~0u);
      });
      return;
    }
    if (op.flags & kByteMask)
      copy_masked(bytes_at(to), from, bytes, mask);
    else
      std::memmove(bytes_at(to), from, bytes);
    if (op.flags & kSignals) complete_tx(warp, lane, barrier, bytes);
  });
}

void bulk_reduce(Warp& warp, const Op& op) {
  const machine::AtomicFunction& function = *op.atomic;
  for_lane_by_lane(warp, [&](u32 lane) {
    const u32 bytes = check_bulk(warp, op, lane);
    const u64 to = address_of(warp, op, 0, lane), from = address_of(warp, op, 1, lane);
    if (op.flags & kMultimem) {
      on_replicas(warp, lane, to, bytes, MultimemAccess::write, [&](u64 at, u64 done, u64 count) {
        machine::combine(function, at, bytes_at(from + done), count, false);
      });
      return;
    }
    machine::combine(function, to, bytes_at(from), bytes, !(op.flags & kToGlobal));
    if (op.flags & kSignals) complete_tx(warp, lane, address_of(warp, op, 3, lane), bytes);
  });
}

void st_async(Warp& warp, const Op& op) {
  for_lane_by_lane(warp, [&](u32 lane) {
    const u32 each = op.runtime[0], bytes = each * op.count;
    const u64 to = address_of(warp, op, 0, lane);
    check_shared(warp, lane, to, bytes, bytes);
    for (u32 i = 0; i < op.count; ++i) {
      std::memcpy(bytes_at(to + i * each), warp.at<const u8>(op.list[i]) + lane * each, each);
    }
    complete_tx(warp, lane, address_of(warp, op, 1, lane), bytes);
  });
}

void red_async(Warp& warp, const Op& op) {
  const machine::AtomicFunction& function = *op.atomic;
  const u32 bytes = function.bytes;
  for_lane_by_lane(warp, [&](u32 lane) {
    const u64 to = address_of(warp, op, 0, lane);
    check_shared(warp, lane, to, bytes, bytes);
    machine::combine(function, to, warp.at<const u8>(op.src[2]) + lane * bytes, bytes, true);
    complete_tx(warp, lane, address_of(warp, op, 1, lane), bytes);
  });
}

void st_bulk(Warp& warp, const Op& op) {
  constexpr u32 kUnit = 8;
  constexpr u64 kMost = 16777216;
  for_lane_by_lane(warp, [&](u32 lane) {
    const u64 to = address_of(warp, op, 0, lane);
    const u64 bytes = op.flags & kWide ? warp.at<const u64>(op.src[1])[lane]
                                       : warp.at<const u32>(op.src[1])[lane];
    if (bytes % kUnit || bytes > kMost) {
      raise_trap(warp, TrapKind::misaligned_address, lane, nullptr,
                 fmt::format("the size is {} bytes, must be a multiple of {} and at most {}", bytes,
                             kUnit, kMost));
    }
    check_shared(warp, lane, to, bytes, kUnit);
    std::memset(bytes_at(to), 0, bytes);
  });
}

void tensormap_copy(Warp& warp, const Op& op) {
  constexpr u32 kBytes = 128;
  for_lane_by_lane(warp, [&](u32 lane) {
    const u64 to = address_of(warp, op, 0, lane), from = address_of(warp, op, 1, lane);
    check_global(warp, lane, to, kBytes, kBytes);
    check_shared(warp, lane, from, kBytes, kBytes);
    std::memcpy(bytes_at(to), bytes_at(from), kBytes);
  });
}

}  // namespace heddle::interp
