// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "machine/launch.h"

#include <fmt/format.h>
#include <sched.h>

#include <algorithm>
#include <cstring>
#include <mutex>
#include <new>
#include <thread>
#include <utility>

#include "base/config.h"
#include "machine/fault_signals.h"
#include "machine/launch_check.h"
#include "machine/pool.h"
#include "machine/time_slice.h"

namespace heddle::machine {
namespace {

using Clock = std::chrono::steady_clock;

/// For a pseudo-random schedule: the number of resident CTAs, the largest budget of a slice, and
/// the slices of each CTA, none of which finishes, before the number of resident CTAs grows.
constexpr u32 kMixedCtas = 8, kMixedSlice = 16, kMixedTries = 256;
/// A worker takes at least as many CTAs at a time as it runs in this time. For fewer, taking them
/// would cost too much: the counters of remaining CTAs are in the caches of other processors.
constexpr std::chrono::nanoseconds kShortestTurn{400};

bool is_late(const Launch& launch) { return launch.deadline && Clock::now() > *launch.deadline; }
bool is_cancelled(const Launch& launch) {
  return launch.config->cancel && launch.config->cancel->load(std::memory_order_relaxed);
}

/// The CTAs of one grid, or its clusters, handed out to workers: `count` of them from `first` on.
class Grid {
 public:
  static constexpr u64 kMost = u64{1} << 31;  ///< the most CTAs of one object

  Grid(const Program& program, Launch& launch, u64 first, u64 count, u32 workers)
      : program_(program),
        launch_(launch),
        first_(first),
        total_(count),
        shares_(program.in_order(launch) ? 1 : workers) {
    // The chunk is large enough that taking it costs almost nothing, and small enough that the last
    // CTAs are spread evenly and that a cancelled launch ends soon.
    alone_ = workers == 1;
    if (alone_)
      chunk_ = 256;
    else if (shares_.size() == workers)
      chunk_ = std::clamp<u64>(total_ / (u64{workers} * 16), 1, 64);
    residency_ =
        u64{launch.profile->multiprocessors} * launch.profile->max_blocks_per_multiprocessor;
    residency_ = std::max<u64>(residency_ / launch.cluster.volume() / workers, 1);
    if (launch.config->cooperative) residency_ = total_, chunk_ = 1;
    share_ = (total_ + workers - 1) / workers;
    const u64 part = (total_ + shares_.size() - 1) / shares_.size();
    const auto cut = [&](u64 w) { return static_cast<u32>(std::min(part * w, total_)); };
    for (u64 w = 0; w < shares_.size(); ++w) shares_[w].left = Range{cut(w), cut(w + 1)};
    launch.cancel_next = [this]() -> std::optional<u64> {
      u64 next = 0, end = 0;
      return take(0, next, end, 1) ? std::optional(next) : std::nullopt;
    };
  }

  /// The work of one host thread: runs CTAs of its share, then of other shares, until none is left.
  void work(u32 worker) {
    if (launch_.random)
      mix_ctas(*launch_.random);
    else
      run_ctas(worker);
  }

  LaunchResult result() && {
    if (error_) return std::move(*error_);
    if (trap_) return std::move(*trap_);
    return std::monostate{};
  }

 private:
  /// The least number of CTAs that a worker takes at a time. It is measured with the second chunk:
  /// the first CTAs are slower, because the launch's data is not in the cache yet.
  struct Pace {
    u64 fewest = 1;
    u32 takes = 0;
    Clock::time_point second;
    /// Called before the worker takes a chunk; `taken`: the number of CTAs of the last chunk.
    void look(u64 taken) {
      if (++takes == 2) second = Clock::now();
      if (takes != 3) return;
      const auto time = std::max(Clock::now() - second, std::chrono::nanoseconds{1});
      fewest = std::max<u64>(static_cast<u64>(kShortestTurn * taken / time), 1);
    }
  };

