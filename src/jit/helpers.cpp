// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "jit/helpers.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstdio>
#include <cstring>

#include "base/check.h"
#include "jit/cta.h"
#include "jit/float_mode.h"
#include "machine/membermask.h"
#include "machine/read_modify_write.h"
#include "machine/warp_fault.h"
#include "machine/warp_functions.h"
#include "machine/wide_access.h"

namespace heddle::jit {
namespace {

using isa::SemId;
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

/// Calls `check` for each warp of the team that has active lanes, while it returns 0.
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

/// Checks the accesses of a group for one warp, in their order.
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
    // The addresses of the active lanes may be legal nevertheless.
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
  const isa::Effects& what = isa::effects_of(site.sem);
  const bool calls = what.flow == isa::Flow::call;
  if (what.stack || (calls && site.space == ir::Space::local)) {
    const bool restores = site.sem == SemId::stack_restore;
    cta.overflow(site, lane,
                 restores ? std::optional(operand<u64>(context, 0)[lane]) : std::nullopt);
    return 1;
  }
  if (calls) {
    cta.raise(TrapKind::illegal_call, site, lane, operand<u64>(context, 0)[lane],
              "the register holds no address of a function of this module");
    return 1;
  }
  const TrapKind kind = site.sem == SemId::brkpt         ? TrapKind::breakpoint
                        : what.flow == isa::Flow::branch ? TrapKind::illegal_call
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

/// Turns checked addresses into host addresses. Local memory never comes here.
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

/// Turns Context::addresses into host addresses. False: one was illegal, and there is a trap.
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

u32 atomic(Context* context, u32 number) {
  Cta& cta = cta_of(context);
  const Site& site = cta.site(number);
  if (!reach(context, cta, site)) return 1;
  const machine::AtomicFunction& function = machine::atomic_function(site.dispatch);
  for_each_lane(context->lanes, [&](u32 lane) {
    for (u32 i = 0; i < site.count; ++i) {
      const auto value = [&](u32 k) {
        return operand<u8>(context, k) + static_cast<std::size_t>(lane) * function.bytes;
      };
      const u64 address = context->addresses[lane] + u64{i} * function.bytes;
      const bool shared = address - context->shared_base < machine::kSharedSlot;
      function.run(address, value(i), value(site.has_third ? site.count : i), value(i), shared);
    }
  });
  return 0;
}

// --- across lanes (9.7.9.5, 9.7.13.8 to 9.7.13.14) ---

/// Whether the lanes of `group` have a legal membermask, `named`: it names all of them, and active
/// lanes that it names have the same one. Otherwise a strict launch traps.
bool may_name(Context* context, const Site& site, u32 group, u32 named, const u32* names) {
  Cta& cta = cta_of(context);
  if (const u32 strangers = group & ~named) {
    const u32 lane = static_cast<u32>(std::countr_zero(strangers));
    cta.raise(TrapKind::membermask, site, lane, std::nullopt,
              machine::describe_unnamed_thread(named, lane));
    return false;
  }
  // Threads may wait at different instructions of one barrier.
  const u32 others = isa::effects_of(site.sem).waits ? 0 : named & context->lanes & ~group;
  if (!others) return true;
  const u32 other = static_cast<u32>(std::countr_zero(others));
  cta.raise(TrapKind::membermask, site, static_cast<u32>(std::countr_zero(group)), std::nullopt,
            machine::describe_other_mask(named, other, names[other]));
  return false;
}

/// The lanes of `lanes` whose membermask is that of the first of them. Usually all 32 have the
/// same, for which the loop over them is a few vector instructions.
u32 lanes_with_same_members(const u32* names, u32 lanes) {
  const u32 named = names[std::countr_zero(lanes)];
  u32 differences = 0;
  for (u32 lane = 0; lane < kLanes; ++lane) differences |= names[lane] ^ named;
  if (!differences) return lanes;
  u32 group = 0;
  for_each_lane(lanes, [&](u32 lane) { group |= static_cast<u32>(names[lane] == named) << lane; });
  return group;
}

/// Calls `f` for each group of active lanes with the same membermask. False: there is a trap.
template <class F>
bool for_each_group(Context* context, const Site& site, const u32* names, F f) {
  const bool strict = cta_of(context).is_strict();
  u32 left = context->lanes;
  while (left) {
    const u32 named = names[std::countr_zero(left)];
    const u32 group = lanes_with_same_members(names, left);
    left &= ~group;
    if (strict && !may_name(context, site, group, named, names)) return false;
    f(group, named & context->lanes);
  }
  return true;
}

/// Checks the membermasks of an instruction that compiled code executes otherwise.
u32 members(Context* context, u32 number) {
  const Site& site = cta_of(context).site(number);
  return !for_each_group(context, site, operand<const u32>(context, 0), [](u32, u32) {});
}

/// A warp function whose operands are one register each. Results go where the site says.
class ScalarCall {
 public:
  ScalarCall(Context* context, const machine::WarpFunction& function, const Site& site)
      : context_(context),
        first_result_(site.first_result),
        first_is_predicate_(function.first_is_predicate) {
    for (u32 i = 0; i < function.sources; ++i) operands_[i] = context->operands[i];
    operands_[function.sources] = first_;
    operands_[function.sources + 1] = &second_;
  }
  void* const* operands() const { return operands_; }
  void give_results(u32 all) {
    // A result that is the same for all lanes is read from the first one's place.
    u32* out = reinterpret_cast<u32*>(first_);
    if (!first_is_predicate_ && !(all & 1)) out[0] = out[std::countr_zero(all)];
    std::memcpy(context_->operands[first_result_], first_, sizeof first_);
    *operand<u32>(context_, first_result_ + 1) = second_;
  }

