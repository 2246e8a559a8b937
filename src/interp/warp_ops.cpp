// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "interp/warp_ops.h"

#include "base/check.h"
#include "interp/level.h"
#include "isa/groups.h"
#include "isa/sem/warp_redux.h"
#include "isa/sem/warp_vote.h"

#define HEDDLE_LEVEL baseline_ops
#include "interp/memory_ops.h"

namespace heddle::interp {
namespace {

using isa::SemId;

template <class T>
void set_all(Warp& warp, Place p, T value) {
  sem::for_each_lane(warp.mask, [&](u32 lane) { warp.at<T>(p)[lane] = value; });
}

void vote(Warp& warp, const Op& op) {
  const bool result = sem::vote(static_cast<sem::Votemode>(op.runtime[0]), warp.members,
                                *warp.at<const u32>(op.src[0]));
  set_predicate(warp, op.dst[0], warp.mask, result ? kAllLanes : 0);
}
void ballot(Warp& warp, const Op& op) {
  set_all<u32>(warp, op.dst[0], sem::ballot(warp.members, *warp.at<const u32>(op.src[0])));
}
template <class T>
void match_any(Warp& warp, const Op& op) {
  sem::match_any(warp.members, warp.mask, warp.at<const T>(op.src[0]), warp.at<u32>(op.dst[0]));
}
template <class T>
void match_all(Warp& warp, const Op& op) {
  const u32 result = sem::match_all(warp.members, warp.at<const T>(op.src[0]));
  set_all<u32>(warp, op.dst[0], result);
  if (op.dst[1] != kNoPlace) set_predicate(warp, op.dst[1], warp.mask, result ? kAllLanes : 0);
}
void activemask(Warp& warp, const Op& op) { set_all<u32>(warp, op.dst[0], warp.mask); }
void elect(Warp& warp, const Op& op) {
  const u32 lane = sem::elect(warp.members);
  set_all<u32>(warp, op.dst[0], lane);
  set_predicate(warp, op.dst[1], warp.mask, warp.members & (1u << lane));
}
template <class T>
void redux(Warp& warp, const Op& op) {
  set_all<T>(warp, op.dst[0],
             sem::redux<T>(static_cast<sem::Reduxop>(op.runtime[0]), warp.members,
                           warp.at<const T>(op.src[0])));
}
void redux_f32(Warp& warp, const Op& op) {
  set_all<u32>(
      warp, op.dst[0],
      sem::redux_f32(static_cast<sem::Reduxop>(op.runtime[0]),
                     static_cast<sem::Flag>(op.runtime[1]), static_cast<sem::Flag>(op.runtime[2]),
                     warp.members, warp.at<const u32>(op.src[0])));
}

template <bool kCas>
void atom_wide(Warp& warp, const Op& op) {
  Addresses addresses;
  form_lanes(warp, op, addresses);
  check_lanes(warp, op, 16, 16, addresses);
  sem::for_each_lane(warp.mask, [&](u32 lane) {
    const auto b = std::bit_cast<machine::WideBits>(warp.at<const sem::b128>(op.list[1])[lane]);
    const auto c = std::bit_cast<machine::WideBits>(warp.at<const sem::b128>(op.list[2])[lane]);
    const u64 address = addresses.lane[lane];
    const machine::WideBits old =
        kCas ? machine::compare_exchange_wide(address, b, c) : machine::exchange_wide(address, b);
    warp.at<sem::b128>(op.list[0])[lane] = std::bit_cast<sem::b128>(old);
  });
}

}  // namespace

Handler warp_handler(const isa::Form& form, std::span<const u8> slots, u8* runtime) {
  for (std::size_t i = 0; i < form.runtime_slots.size(); ++i)
    runtime[i] = slots[form.runtime_slots[i]];
  const auto wide = [&] { return isa::type_info(static_cast<isa::Type>(runtime[0])).bits == 64; };
  switch (form.sem_id) {
    case SemId::shuffle:
    case SemId::shuffle_sync:
      return best_level().shuffle[runtime[0]];
    case SemId::vote:
    case SemId::vote_sync:
      return &vote;
    case SemId::ballot:
    case SemId::ballot_sync:
      return &ballot;
    case SemId::match_any_sync:
      return wide() ? &match_any<u64> : &match_any<u32>;
    case SemId::match_all_sync:
      return wide() ? &match_all<u64> : &match_all<u32>;
    case SemId::activemask:
      return &activemask;
    case SemId::elect_sync:
      return &elect;
    case SemId::redux_u32_sync:
      return &redux<u32>;
    case SemId::redux_s32_sync:
      return &redux<s32>;
    case SemId::redux_f32_sync:
      return &redux_f32;
    default:
      HEDDLE_UNREACHABLE();
  }
}

Handler wide_atomic(u8 atomop) {
  switch (static_cast<sem::Atomop>(atomop)) {
    case sem::Atomop::exch:
      return &atom_wide<false>;
    case sem::Atomop::cas:
      return &atom_wide<true>;
    default:
      return nullptr;
  }
}

}  // namespace heddle::interp