  void run_ctas(u32 worker) {
    std::vector<std::unique_ptr<Cta>> resident, idle;
    u64 next = 0, end = 0, taken = 0;
    Pace pace;
    // A cooperative grid may synchronize as a whole: a worker begins all CTAs of its share first,
    // and CTAs of other workers' shares once its own wait.
    const bool cooperative = launch_.config->cooperative;
    TimeSlice slice(cooperative);
    while (!stopped()) {
      const bool waits = !resident.empty() && slice.is_used_up(resident.size());
      const u64 most = std::max<u64>(waits ? std::min(2 * resident.size(), residency_) : 1,
                                     cooperative ? share_ : 1);
      const std::size_t before = resident.size();
      while (resident.size() < most) {
        if (next == end) {
          if (chunk_ > 1 && !alone_) pace.look(taken);
          if (!take(worker, next, end, chunk_, alone_ ? chunk_ : pace.fewest)) break;
          taken = end - next;
        }
        if (!begin(next, cooperative ? next + 1 : end, resident, idle)) return;
      }
      if (resident.empty()) return;
      if (waits) resident.size() > before ? slice.more_begun() : slice.none_to_begin();
      for (std::size_t i = 0; i < resident.size() && !stopped();) {
        const auto begun = Clock::now();
        bool timed = true;  // reading the clock for each CTA would cost small CTAs too much
        CtaStatus status = resident[i]->run(slice.budget());
        // Most grids: one CTA after the other.
        while (status == CtaStatus::finished && resident.size() == 1 && next != end &&
               !cooperative && !stopped()) {
          if (!begin(*resident[i], next, end)) return;
          slice.finished(true);
          timed = false;
          status = resident[i]->run(slice.budget());
        }
        if (status == CtaStatus::finished) {
          idle.push_back(std::move(resident[i]));
          resident.erase(resident.begin() + static_cast<std::ptrdiff_t>(i));
          slice.finished(resident.empty());
        } else if (status == CtaStatus::trapped) {
          fail(resident[i]->trap());
          return;
        } else {
          const bool waiting = status == CtaStatus::waiting;
          if (timed || waiting) slice.unfinished(Clock::now() - begun, waiting);
          if (status == CtaStatus::running) FaultSignals::come_first();
          ++i;
        }
      }
      if (waits && next == end && resident.size() == 1) std::this_thread::yield();
    }
  }

  /// As run_ctas(), but in each step a CTA that is chosen at random runs a few instructions.
  void mix_ctas(Random& random) {
    std::vector<std::unique_ptr<Cta>> resident, idle;
    u64 most = launch_.config->cooperative ? residency_ : std::min<u64>(residency_, kMixedCtas);
    u64 next = 0, end = 0, fruitless = 0;  // slices since a CTA finished
    while (!stopped()) {
      // The resident CTAs may wait for CTAs that have not begun.
      if (fruitless > kMixedTries * resident.size()) {
        most = std::min(std::max<u64>(most, 2 * resident.size()), residency_);
        fruitless = 0;
      }
      while (resident.size() < most && take(0, next, end, 1)) {
        if (!begin(next, end, resident, idle)) return;
      }
      if (resident.empty()) return;
      const u32 chosen = random.below(resident.size());
      const CtaStatus status = resident[chosen]->run(1 + random.below(kMixedSlice));
      if (status == CtaStatus::trapped) return fail(resident[chosen]->trap());
      ++fruitless;
      if (status != CtaStatus::finished) continue;
      fruitless = 0;
      idle.push_back(std::move(resident[chosen]));
      resident.erase(resident.begin() + chosen);
    }
  }

  bool stopped() {
    if (launch_.stop.load(std::memory_order_relaxed)) return true;
    const bool late = is_late(launch_);
    const bool over = late || is_cancelled(launch_);
    if (over) {
      Trap trap{};
      trap.kind = TrapKind::time_limit;
      const ir::Function& kernel = launch_.loaded->module().functions[launch_.entry.value];
      trap.kernel = trap.function = kernel.name;
      trap.at = kernel.at;
      trap.file = launch_.loaded->module().name;
      trap.detail = late
                        ? fmt::format("the launch ran longer than {} s", launch_.config->time_limit)
                        : "cancelled";
      fail(trap);
    }
    return over;
  }

  /// Takes CTAs from the beginning of the worker's share, then from the ends of other shares. So
  /// each processor runs mostly the same CTAs in the next launch of such a grid, and finds their
  /// data in its cache, also if one processor is faster than the other. Takes fewer at a time
  /// towards the end of a share, so that no worker waits long for the worker with the last CTAs.
  bool take(u32 worker, u64& next, u64& end, u64 most, u64 fewest = 1) {
    for (std::size_t i = 0; i < shares_.size(); ++i) {
      std::atomic<Range>& left = shares_[(worker + i) % shares_.size()].left;
      Range now = left.load(std::memory_order_relaxed);
      while (now.begin < now.end) {
        const u32 rest = now.end - now.begin;
        const u64 wanted = std::max(std::min<u64>(rest / 4, most), fewest);
        const u32 count = static_cast<u32>(std::min<u64>(wanted, rest));
        const Range taken =
            i == 0 ? Range{now.begin, now.begin + count} : Range{now.end - count, now.end};
        const Range others = i == 0 ? Range{taken.end, now.end} : Range{now.begin, taken.begin};
        if (!left.compare_exchange_weak(now, others, std::memory_order_relaxed)) continue;
        next = first_ + taken.begin;
        end = first_ + taken.end;
        return true;
      }
    }
    return false;
  }

