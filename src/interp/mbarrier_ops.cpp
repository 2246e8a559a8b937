// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "interp/mbarrier_ops.h"

#include <fmt/format.h>

#include <cstring>

#include "interp/windows.h"
#include "isa/sem/mbarrier.h"

namespace heddle::interp {

using machine::TrapKind;
using sem::MbarrierFault;
using sem::MbarrierResult;

namespace {

constexpr u32 kBytes = 8;

u64 load(u64 host) {
  u64 word;
  std::memcpy(&word, reinterpret_cast<const void*>(host), sizeof word);
  return word;
}
void store(u64 host, u64 word) { std::memcpy(reinterpret_cast<void*>(host), &word, sizeof word); }

std::string explain(MbarrierFault fault, const sem::Mbarrier& object, u32 operand) {
  switch (fault) {
    case MbarrierFault::none:
      break;
    case MbarrierFault::not_initialised:
      return "there is no mbarrier object here: mbarrier.init has not run, or mbarrier.inval has";
    case MbarrierFault::count_out_of_range:
      return fmt::format("the count is {}, must be 1 to {}", operand, sem::kMbarrierMost);
    case MbarrierFault::too_many_arrivals:
      return fmt::format("{} arrivals, but the current phase waits for {} more", operand,
                         object.pending);
    case MbarrierFault::too_many_drops:
      return fmt::format("{} are dropped, but a phase expects {}", operand, object.expected);
    case MbarrierFault::too_many_pending:
      return fmt::format("{} arrivals are pending, one more is more than the object can count",
                         object.pending);
    case MbarrierFault::tx_out_of_range:
      return fmt::format("the tx-count is {}, and {} more would take it beyond {}", object.tx,
                         operand, sem::kMbarrierMost);
    case MbarrierFault::completes_the_phase:
      return fmt::format("this arrival of {} completes the phase, which .noComplete rules out",
                         operand);
  }
  return {};
}

/// Stores the result of the operation on the object `before`, or traps.
void finish(Warp& warp, u32 lane, u64 host, u64 before, u32 operand, const MbarrierResult& result) {
  if (result.fault != MbarrierFault::none) {
    raise_trap(warp, TrapKind::illegal_barrier, lane, &host,
               explain(result.fault, sem::unpack_mbarrier(before), operand));
  }
  store(host, result.word);
}

u64 host_of(const Warp& warp, const Op& op, u32 lane) {
  return warp.at<const u64>(op.src[0])[lane];
}
u32 operand_of(const Warp& warp, const Op& op, u32 lane) {
  return warp.at<const u32>(op.src[1])[lane];
}

void check_own(Warp& warp, u32 lane, u64 host) {
  check_shared(warp, lane, host, kBytes, kBytes);
  if (rank_of(warp, host) != rank_of(warp)) {
    raise_trap(warp, TrapKind::illegal_address, lane, &host,
               fmt::format("the mbarrier object is in shared memory of CTA {} of the cluster; only "
                           "arrivals and transactions may reach there",
                           rank_of(warp, host)));
  }
}

}  // namespace

u64 read_mbarrier(Warp& warp, u32 lane, u64 host, bool own) {
  if (own)
    check_own(warp, lane, host);
  else
    check_shared(warp, lane, host, kBytes, kBytes);
  const u64 word = load(host);
  if (!sem::is_mbarrier(word)) {
    raise_trap(warp, TrapKind::illegal_barrier, lane, &host,
               explain(MbarrierFault::not_initialised, {}, 0));
  }
  return word;
}

void complete_tx(Warp& warp, u32 lane, u64 host, u32 bytes) {
  const u64 before = read_mbarrier(warp, lane, host, false);
  finish(warp, lane, host, before, bytes, sem::mbarrier_complete_tx(before, bytes));
}

void arrive_once(Warp& warp, u32 lane, u64 host) {
  const u64 before = read_mbarrier(warp, lane, host, false);
  finish(warp, lane, host, before, 1, sem::mbarrier_arrive(before, 1, false, false));
}

void mbarrier_init(Warp& warp, const Op& op) {
  for_lane_by_lane(warp, [&](u32 lane) {
    const u64 host = host_of(warp, op, lane);
    check_own(warp, lane, host);
    const u32 count = operand_of(warp, op, lane);
    finish(warp, lane, host, 0, count, sem::mbarrier_init(count));
  });
}

void mbarrier_inval(Warp& warp, const Op& op) {
  for_lane_by_lane(warp, [&](u32 lane) {
    const u64 host = host_of(warp, op, lane);
    (void)read_mbarrier(warp, lane, host, true);
    store(host, 0);
  });
}

void mbarrier_expect_tx(Warp& warp, const Op& op) {
  for_lane_by_lane(warp, [&](u32 lane) {
    const u64 host = host_of(warp, op, lane);
    const u32 bytes = operand_of(warp, op, lane);
    const u64 before = read_mbarrier(warp, lane, host, false);
    finish(warp, lane, host, before, bytes, sem::mbarrier_expect_tx(before, bytes));
  });
}

void mbarrier_complete_tx(Warp& warp, const Op& op) {
  for_lane_by_lane(warp, [&](u32 lane) {
    complete_tx(warp, lane, host_of(warp, op, lane), operand_of(warp, op, lane));
  });
}

void mbarrier_arrive(Warp& warp, const Op& op) {
  for_lane_by_lane(warp, [&](u32 lane) {
    const u64 host = host_of(warp, op, lane);
    const u32 operand = operand_of(warp, op, lane);
    const u64 state = read_mbarrier(warp, lane, host, false);
    u64 before = state;
    u32 count = operand;
    if (op.flags & kExpectTx) {
      // The phase cannot complete here, because this arrival is pending.
      finish(warp, lane, host, before, operand, sem::mbarrier_expect_tx(before, operand));
      before = load(host);
      count = 1;
    }
    finish(warp, lane, host, before, count,
           sem::mbarrier_arrive(before, count, op.flags & kDrop, op.flags & kNoComplete));
    warp.at<u64>(op.dst[0])[lane] = state;
  });
}

/// The thread's copies have completed: they run when they are issued.
void cp_async_mbarrier_arrive(Warp& warp, const Op& op) {
  for_lane_by_lane(warp, [&](u32 lane) {
    const u64 host = host_of(warp, op, lane);
    const u64 before = read_mbarrier(warp, lane, host, true);
    finish(warp, lane, host, before, 1,
           op.flags & kNoIncrement ? sem::mbarrier_arrive(before, 1, false, false)
                                   : sem::mbarrier_arrive_extra(before));
  });
}

}  // namespace heddle::interp
