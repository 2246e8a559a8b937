// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The machine's interface to an engine (the interpreter, the JIT), which prepares a kernel once,
// and runs CTAs of a launch a time slice at a time. The machine decides which CTA runs where and
// when; the engine does not schedule grids or host threads.
#pragma once

#include <algorithm>
#include <atomic>
#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "machine/device_launch.h"
#include "machine/device_runtime.h"
#include "machine/loaded.h"
#include "machine/profile.h"
#include "machine/schedule.h"
#include "machine/trap.h"

namespace heddle::machine {

/// The largest cluster, in CTAs, that every device with clusters supports, and the largest that
/// Heddle's devices support (11.7).
inline constexpr u32 kPortableCluster = 8, kLargestCluster = 16;
inline constexpr u32 kFirstClusterTarget = 90;

/// The host's parameters of a launch (cuLaunchKernel), which check_launch() validates (launch.h).
struct LaunchShape {
  Dim3 grid, block;
  std::optional<Dim3> cluster = std::nullopt;  ///< CTAs in a cluster; none: as the kernel declares
  bool large_clusters = false;  ///< clusters of more than kPortableCluster CTAs are allowed
  u32 dynamic_shared = 0;       ///< bytes
  bool cooperative = false;     ///< all CTAs must be resident
};

/// Parameters that may differ each time that a launch runs.
struct RunOptions {
  std::vector<u8> params;       ///< the kernel's parameter block, at least Function::param_bytes
  u32 stack_bytes = 1024;       ///< local memory per thread for calls, beside the kernel's own
  double time_limit = 0;        ///< seconds of wall clock; 0: none
  u32 workers = 0;              ///< most host threads that run it; 0: worker_count()
  std::optional<u64> schedule;  ///< seed of a pseudo-random order (schedule.h); none: the fast one
  const std::atomic<bool>* cancel = nullptr;
  DeviceRuntime* runtime = nullptr;  ///< null: the launch creates its own
  /// For kernels that launch kernels; null: their launches return cudaErrorNotSupported.
  KernelHost* kernels = nullptr;
  /// Called for each instruction that accessed unallocated memory. Its load read zeros, its store
  /// was dropped, and the launch continues. Called by several threads; empty: such an access traps.
  std::function<void(const Trap&)> on_fault;
  /// A wrong membermask traps; otherwise the instruction behaves as on a GPU (membermask.h).
  bool strict_membermasks = true;
};

struct LaunchConfig : LaunchShape, RunOptions {};

/// The workspace of the grid's barrier in a cooperative launch; CUDA's cooperative_groups find its
/// address in %envreg1 (high word) and %envreg2.
struct GridWorkspace {
  u32 bytes = sizeof(GridWorkspace);
  u32 barrier = 0;
};

/// A running launch, shared by all its CTAs; constant except for the flags.
struct Launch {
  const Loaded* loaded;
  ir::FunctionId entry;
  const LaunchConfig* config;
  const Profile* profile;
  Dim3 grid;                      ///< in CTAs
  Dim3 cluster;                   ///< in CTAs; one without clusters
  bool explicit_cluster = false;  ///< the kernel or the launch says so
  u32 rows = 1;                   ///< rows of the grid that are begun together: place_of()
  u32 shared_bytes = 0;           ///< static + dynamic, per CTA
  u64 params = 0;                 ///< address of the parameter block in device memory
  u64 grid_workspace = 0;         ///< address of the GridWorkspace of a cooperative launch; else 0
  u64 grid_id = 0;
  DeviceRuntime* runtime = nullptr;    ///< not null while the launch runs
  DeviceLaunches* launches = nullptr;  ///< not null while the launch runs
  std::optional<std::chrono::steady_clock::time_point> deadline;
  /// Cancels a cluster that has not begun, and returns its number. None: all have begun.
  std::function<std::optional<u64>()> cancel_next;
  /// The place of the CTA that is begun as number `number`. The order is x fastest, or, with `rows`
  /// > 1, columns of `rows` CTAs.
  Dim3 place_of(u64 number) const {
    const u64 plane = u64{grid.x} * grid.y, in_plane = number % plane;
    const u64 first = in_plane / (u64{grid.x} * rows) * rows;
    const u64 column = std::min<u64>(rows, grid.y - first), rest = in_plane - first * grid.x;
    return {static_cast<u32>(rest / column), static_cast<u32>(first + rest % column),
            static_cast<u32>(number / plane)};
  }
  /// The first CTA of a cluster, by its coordinates in the grid.
  Dim3 first_of_cluster(u64 cluster_number) const {
    const u64 columns = grid.x / cluster.x, rows = grid.y / cluster.y;
    return {static_cast<u32>(cluster_number % columns) * cluster.x,
            static_cast<u32>(cluster_number / columns % rows) * cluster.y,
            static_cast<u32>(cluster_number / columns / rows) * cluster.z};
  }
  /// The number in the grid, x fastest, of the CTA with that rank in the cluster.
  u64 in_cluster(u64 cluster_number, u32 rank) const {
    const Dim3 first = first_of_cluster(cluster_number);
    const u64 x = first.x + rank % cluster.x;
    const u64 y = first.y + rank / cluster.x % cluster.y;
    const u64 z = first.z + rank / cluster.x / cluster.y;
    return x + grid.x * (y + grid.y * z);
  }
  std::optional<Random> random;   ///< of a pseudo-random schedule, on one host thread
  std::atomic<bool> stop{false};  ///< set at the first trap: all other CTAs stop
};

class ClusterTensorMemory;

enum class CtaStatus : u8 {
  finished,
  running,  ///< the slice is used up; the CTA can go on
  waiting,  ///< all its threads spin or sleep: other CTAs should run first
  trapped,
};

/// One resident CTA, or all CTAs of a cluster, which are begun and run together. Used by one host
/// thread at a time.
class Cta {
 public:
  virtual ~Cta() = default;
  /// Lets this object run CTA (cluster) number `index` (x fastest) of the launch from its start,
  /// and then the following ones, one after the other. Returns the number of CTAs that it took: at
  /// most `most`, and more than one only if none of them can wait for another.
  virtual Result<u64> begin(u64 index, u64 most) = 0;
  /// Runs about `budget` warp instructions.
  virtual CtaStatus run(u64 budget) = 0;
  /// The trap, after `run` returned CtaStatus::trapped.
  virtual const Trap& trap() const = 0;
};

/// The place of a warp for whose engine a Stepper runs an instruction.
struct StepPlace {
  Dim3 cta;
  u64 cta_index = 0;
  u64 shared_base = 0, cluster_base = 0;  ///< shared windows of the CTA, of its cluster
  u64 local_base = 0, local_stride = 0;   ///< of the CTA's first thread; from thread to thread
  ClusterTensorMemory* tensor_memory = nullptr;  ///< of the CTA's cluster
};

/// The fallback engine: runs single instructions of a kernel for an engine that has no code for
/// them. A row holds the 32 lanes of one value side by side; of a predicate, a word of bits. A
/// value of 128 bits takes two rows.
class Stepper {
 public:
  virtual ~Stepper() = default;
  virtual void begin(const StepPlace& place) = 0;
  /// `rows`: the registers that the instruction reads, then the registers that it writes, in the
  /// order of ir::registers_of(); for a call of a system function the arguments as 64-bit numbers,
  /// then the result. A wait for a barrier object returns its result at once, without waiting.
  /// False: trapped.
  virtual bool run(ir::FunctionId function, u32 inst, u32 warp, u32 lanes, u64 (*rows)[32]) = 0;
  /// Runs a call of a function, which calls no other function and waits for no other thread, until
  /// it returns. The function uses the stepper's local memory. `rows`: the arguments in words of 64
  /// bits; afterwards, from the first row on, the results. False: trapped.
  virtual bool call(ir::FunctionId function, u32 inst, u32 warp, u32 lanes, u64 (*rows)[32]) = 0;
  virtual const Trap& trap() const = 0;  ///< the last trap
};

/// A kernel made ready for running. Shared by launches and threads.
class Program {
 public:
  virtual ~Program() = default;
  virtual std::unique_ptr<Cta> make_cta(Launch& launch) const = 0;
  /// For the CTAs with that rank in a cluster. Null: this engine has no stepper.
  virtual std::unique_ptr<Stepper> make_stepper(Launch&, u32 rank) const {
    static_cast<void>(rank);
    return nullptr;
  }
  /// The value of Launch::rows for a launch that begins.
  virtual u32 rows(const Launch&) const { return 1; }
  /// Whether CTAs of a launch that begins may wait for earlier CTAs: then each worker takes the
  /// next CTA of the grid, instead of having a share of the grid.
  virtual bool in_order(const Launch&) const { return false; }
  /// The name of the engine that runs such a launch, for traces.
  virtual std::string_view engine(const LaunchConfig& config) const = 0;
};

class Engine {
 public:
  virtual ~Engine() = default;
  /// Fails when the kernel reaches a call that cannot be made, such as one of a system function
  /// with other parameters; the message names its line.
  virtual Result<std::shared_ptr<const Program>> prepare(std::shared_ptr<const Loaded> loaded,
                                                         ir::FunctionId entry) = 0;
};

}  // namespace heddle::machine