  bool begin(u64& next, u64 end, std::vector<std::unique_ptr<Cta>>& resident,
             std::vector<std::unique_ptr<Cta>>& idle) {
    std::unique_ptr<Cta> cta;
    if (!idle.empty()) {
      cta = std::move(idle.back());
      idle.pop_back();
    } else {
      cta = program_.make_cta(launch_);
    }
    if (!begin(*cta, next, end)) return false;
    resident.push_back(std::move(cta));
    return true;
  }

  bool begin(Cta& cta, u64& next, u64 end) {
    const auto begun = cta.begin(next, end - next);
    if (begun.ok()) {
      next += *begun;
      return true;
    }
    const std::lock_guard lock(mutex_);
    if (!error_) error_ = LaunchError{LaunchError::Reason::out_of_memory, begun.error().message};
    launch_.stop = true;
    return false;
  }

  void fail(const Trap& trap) {
    const std::lock_guard lock(mutex_);
    if (!trap_) trap_ = trap;
    launch_.stop = true;
  }

  const Program& program_;
  Launch& launch_;
  /// Counted from first_.
  struct alignas(8) Range {
    u32 begin = 0, end = 0;
  };
  /// The CTAs of one worker, or of all workers. The padding keeps two shares out of one cache line
  /// (false sharing); an aligned allocation would take longer than a small grid.
  struct Share {
    std::atomic<Range> left{Range{}};
    u8 distance[120];
  };