 private:
  Context* context_;
  u32 first_result_;
  bool first_is_predicate_;
  alignas(64) u64 first_[kLanes] = {};
  u32 second_ = 0;
  void* operands_[machine::kMostWarpOperands];
};

/// One whose operands are of several registers. Results go behind the operands and the membermask,
/// if there is one.
class RegistersCall {
 public:
  RegistersCall(Context* context, const machine::WarpFunction& function, const Site& site) {
    while (count_ < std::size(site.registers) && site.registers[count_]) ++count_;
    u32 row = 0;
    for (u32 i = 0; i < count_; ++i) {
      if (site.has_members && i == count_ - function.results) members_ = row++;
      operands_[i] = static_cast<void*>(rows_ + row);
      row += site.registers[i];
    }
    for (u32 i = 0; i < row; ++i) rows_[i] = context->operands[i];
  }
  void* const* operands() const { return operands_; }
  u32 count() const { return count_; }
  u32 members() const { return members_; }  ///< the operand that is the membermask

 private:
  u32 count_ = 0, members_ = 0;
  void* rows_[kHelperOperands];
  void* operands_[machine::kMostWarpOperands];
};

u32 warp_op(Context* context, u32 number) {
  Cta& cta = cta_of(context);
  const Site& site = cta.site(number);
  const machine::WarpFunction& function = machine::warp_function(site.dispatch);
  const u32 all = context->lanes;
  isa::WarpContext environment{.core = cta.profile().tensor_core,
                               .warp = context->warp,
                               .shared = reinterpret_cast<const u8*>(context->shared_base),
                               .shared_bytes = static_cast<u32>(context->shared_size),
                               .textures = &cta.memory().textures().handles()};
  /// `members`: the operand that is the membermask.
  const auto run = [&](void* const* operands, u32 count, u32 members) {
    const auto of_group = [&](u32 group, u32 named) {
      function.run(site.runtime, environment, {named, group}, operands, count);
    };
    if (site.has_members)
      return for_each_group(context, site, operand<const u32>(context, members), of_group);
    of_group(all, all);
    return true;
  };
  const auto failed = [&] {
    if (!environment.failed()) return 0u;
    machine::FaultReport report = machine::report_of(environment.fault, *environment.textures, all);
    cta.raise(report.kind, site, report.lane, report.address, std::move(report.detail));
    return 1u;
  };
  if (!function.has_registers) {
    ScalarCall call(context, function, site);
    if (!run(call.operands(), function.sources + function.results, function.sources)) return 1;
    call.give_results(all);
    return failed();
  }
  const RegistersCall call(context, function, site);
  if (!run(call.operands(), call.count(), call.members())) return 1;
  return failed();
}

/// An access outside of the device's windows: legal only to registered host memory.
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

/// A helper that computes does so without flushing subnormal numbers, whatever the mode of its
/// caller.
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
