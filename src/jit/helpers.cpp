// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "jit/helpers.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstdio>
#include <cstring>

#include "base/check.h"
#include "isa/sem/atom.h"
#include "isa/sem/warp_redux.h"
#include "isa/sem/warp_shuffle.h"
#include "isa/sem/warp_vote.h"
#include "jit/cta.h"
#include "jit/float_mode.h"
#include "machine/membermask.h"
#include "machine/wide_access.h"

namespace heddle::jit {
namespace {

using isa::SemId;
using isa::Type;
using machine::TrapKind;

Cta& cta_of(Context* context) { return *static_cast<Cta*>(context->owner); }

template <class T>
T* operand(Context* context, u32 number) {
  return reinterpret_cast<T*>(context->operands[number]);
}

template <class F>
void for_each_lane(u32 lanes, F f) {
  for (u32 rest = lanes; rest; rest &= rest - 1) f(static_cast<u32>(std::countr_zero(rest)));
}

/// `check` for each warp of the team of which lanes take part, while it returns 0.
template <class F>
u32 for_each_warp(Context* context, F check) {
  const u32 first = context->warp;
  for (u32 w = 0; w < cta_of(context).warps_in_team(); ++w) {
    context->warp = first + w;
    context->lanes = static_cast<u32>(context->team_lanes >> (w * kLanes));
    if (context->lanes && check(w)) return 1;
  }
  context->warp = first;
  return 0;
}

/// Those that are checked together, in their order; of one warp.
u32 check_sites(Context* context, u32 number) {
  Cta& cta = cta_of(context);
  for (const Site* site = &cta.site(number);; site = &cta.site(site->next)) {
    if (cta.check_access(*site, site->distance)) return 1;
    if (!site->next) return 0;
  }
}

u32 check_access(Context* context, u32 number) {
  return for_each_warp(context, [&](u32 w) {
    if (w) std::copy_n(context->addresses + w * kLanes, kLanes, context->addresses);
    return check_sites(context, number);
  });
}

constexpr u32 kHalf = kLanes / 2;

/// The address of a lane in a half of the team, in its line, with the lane's own index.
u64 address_in_line(const Context& context, const Site& site, u32 half, u32 lane) {
  const u32 line = half / site.shared;
  const u64 place = half % site.shared * kHalf + lane;
  const u64 address = context.lines[line] + static_cast<u64>(site.step) * place;
  if (!site.widens) return address;
  const auto widened = [&](u32 index) {
    return site.widens == 2 ? static_cast<u64>(s64{static_cast<s32>(index)}) : u64{index};
  };
  const u64 distance = static_cast<u64>(s64{site.index_step}) * place;
  const u32 begin = context.indices[line], index = begin + static_cast<u32>(distance);
  return address + static_cast<u64>(site.factor) * (widened(index) - widened(begin) - distance);
}

/// The addresses of the warp's lanes, which lie in lines.
void spread(Context* context, const Site& site) {
  const u32 first = context->warp % cta_of(context).warps_in_team() * 2;
  for (u32 lane = 0; lane < kLanes; ++lane)
    context->addresses[lane] = address_in_line(*context, site, first + lane / kHalf, lane % kHalf);
}

u32 check_line(Context* context, u32 number) {
  const Cta& cta = cta_of(context);
  return for_each_warp(context, [&](u32 w) -> u32 {
    const Site* site = &cta.site(number);
    const u64 begins[] = {address_in_line(*context, *site, 2 * w, 0),
                          address_in_line(*context, *site, 2 * w + 1, 0)};
    // Those that take part may lie where it is legal.
    for (; cta.line_is_legal(*site, begins); site = &cta.site(site->next)) {
      if (!site->next) return 0;
    }
    spread(context, cta.site(number));
    return check_sites(context, number);
  });
}

u32 trap(Context* context, u32 number) {
  Cta& cta = cta_of(context);
  const Site& site = cta.site(number);
  const u32 lane = static_cast<u32>(std::countr_zero(context->lanes));
  const bool in_memory = site.sem == SemId::call && site.space == ir::Space::local;
  const bool restores = site.sem == SemId::stack_restore;
  if (in_memory || restores || site.sem == SemId::stack_allocate) {
    cta.overflow(site, lane,
                 restores ? std::optional(operand<u64>(context, 0)[lane]) : std::nullopt);
    return 1;
  }
  if (site.sem == SemId::call) {
    cta.raise(TrapKind::illegal_call, site, lane, operand<u64>(context, 0)[lane],
              "the register holds no address of a function of this module");
    return 1;
  }
  const TrapKind kind = site.sem == SemId::brkpt     ? TrapKind::breakpoint
                        : site.sem == SemId::brx_idx ? TrapKind::illegal_call
                                                     : TrapKind::trap_instruction;
  cta.raise(kind, site, lane);
  return 1;
}

u32 special(Context* context, u32 number) {
  const Cta& cta = cta_of(context);
  *operand<u64>(context, 0) = machine::uniform_value(
      cta.identity(), static_cast<isa::SpecialRegister>(number >> 2), number & 3);
  return 0;
}

u32 step(Context* context, u32 number) {
  Cta& cta = cta_of(context);
  return cta.step(cta.site(number));
}

u32 call(Context* context, u32 number) {
  Cta& cta = cta_of(context);
  return context->lanes ? cta.call(cta.site(number)) : 0;
}

u32 wait(Context* context, u32 number) {
  Cta& cta = cta_of(context);
  // The answer takes the place of an operand.
  alignas(64) u64 first[kLanes];
  std::memcpy(first, context->operands[0], sizeof first);
  if (cta.step(cta.site(number))) return 1;
  const bool over = (*operand<u32>(context, 0) & context->lanes) != 0;
  context->again = !over && cta.waits_on();
  if (over) cta.answered();
  if (context->again) std::memcpy(context->operands[0], first, sizeof first);
  return 0;
}

u32 arrive(Context* context, u32 number) {
  Cta& cta = cta_of(context);
  const Site& site = cta.site(number);
  return cta.arrive(site, context->warp, context->lanes, *operand<u32>(context, 0),
                    *operand<u32>(context, 1), *operand<u32>(context, 2));
}

u32 arrive_in_cluster(Context* context, u32 number) {
  Cta& cta = cta_of(context);
  return cta.arrive_in_cluster(cta.site(number));
}

u32 wait_in_cluster(Context* context, u32 number) {
  Cta& cta = cta_of(context);
  return cta.wait_in_cluster(cta.site(number));
}

// --- memory (9.7.9, 9.7.13.5) ---

/// Makes the checked addresses addresses of the host. Nobody asks for local memory's.
void to_host(Context* context, const Site& site) {
  if (site.space == ir::Space::shared)
    for (u64& address : context->addresses) address += context->shared_base;
}

constexpr u32 kMostElements = 8;

template <class T>
void load_lanes(Context* context, u32 count) {
  for_each_lane(context->lanes, [&](u32 lane) {
    T elements[kMostElements];
    machine::load_ordered(context->addresses[lane], elements, count * u32{sizeof(T)});
    for (u32 i = 0; i < count; ++i) operand<T>(context, i)[lane] = elements[i];
  });
}
template <class T>
void store_lanes(Context* context, u32 count) {
  for_each_lane(context->lanes, [&](u32 lane) {
    T elements[kMostElements];
    for (u32 i = 0; i < count; ++i) elements[i] = operand<const T>(context, i)[lane];
    machine::store_ordered(context->addresses[lane], elements, count * u32{sizeof(T)});
  });
}

/// Makes Context::addresses those of the host. False: one is not legal, that was a trap.
bool reach(Context* context, Cta& cta, const Site& site) {
  if (site.in_line) spread(context, site);
  if (cta.check_access(site)) return false;
  to_host(context, site);
  return true;
}

u32 load(Context* context, u32 number) {
  Cta& cta = cta_of(context);
  const Site& site = cta.site(number);
  if (!reach(context, cta, site)) return 1;
  machine::with_word(site.bytes, [&]<class T>(T) { load_lanes<T>(context, site.count); });
  return 0;
}

u32 store(Context* context, u32 number) {
  Cta& cta = cta_of(context);
  const Site& site = cta.site(number);
  if (!reach(context, cta, site)) return 1;
  machine::with_word(site.bytes, [&]<class T>(T) { store_lanes<T>(context, site.count); });
  return 0;
}

/// One read-modify-write; returns the old value. Others may touch global memory meanwhile.
template <sem::Atomop kOp, class T>
T atomic_one(u64 address, T b, T c, bool alone) {
  using Word = sem::AtomWord<sizeof(T)>;
  Word* at = reinterpret_cast<Word*>(address);
  Word old = __atomic_load_n(at, __ATOMIC_RELAXED);
  while (true) {
    const Word next =
        std::bit_cast<Word>(sem::atom_apply<kOp, T>(std::bit_cast<T>(old), b, c, !alone));
    if (alone) {
      *at = next;
      break;
    }
    if (__atomic_compare_exchange_n(at, &old, next, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST))
      break;
  }
  return std::bit_cast<T>(old);
}

template <sem::Atomop kOp, class T>
void atomic_lanes(Context* context, const Site& site) {
  const u32 count = site.count;
  for_each_lane(context->lanes, [&](u32 lane) {
    for (u32 i = 0; i < count; ++i) {
      const u64 address = context->addresses[lane] + i * sizeof(T);
      T b, c;
      std::memcpy(&b, operand<T>(context, i) + lane, sizeof b);
      std::memcpy(
          &c, operand<T>(context, site.op == static_cast<u8>(sem::Atomop::cas) ? count : i) + lane,
          sizeof c);
      const bool shared = address - context->shared_base < machine::kSharedSlot;
      const T old = atomic_one<kOp, T>(address, b, c, shared);
      std::memcpy(operand<T>(context, i) + lane, &old, sizeof old);
    }
  });
}

template <sem::Atomop kOp>
void atomic_typed(Context* context, const Site& site) {
  const auto run = [&]<class T>(T) {
    if constexpr (sem::kHasAtomForm<kOp, T>)
      atomic_lanes<kOp, T>(context, site);
    else
      HEDDLE_UNREACHABLE();
  };
  switch (site.type) {
    case Type::b16:
      return run(u16{});
    case Type::b32:
    case Type::u32:
      return run(u32{});
    case Type::s32:
      return run(s32{});
    case Type::b64:
    case Type::u64:
      return run(u64{});
    case Type::s64:
      return run(s64{});
    case Type::f32:
      return run(sem::f32{});
    case Type::f64:
      return run(sem::f64{});
    case Type::f16:
      return run(sem::f16{});
    case Type::f16x2:
      return run(sem::f16x2{});
    case Type::bf16:
      return run(sem::bf16{});
    case Type::bf16x2:
      return run(sem::bf16x2{});
    default:
      HEDDLE_UNREACHABLE();
  }
}

u32 atomic(Context* context, u32 number) {
  Cta& cta = cta_of(context);
  const Site& site = cta.site(number);
  if (!reach(context, cta, site)) return 1;
  using sem::Atomop;
  switch (static_cast<Atomop>(site.op)) {
    case Atomop::and_:
      return atomic_typed<Atomop::and_>(context, site), 0;
    case Atomop::or_:
      return atomic_typed<Atomop::or_>(context, site), 0;
    case Atomop::xor_:
      return atomic_typed<Atomop::xor_>(context, site), 0;
    case Atomop::cas:
      return atomic_typed<Atomop::cas>(context, site), 0;
    case Atomop::exch:
      return atomic_typed<Atomop::exch>(context, site), 0;
    case Atomop::add:
      return atomic_typed<Atomop::add>(context, site), 0;
    case Atomop::inc:
      return atomic_typed<Atomop::inc>(context, site), 0;
    case Atomop::dec:
      return atomic_typed<Atomop::dec>(context, site), 0;
    case Atomop::min:
      return atomic_typed<Atomop::min>(context, site), 0;
    case Atomop::max:
      return atomic_typed<Atomop::max>(context, site), 0;
    default:
      HEDDLE_UNREACHABLE();
  }
}

// --- across lanes (9.7.9.5, 9.7.13.8 to 9.7.13.14) ---

/// What it is of `members`, all of which are there, for `lanes`: the same ones, but where a
/// membermask is wrong. Results go into the place of operands.
void warp_op_of(Context* context, const Site& site, u32 members, u32 lanes, u64 (&first)[kLanes],
                u32& second) {
  const u8* runtime = site.runtime;
  u32* out = reinterpret_cast<u32*>(first);
  const auto set_all = [&](auto value) {
    for (u32 lane = 0; lane < kLanes; ++lane)
      if (lanes >> lane & 1) out[lane] = static_cast<u32>(value);
  };
  const auto wide = [&] { return isa::type_info(static_cast<Type>(runtime[0])).bits == 64; };
  switch (site.sem) {
    case SemId::shuffle:
    case SemId::shuffle_sync: {
      const u32 inside =
          sem::shuffle(static_cast<sem::Shflmode>(runtime[0]), lanes, operand<u32>(context, 0),
                       operand<u32>(context, 1), operand<u32>(context, 2), out);
      second = (second & ~lanes) | inside;
      return;
    }
    case SemId::vote:
    case SemId::vote_sync: {
      const bool result =
          sem::vote(static_cast<sem::Votemode>(runtime[0]), members, *operand<u32>(context, 0));
      out[0] = (out[0] & ~lanes) | (result ? lanes : 0);
      return;
    }
    case SemId::ballot:
    case SemId::ballot_sync:
      return set_all(sem::ballot(members, *operand<u32>(context, 0)));
    case SemId::match_any_sync:
      return wide() ? sem::match_any(members, lanes, operand<u64>(context, 0), out)
                    : sem::match_any(members, lanes, operand<u32>(context, 0), out);
    case SemId::match_all_sync: {
      const u32 result = wide() ? sem::match_all(members, operand<u64>(context, 0))
                                : sem::match_all(members, operand<u32>(context, 0));
      set_all(result);
      second = (second & ~lanes) | (result ? lanes : 0);
      return;
    }
    case SemId::elect_sync: {
      const u32 lane = sem::elect(members);
      set_all(lane);
      second = (second & ~lanes) | (lanes & members & (1u << lane));
      return;
    }
    case SemId::redux_u32_sync:
      return set_all(sem::redux<u32>(static_cast<sem::Reduxop>(runtime[0]), members,
                                     operand<u32>(context, 0)));
    case SemId::redux_s32_sync:
      return set_all(sem::redux<s32>(static_cast<sem::Reduxop>(runtime[0]), members,
                                     operand<s32>(context, 0)));
    case SemId::redux_f32_sync:
      return set_all(
          sem::redux_f32(static_cast<sem::Reduxop>(runtime[0]), static_cast<sem::Flag>(runtime[1]),
                         static_cast<sem::Flag>(runtime[2]), members, operand<u32>(context, 0)));
    default:
      HEDDLE_UNREACHABLE();
  }
}

/// The operand that names the members, of a `.sync` form.
u32 members_operand(SemId sem) {
  switch (sem) {
    case SemId::shuffle_sync:
      return 3;
    case SemId::elect_sync:
    case SemId::warp_barrier:
      return 0;
    default:
      return 1;
  }
}

/// Whether the lanes of `group`, which name `named`, may do so: all of them are named, and no other
/// one that is here names others. Else it is a trap of a strict launch.
bool may_name(Context* context, const Site& site, u32 group, u32 named, const u32* names) {
  Cta& cta = cta_of(context);
  if (const u32 strangers = group & ~named) {
    const u32 lane = static_cast<u32>(std::countr_zero(strangers));
    cta.raise(TrapKind::membermask, site, lane, std::nullopt,
              machine::describe_stranger(named, lane));
    return false;
  }
  // Those come to a barrier at different places, too.
  const u32 others = site.sem == SemId::warp_barrier ? 0 : named & context->lanes & ~group;
  if (!others) return true;
  const u32 other = static_cast<u32>(std::countr_zero(others));
  cta.raise(TrapKind::membermask, site, static_cast<u32>(std::countr_zero(group)), std::nullopt,
            machine::describe_other_mask(named, other, names[other]));
  return false;
}

/// For each group of the lanes that name the same ones. False: that was a trap.
template <class F>
bool for_each_group(Context* context, const Site& site, const u32* names, F f) {
  const bool strict = cta_of(context).is_strict();
  u32 left = context->lanes;
  while (left) {
    const u32 named = names[std::countr_zero(left)];
    u32 group = 0;
    for_each_lane(left, [&](u32 lane) { group |= static_cast<u32>(names[lane] == named) << lane; });
    left &= ~group;
    if (strict && !may_name(context, site, group, named, names)) return false;
    f(group, named & context->lanes);
  }
  return true;
}

/// Whether the lanes name themselves, and each other: asked where code does the rest.
u32 members(Context* context, u32 number) {
  const Site& site = cta_of(context).site(number);
  return !for_each_group(context, site, operand<const u32>(context, 0), [](u32, u32) {});
}

u32 warp_op(Context* context, u32 number) {
  const Site& site = cta_of(context).site(number);
  alignas(64) u64 first[kLanes] = {};
  u32 second = 0;
  const u32 all = context->lanes;
  if (!site.has_members) {
    warp_op_of(context, site, all, all, first, second);
  } else {
    const u32* names = operand<const u32>(context, members_operand(site.sem));
    const auto run = [&](u32 group, u32 members) {
      warp_op_of(context, site, members, group, first, second);
    };
    if (!for_each_group(context, site, names, run)) return 1;
  }
  // What is the same for all is read from the first place.
  const u32 some = static_cast<u32>(std::countr_zero(context->lanes));
  const bool by_lane = site.sem == SemId::shuffle || site.sem == SemId::shuffle_sync ||
                       site.sem == SemId::match_any_sync || site.sem == SemId::elect_sync ||
                       site.sem == SemId::vote || site.sem == SemId::vote_sync;
  u32* out = reinterpret_cast<u32*>(first);
  if (!by_lane && !(context->lanes & 1)) out[0] = out[some];
  std::memcpy(context->operands[0], first, sizeof first);
  *operand<u32>(context, 1) = second;
  return 0;
}

/// What the code is about to access without having been told that it may.
u32 verify_access(Context* context, u32) {
  const machine::Memory& memory = cta_of(context).memory();
  for (u64 rest = context->verified_lanes; rest; rest &= rest - 1) {
    const u64 address = context->verified[std::countr_zero(rest)];
    if (memory.is_accessible(address, context->verified_bytes)) continue;  // registered
    fmt::print(stderr, "heddle: compiled code accesses {} bytes at {:#x}\n",
               context->verified_bytes, address);
    HEDDLE_CHECK(!"compiled code leaves the device's memory");
  }
  return 0;
}

/// Those that compute take subnormal numbers for what they are, wherever they are called.
template <Helper kRun>
u32 computes(Context* context, u32 number) {
  const FloatMode mode(false);
  return kRun(context, number);
}

}  // namespace

const std::array<Helper, kHelpers> kHelperTable = {&check_access,
                                                   &check_line,
                                                   &computes<&atomic>,
                                                   &load,
                                                   &store,
                                                   &computes<&warp_op>,
                                                   &special,
                                                   &trap,
                                                   &computes<&step>,
                                                   &computes<&call>,
                                                   &wait,
                                                   &arrive,
                                                   &arrive_in_cluster,
                                                   &wait_in_cluster,
                                                   &verify_access,
                                                   &members};

}  // namespace heddle::jit
