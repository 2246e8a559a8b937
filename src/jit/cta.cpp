// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "jit/cta.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstdlib>
#include <cstring>
#include <utility>

#include "base/check.h"
#include "ir/registers.h"
#include "isa/groups.h"
#include "jit/float_mode.h"
#include "jit/helpers.h"
#include "machine/shared_address.h"
#include "machine/tensor_memory_leak.h"

namespace heddle::jit {

using machine::CtaStatus;
using machine::TrapKind;

namespace {

// Compiled code has no type signature in front of it, which -fsanitize=function reads.
#ifdef __clang__
__attribute__((no_sanitize("function")))
#endif
Outcome
run_code(CtaCode* code, Context& context, u8* frames) {
  return static_cast<Outcome>(code(&context, frames));
}

/// Room for alloca and for as many calls as the interpreter has room for in a stack of `asked`
/// bytes, where a call takes at least 16. A compiled frame is larger, since it holds what the
/// interpreter keeps elsewhere. No more than a thread may have, unless that much was asked for.
u64 room_for_calls(u64 asked, u64 frame) {
  constexpr u64 kLeast = 16, kMost = 512 << 10;
  return std::max(asked, std::min((asked / kLeast + 1) * frame, kMost)) / 16 * 16;
}

}  // namespace

Cta::Cta(std::shared_ptr<const Code> code, machine::Launch& launch, const machine::Program& below,
         Cluster* cluster)
    : code_(std::move(code)),
      launch_(launch),
      region_(launch.loaded->region()),
      warps_in_team_(code_->image().team / kLanes),
      teams_(static_cast<u32>((launch.config->block.volume() + code_->image().team - 1) /
                              code_->image().team)),
      workspace_(std::size_t{teams_} * code_->image().frame_bytes),
      teams_at_(teams_),
      cluster_(cluster ? cluster : &alone_),
      below_(below) {
  if (cluster) {
    rank_ = static_cast<u32>(cluster->members.size());
    cluster->members.push_back(this);
  }
  if (code_->image().loops) watchdog_.emplace(context_, launch);
}

Cta::~Cta() {
  machine::Memory& memory = launch_.loaded->memory();
  if (alone_.base) memory.give_shared(region_, alone_.base, launch_.shared_bytes);
  if (local_base_) memory.give_local(region_, local_base_);
}

Result<u64> Cta::begin(u64 index, u64 most) {
  machine::Memory& memory = launch_.loaded->memory();
  if (!shared_base_) {
    if (cluster_ == &alone_) {
      const auto shared = memory.take_shared(region_, launch_.shared_bytes);
      if (!shared.ok()) return shared.error();
      shared_base_ = alone_.base = *shared;
    } else {
      shared_base_ = cluster_->base + rank_ * machine::kSharedSlot;
    }
    local_stride_ = code_->image().local_bytes;
    const u64 frame = code_->image().frame_of_call;
    if (frame || code_->image().allocates)
      local_stride_ += room_for_calls(launch_.config->stack_bytes, frame);
    if (local_stride_) {
      const auto local = memory.take_local(region_, local_stride_ * teams_ * code_->image().team);
      if (!local.ok()) return local.error();
      local_base_ = *local;
    }
    Context& c = context_;
    c.low_base = memory.low().all.base, c.low_size = memory.low().all.size;
    c.high_base = memory.high().all.base, c.high_size = memory.high().all.size;
    c.shared_base = shared_base_, c.shared_size = launch_.shared_bytes;
    c.first_shared = machine::first_shared_address(rank_);
    c.cluster_base = cluster_->base;
    c.cluster_size = launch_.cluster.volume() * machine::kSharedSlot;
    c.local_base = local_base_, c.local_stride = local_stride_;
    c.params = launch_.params, c.params_size = launch_.config->params.size();
    const machine::AddressRange constants = launch_.loaded->constants();
    c.const_base = constants.base, c.const_size = constants.size;
    c.symbols = code_->symbols();
    const machine::Dim3& grid = launch_.grid;
    c.nctaid[0] = grid.x, c.nctaid[1] = grid.y, c.nctaid[2] = grid.z;
    c.helpers = kHelperTable.data();
    c.owner = this;
  }
  // The code advances along a row, and from its end to the next one.
  if (launch_.rows > 1 || code_->image().waits || code_->allocates_tensor_memory()) most = 1;
  cluster_->tensor_memory.begin(rank());
  const machine::Dim3 place = launch_.place_of(index);
  context_.ctaid[0] = place.x, context_.ctaid[1] = place.y, context_.ctaid[2] = place.z;
  context_.left = most - 1;
  context_.begins = 1;
  context_.resume = 0;
  looked_at_ = ~u64{0};
  ended_ = false;
  return most;
}

/// True: the CTA has ended and not freed its tensor memory, which is a trap.
bool Cta::leaks_tensor_memory() {
  auto leak = machine::find_leak(launch_, place(), cluster_->tensor_memory.find(rank()));
  if (leak) trap_ = std::move(*leak);
  return leak.has_value();
}

/// Moves on to the next CTA, as code does if all warps end in one region. False: there is none.
bool Cta::next_cta() {
  Context& c = context_;
  if (!c.left) return false;
  --c.left;
  for (u32 axis = 0; axis < 3; ++axis) {
    if (++c.ctaid[axis] != c.nctaid[axis]) break;
    c.ctaid[axis] = 0;
  }
  c.begins = 1;
  return true;
}

/// Forgets barriers and ends of warps of the CTA before this one.
void Cta::begin_barriers() {
  if (std::exchange(looked_at_, index()) == index()) return;
  std::fill(teams_at_.begin(), teams_at_.end(), Team{});
  barriers_.resize(machine::kAllBarriers);
  for (machine::Barrier& barrier : barriers_) barrier.active = false;
  active_barriers_ = vain_rounds_ = 0;
  deadlock_detector_.reset();
  alone_.barrier_active = false;
}

CtaStatus Cta::run(u64 budget) {
  context_.barriers_left = static_cast<u32>(std::min<u64>(budget, ~u32{0}));
  const machine::FaultGuard guard(launch_.loaded->memory(), &recover_, &fault_);
  const FloatMode mode(code_->image().zeroes_subnormals);
  if (sigsetjmp(recover_, 0) != 0) return faulted();
  const CtaStatus status = run_warps();
  ended_ = status == CtaStatus::finished;
  if (ended_ && leaks_tensor_memory()) return CtaStatus::trapped;
  if (ended_ && cluster_->barrier_active) check_cluster_barrier();
  return status;
}

CtaStatus Cta::run_warps() {
  while (true) {
    switch (run_code(code_->cta(), context_, workspace_.frames())) {
      case Outcome::finished:
        return CtaStatus::finished;
      case Outcome::trapped:
        return CtaStatus::trapped;
      case Outcome::stopped:
        return CtaStatus::running;  // the launch knows why, and does not call again
      case Outcome::paused:
        context_.begins = 1;
        return CtaStatus::waiting;
      case Outcome::barriers:
        break;
    }
    if (look_at_warps()) return CtaStatus::trapped;
    bool ready = false, finished = true;
    for (u32 w = 0; w < teams_; ++w) {
      ready |= !teams_at_[w].finished && state(w).ready;
      finished &= teams_at_[w].finished;
    }
    if (finished) {
      if (next_cta()) continue;
      return CtaStatus::finished;
    }
    if (!ready) return deadlock();
    if (const auto status = look_around()) return *status;
  }
}

/// After a round: whether this CTA yields to others.
std::optional<CtaStatus> Cta::look_around() {
  if (!round_.yields) {
    deadlock_detector_.reset();
    vain_rounds_ = 0;
    return std::nullopt;
  }
  // Other CTAs of the cluster may have the answer.
  if (cluster_ != &alone_) return CtaStatus::waiting;
  if (round_.alone) {
    if (deadlock_detector_.is_deadlock([&](auto see) { see(*this); })) return deadlock();
    return std::nullopt;
  }
  deadlock_detector_.reset();
  if (round_.looks) return CtaStatus::waiting;
  if (++vain_rounds_ % kPatience == 0) return CtaStatus::running;
  return std::nullopt;
}

/// After a round: warps that have come to a barrier arrive there. True: a trap.
bool Cta::look_at_warps() {
  begin_barriers();
  const bool first = context_.begins;
  context_.begins = 0;
  round_ = {};
  for (u32 w = 0; w < teams_; ++w) {
    WarpState& state = this->state(w);
    Team& team = teams_at_[w];
    if (team.finished) continue;
    team.finished = state.resume == WarpState::kFinished;
    const bool looks = state.barrier == WarpState::kLooks;
    if (!team.finished && (looks || state.barrier == WarpState::kYields)) {
      state.ready = 1;
      const bool alone = !looks && site(state.site).alone;
      round_.looks &= looks || alone;
      round_.alone &= alone;
      continue;
    }
    round_.yields &= !first && !state.ready;  // it has made progress in this round
    if (team.finished) {
      state.ready = 0;
      continue;
    }
    if (state.barrier != WarpState::kArrived && !team.waits &&
        arrive(site(state.site), w, ~0u, state.barrier, 0, 0))
      return true;
    state.ready = !team.waits;
  }
  // Barriers no longer wait for warps that have finished.
  for (u32 number = 0; active_barriers_ && number < machine::kAllBarriers; ++number)
    check_barrier(number);
  if (cluster_->barrier_active) check_cluster_barrier();
  return false;
}

u32 Cta::arrive(const Site& site, u32 team, u32 lanes, u32 number, u32 count, u32 predicates) {
  begin_barriers();
  std::string why;
  if (site.sem == isa::SemId::warp_group_wait) {
    number = machine::group_barrier(team);
    count = machine::group_threads(team, teams_);
  } else {
    why = machine::refuse_barrier(barriers_, number, site.has_count ? &count : nullptr, teams_);
  }
  if (!why.empty()) {
    context_.warp = team * warps_in_team_;
    raise(TrapKind::illegal_barrier, site, static_cast<u32>(std::countr_zero(lanes)), std::nullopt,
          std::move(why));
    return 1;
  }
  machine::Barrier& barrier = barriers_[number];
  if (!barrier.active) {
    ++active_barriers_;
    barrier.begin(teams_, count);
  }
  barrier.arrived[team] |= lanes;
  if (site.sem == isa::SemId::bar_red) barrier.vote(predicates, lanes);
  teams_at_[team].number = number;
  teams_at_[team].waits = isa::effects_of(site.sem).waits;
  if (!teams_at_[team].waits) check_barrier(number);
  return 0;
}

/// Releases the warps at the barrier when all have arrived. All lanes of a warp that have not
/// exited arrive together; a warp that ends while others run is accounted for after the round.
void Cta::check_barrier(u32 number) {
  machine::Barrier& barrier = barriers_[number];
  if (!barrier.active) return;
  const bool complete = barrier.is_complete([&](u32 w) {
    if (teams_at_[w].finished) return 0u;
    return barrier.arrived[w] ? barrier.arrived[w] : ~0u;
  });
  if (!complete) return;
  barrier.active = false;
  --active_barriers_;
  for (u32 w = 0; w < teams_; ++w) {
    Team& team = teams_at_[w];
    if (!team.waits || team.number != number) continue;
    team.waits = false;
    state(w).ready = 1;
    const auto boolop = static_cast<sem::Boolop>(site(state(w).site).op);
    context_.barrier_result[w] = boolop == sem::Boolop::none   ? barrier.popc
                                 : boolop == sem::Boolop::and_ ? barrier.all
                                                               : barrier.popc != 0;
  }
}

// --- the cluster ---

u32 Cta::arrive_in_cluster(const Site& site) {
  begin_barriers();
  if (cluster_->members.empty()) cluster_->members.push_back(this);
  Team& team = teams_at_[context_.warp];
  if (team.in_cluster) {
    raise(TrapKind::illegal_barrier, site, static_cast<u32>(std::countr_zero(context_.lanes)),
          std::nullopt,
          "this thread has arrived at the cluster's barrier already, and others have not yet");
    return 1;
  }
  team.in_cluster = team.owes_wait = true;
  cluster_->barrier_active = true;
  check_cluster_barrier();
  return 0;
}

u32 Cta::wait_in_cluster(const Site& site) {
  begin_barriers();
  Team& team = teams_at_[context_.warp];
  if (!team.owes_wait) {
    raise(TrapKind::illegal_barrier, site, static_cast<u32>(std::countr_zero(context_.lanes)),
          std::nullopt, "this thread waits at the cluster's barrier, but has not arrived there");
    return 1;
  }
  context_.again = team.in_cluster;
  team.owes_wait = team.in_cluster;
  return 0;
}

bool Cta::has_arrived_in_cluster() const {
  if (ended_) return true;
  return looked_at_ == index() && std::ranges::all_of(teams_at_, [](const Team& team) {
           return team.finished || team.in_cluster;
         });
}

/// The phase is complete when all threads of the cluster that have not exited have arrived. All
/// such lanes of a warp arrive together.
void Cta::check_cluster_barrier() {
  if (!std::ranges::all_of(cluster_->members, &Cta::has_arrived_in_cluster)) return;
  cluster_->barrier_active = false;
  for (Cta* member : cluster_->members) {
    for (Team& team : member->teams_at_) team.in_cluster = false;
  }
}

void Cta::save_state() {
  const std::size_t bytes = std::size_t{teams_} * code_->image().frame_bytes;
  saved_frames_.assign(workspace_.frames(), workspace_.frames() + bytes);
}

bool Cta::has_saved_state() const {
  return std::memcmp(saved_frames_.data(), workspace_.frames(), saved_frames_.size()) == 0;
}

CtaStatus Cta::deadlock() {
  // Warps at barriers wait for those whose lanes wait for each other, so the latter are the cause.
  const auto first = std::ranges::find(teams_at_, false, &Team::finished);
  const auto in_warp = std::ranges::find_if(
      teams_at_, [](const Team& team) { return !team.finished && !team.waits; });
  const u32 w =
      static_cast<u32>((in_warp == teams_at_.end() ? first : in_warp) - teams_at_.begin());
  context_.warp = w * warps_in_team_;
  const Site& where = site(state(w).site);
  raise(TrapKind::deadlock, where, 0, std::nullopt,
        teams_at_[w].waits ? "all threads that are left wait; these " +
                                 machine::describe_barrier(teams_at_[w].number)
        : where.gathered ? "all threads that are left wait; these for others of their warp"
        : isa::effects_of(where.sem).waits
            ? "all threads that are left wait; these at the barrier of the cluster"
            : "all threads that are left wait; these for an mbarrier object");
  return CtaStatus::trapped;
}

CtaStatus Cta::trapped(TrapKind kind, const CodeLine* line, u32 lane, std::optional<u64> address) {
  const ir::Module& module = launch_.loaded->module();
  trap_ = machine::trap_at(
      kind, module, launch_.entry, line ? &module.functions[line->function] : nullptr,
      line ? line->inst : 0, launch_.config->block, place(), context_.warp * kLanes + lane);
  trap_.address = address;
  return CtaStatus::trapped;
}

namespace {

/// The instruction that accesses memory in the code of `inst`: a load may have been folded into the
/// host instruction that uses it.
u32 find_access(const ir::Function& function, u32 inst) {
  const auto accesses = [](const ir::Inst& one) {
    const isa::SemKind kind = one.get_form().sem_kind;
    return kind == isa::SemKind::memory || kind == isa::SemKind::engine;
  };
  if (accesses(function.insts[inst])) return inst;
  const auto needed = ir::registers_of(function, function.insts[inst]).read;
  for (u32 i = inst; i-- > 0;) {
    const auto written = ir::registers_of(function, function.insts[i]).written;
    if (accesses(function.insts[i]) && std::ranges::find_first_of(written, needed) != written.end())
      return i;
  }
  return inst;
}

}  // namespace

CtaStatus Cta::faulted() {
  const CodeLine* line = code_->line_at(fault_.code);
  CodeLine asked;
  if (line) {
    asked = *line;
    asked.inst = find_access(launch_.loaded->module().functions[line->function], line->inst);
    line = &asked;
  }
  if (!line && asked_) {  // the fault is in the run-time
    asked = {0, asked_->function, asked_->inst};
    line = &asked;
  }
  // In a loop over the lanes: the first lane whose address is near.
  constexpr u64 kMost = 128;
  u32 lane = context_.alone ? context_.alone - 1 : 0;
  for (u32 rest = context_.alone ? 0 : context_.lanes; rest; rest &= rest - 1) {
    const u32 one = static_cast<u32>(std::countr_zero(rest));
    if (fault_.address - context_.addresses[one] >= kMost) continue;
    lane = one;
    break;
  }
  const CtaStatus status = trapped(TrapKind::illegal_address, line, lane, fault_.address);
  trap_.detail = machine::describe_address(launch_.loaded->memory(), fault_.address);
  return status;
}

machine::Stepper& Cta::stepper() {
  if (!stepper_) stepper_ = below_.make_stepper(launch_, rank_);
  if (std::exchange(stepper_cta_, index()) != index())
    stepper_->begin({place(), index(), shared_base_, cluster_->base, local_base_, local_stride_,
                     &cluster_->tensor_memory});
  return *stepper_;
}

u32 Cta::step(const Site& site) {
  if (stepper().run(ir::FunctionId(site.function), site.inst, context_.warp, context_.lanes,
                    context_.operands))
    return 0;
  trap_ = stepper_->trap();
  return 1;
}

u32 Cta::call(const Site& site) {
  if (stepper().call(ir::FunctionId(site.function), site.inst, context_.warp, context_.lanes,
                     context_.operands))
    return 0;
  trap_ = stepper_->trap();
  return 1;
}

/// Whether the bytes lie in a window of the space.
bool Cta::is_legal(ir::Space space, u64 address, u64 bytes) const {
  const Context& c = context_;
  switch (space) {
    case ir::Space::shared:
      return machine::AddressRange{0, c.shared_size}.contains(address, bytes);
    case ir::Space::local:
      return machine::AddressRange{0, c.local_stride}.contains(address, bytes);
    case ir::Space::param:
      return machine::AddressRange{c.params, c.params_size}.contains(address, bytes);
    default:
      return launch_.loaded->memory().is_accessible(address, bytes);
  }
}

bool Cta::line_is_legal(const Site& site, const u64 (&begins)[2]) const {
  constexpr u32 kHalf = kLanes / 2;
  const u64 bytes = u64{site.bytes} * site.count;
  // Strides are limited (extent.h), so no sum wraps around.
  const u64 step = static_cast<u64>(site.step);
  if (step % bytes != 0) return false;
  for (u32 h = 0; h < 2; ++h) {
    const u32 lanes = context_.lanes >> h * kHalf & 0xffff;
    if (!lanes) continue;
    const u64 first = begins[h] + site.distance;
    u64 begin = first + step * static_cast<u32>(std::countr_zero(lanes));
    u64 end = first + step * (31 - static_cast<u32>(std::countl_zero(lanes)));
    if (site.step < 0) std::swap(begin, end);
    if (begin % bytes != 0 || end < begin || !is_legal(site.space, begin, end - begin + bytes))
      return false;
  }
  return true;
}

void Cta::overflow(const Site& site, u32 lane, std::optional<u64> pointer) {
  raise(TrapKind::stack_overflow, site, lane, pointer,
        fmt::format("beside its variables a thread has {} bytes of local memory",
                    local_stride_ - code_->image().local_bytes));
}

u32 Cta::check_access(const Site& site, u64 distance) {
  const Context& c = context_;
  const u64 bytes = u64{site.bytes} * site.count;
  const auto inside = [&](u64 address) { return is_legal(site.space, address, bytes); };
  for (u32 rest = c.lanes; rest; rest &= rest - 1) {
    const u32 lane = static_cast<u32>(std::countr_zero(rest));
    u64 address = c.addresses[lane] + distance;
    if (site.narrow) address = static_cast<u32>(address);
    if (inside(address) && address % bytes == 0) continue;
    if (site.space == ir::Space::local && isa::effects_of(site.sem).flow == isa::Flow::call) {
      overflow(site, lane, std::nullopt);
      return 1;
    }
    const CodeLine line{0, site.function, site.inst};
    trapped(inside(address) ? TrapKind::misaligned_address : TrapKind::illegal_address, &line, lane,
            site.space == ir::Space::param ? address - c.params : address);
    switch (site.space) {
      case ir::Space::shared:
        trap_.address = machine::used_shared_address(address, rank_);
        trap_.detail = machine::describe_shared_address(*trap_.address, rank_, launch_);
        break;
      case ir::Space::local:
        trap_.detail = fmt::format("a thread has {} bytes of local memory", local_stride_);
        break;
      case ir::Space::param:
        trap_.detail = fmt::format("the kernel has {} bytes of parameters", c.params_size);
        break;
      default:
        trap_.detail = machine::describe_address(launch_.loaded->memory(), address);
    }
    return 1;
  }
  return 0;
}

}  // namespace heddle::jit