  const u64 first_, total_;  ///< CTAs, or clusters
  std::vector<Share> shares_;
  bool alone_;
  u64 chunk_ = 1, residency_, share_;
  std::mutex mutex_;
  std::optional<Trap> trap_;
  std::optional<LaunchError> error_;
};

}  // namespace

bool is_over(const Launch& launch) {
  return launch.stop.load(std::memory_order_relaxed) || is_cancelled(launch) || is_late(launch);
}

u32 worker_count() {
  if (const auto count = heddle::config().threads) return *count;
  cpu_set_t set;
  CPU_ZERO(&set);
  if (sched_getaffinity(0, sizeof set, &set) == 0) return std::max(1, CPU_COUNT(&set));
  return std::max(1u, std::thread::hardware_concurrency());
}

namespace {

/// The state that a launch's grid and its nested grids share.
struct Family {
  const Profile& profile;
  const Loaded& loaded;
  DeviceRuntime& runtime;
  std::optional<Clock::time_point> deadline;
};

/// Runs one grid; `pending` becomes the work that its kernel gave to the device run-time.
LaunchResult run_grid(const Family& family, const Program& program, ir::FunctionId entry,
                      const LaunchConfig& config, u32 depth, PendingWork& pending) {
  static std::atomic<u64> grids{0};  // %gridid: unique per launch in the process
  const Loaded& loaded = family.loaded;
  const ir::Function& kernel = loaded.module().functions[entry.value];
  Launch launch{};
  launch.loaded = &loaded;
  launch.entry = entry;
  launch.config = &config;
  launch.profile = &family.profile;
  launch.grid_id = grids.fetch_add(1, std::memory_order_relaxed) + 1;
  const GridShape shape = shape_of(kernel, config);
  launch.grid = shape.grid;
  launch.cluster = shape.cluster;
  launch.explicit_cluster = shape.explicit_cluster;
  launch.shared_bytes = loaded.shared_layout(entry).static_bytes + config.dynamic_shared;
  const bool low = loaded.module().address_size == 32;
  const u64 params_size = config.params.size();
  const auto params = loaded.memory().take_params(params_size, low);
  if (!params.ok()) return LaunchError{LaunchError::Reason::out_of_memory, params.error().message};
  launch.params = *params;
  if (!config.params.empty())
    std::memcpy(reinterpret_cast<void*>(launch.params), config.params.data(), config.params.size());
  if (config.cooperative) {
    const auto workspace = loaded.memory().allocate(sizeof(GridWorkspace), 256, low);
    if (!workspace.ok()) {
      loaded.memory().give_params(launch.params, params_size, low);
      return LaunchError{LaunchError::Reason::out_of_memory, workspace.error().message};
    }
    launch.grid_workspace = *workspace;
    new (reinterpret_cast<void*>(launch.grid_workspace)) GridWorkspace;
  }
  launch.deadline = family.deadline;
  if (config.schedule) launch.random.emplace(*config.schedule);
  launch.runtime = &family.runtime;
  DeviceLaunches launches(launch, depth);
  launch.launches = &launches;
  launch.rows = program.rows(launch);
  const u64 units = launch.grid.volume() / launch.cluster.volume();
  // A seed always gives the same schedule because one thread draws all numbers.
  const bool alone = launch.random || units == 1;
  const u32 most = config.workers ? config.workers : worker_count();
  const u32 workers = alone ? 1 : static_cast<u32>(std::min<u64>(most, units));
  const FaultSignals signals;
  LaunchResult result;
  for (u64 first = 0; first < units && !launch.stop; first += Grid::kMost) {
    Grid grid(program, launch, first, std::min(units - first, Grid::kMost), workers);
    if (workers == 1)
      grid.work(0);
    else
      Pool::of_process().run(workers - 1, [&](u32 worker) { grid.work(worker); });
    result = std::move(grid).result();
  }
  loaded.memory().give_params(launch.params, params_size, low);
  if (launch.grid_workspace) loaded.memory().release(launch.grid_workspace);
  launch.runtime->flush();
  pending = launches.take();
  return result;
}

/// The trap of a kernel's copy or memset of unallocated memory.
LaunchResult fault_of(const Family& family, ir::FunctionId entry, const DeviceWork& work,
                      u64 address) {
  Trap trap = trap_at(TrapKind::illegal_address, family.loaded.module(), entry, nullptr, 0,
                      {1, 1, 1}, {0, 0, 0}, 0);
  trap.function = trap.kernel;
  trap.at = family.loaded.module().functions[entry.value].at;
  trap.instruction = work.kind == DeviceWork::Kind::copy ? "cudaMemcpyAsync" : "cudaMemsetAsync";
  trap.address = address;
  trap.detail = describe_address(family.loaded.memory(), address);
  return trap;
}

/// Runs one piece of device work. `parent`: the kernel that the host launched.
LaunchResult run_work(const Family& family, ir::FunctionId parent, const LaunchConfig& from_host,
                      DeviceWork work, PendingWork& pending) {
  if (work.kind != DeviceWork::Kind::kernel) {
    const auto bad = move_memory(family.loaded.memory(), work);
    return bad ? fault_of(family, parent, work, *bad) : LaunchResult{};
  }
  const auto kernel = from_host.kernels->kernel(work.kernel);
  if (!kernel.ok()) return LaunchError{LaunchError::Reason::not_supported, kernel.error().message};
  LaunchConfig config = from_host;
  config.grid = work.grid;
  config.block = work.block;
  config.cluster = kernel->cluster;
  config.large_clusters = kernel->large_clusters;
  config.dynamic_shared = work.dynamic_shared;
  config.params = std::move(work.params);
  config.cooperative = false;
  LaunchResult result;
  from_host.kernels->run(work.kernel, config, *kernel->program, [&] {
    result = run_grid(family, *kernel->program, work.kernel, config, work.depth, pending);
  });
  return result;
}

bool went_well(const LaunchResult& result) {
  return std::holds_alternative<std::monostate>(result);
}

}  // namespace

LaunchResult launch(const Profile& profile, const Program& program, const Loaded& loaded,
                    ir::FunctionId entry, const LaunchConfig& config) {
  const auto checked = check_launch(profile, loaded, entry, config);
  if (!checked.ok()) return checked.error();
  return launch(*checked, program, config);
}

LaunchResult launch(const CheckedLaunch& checked, const Program& program, RunOptions options) {
  const Profile& profile = checked.profile();
  const Loaded& loaded = checked.loaded();
  const ir::FunctionId entry = checked.entry();
  const LaunchConfig config{checked.shape(), std::move(options)};
  const ir::Function& kernel = loaded.module().functions[entry.value];
  if (config.params.size() < kernel.param_bytes) {
    return LaunchError{LaunchError::Reason::invalid_value,
                       fmt::format("kernel '{}': {} bytes of parameters given, {} needed",
                                   kernel.name, config.params.size(), kernel.param_bytes)};
  }
  std::optional<DeviceRuntime> own;
  Family family{profile, loaded, config.runtime ? *config.runtime : own.emplace(loaded.memory()),
                std::nullopt};
  if (config.time_limit > 0) {
    family.deadline = Clock::now() + std::chrono::duration_cast<Clock::duration>(
                                         std::chrono::duration<double>(config.time_limit));
  }
  PendingWork pending;
  LaunchResult result = run_grid(family, program, entry, config, 0, pending);
  // The grids that are not complete yet, each nested in the one before it. A grid is removed when
  // the last piece of its work begins, so grids that tail-launch themselves need no more entries.
  std::vector<PendingWork> open;
  while (went_well(result)) {
    if (!pending.empty()) open.push_back(std::exchange(pending, {}));
    if (open.empty()) break;
    PendingWork& innermost = open.back();
    std::deque<DeviceWork>& next = innermost.now.empty() ? innermost.tail : innermost.now;
    DeviceWork work = std::move(next.front());
    next.pop_front();
    if (innermost.empty()) open.pop_back();
    result = run_work(family, entry, config, std::move(work), pending);
  }
  return result;
}

}  // namespace heddle::machine
