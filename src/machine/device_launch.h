// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The work that the kernels of one grid give to CUDA's device run-time: other grids, copies and
// memsets, in streams of the device (CUDA C++ Programming Guide, "CUDA Dynamic Parallelism"). The
// work begins after the grid's own CTAs have ended, which the guide allows: a parent and its child
// need not run at the same time. It is done in the order of the calls, one piece after the other,
// which is a legal order for every stream and every event. Work in the tail stream comes after all
// other work. A grid is complete when all its work is complete.
#pragma once

#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/result.h"
#include "ir/module.h"
#include "machine/memory.h"
#include "machine/trap.h"

namespace heddle::machine {

class Program;
struct Launch;
struct LaunchConfig;

/// The values of cudaError_t that the device run-time returns.
enum class DeviceError : u32 {
  success = 0,
  invalid_value = 1,
  out_of_memory = 2,
  invalid_configuration = 9,
  max_depth_exceeded = 65,
  pending_count_exceeded = 69,
  invalid_function = 98,
  invalid_device = 101,
  invalid_handle = 400,
  illegal_address = 700,
  out_of_resources = 701,
  not_supported = 801,
  unknown = 999,
};
/// cudaGetErrorName and cudaGetErrorString.
std::string_view name_of(DeviceError error);
std::string_view describe(DeviceError error);

/// The greatest depth of nested launches; a grid that the host launched has depth 0.
inline constexpr u32 kMostNested = 24;

/// The interface through which a launch gets kernels of its module and numbers of the device from
/// the driver, and has child kernels run. Thread-safe.
class KernelHost {
 public:
  struct Kernel {
    std::shared_ptr<const Program> program;
    u32 most_dynamic_shared = 0;  ///< bytes
    std::optional<Dim3> cluster;  ///< set by the host for the kernel
    bool large_clusters = false;
  };
  virtual ~KernelHost() = default;
  virtual Result<Kernel> kernel(ir::FunctionId id) = 0;
  /// cudaDeviceGetAttribute and cudaDeviceGetLimit, by number; none: there is no such attribute or
  /// limit.
  virtual std::optional<s64> attribute(u32 /*name*/, u32 /*device*/) { return std::nullopt; }
  virtual std::optional<u64> limit(u32) { return std::nullopt; }
  virtual u32 device() const { return 0; }
  virtual u32 devices() const { return 1; }
  /// The number of CTAs of the kernel that fit on a multiprocessor; none: not known.
  virtual std::optional<u32> occupancy(ir::FunctionId, u32, u64) { return std::nullopt; }
  /// The limit of pending launches; none: no limit.
  virtual std::optional<u64> most_pending() const { return std::nullopt; }
  /// Runs `grid`, a launch of the kernel by a kernel.
  virtual void run(ir::FunctionId, const LaunchConfig&, const Program&,
                   const std::function<void()>& grid) {
    grid();
  }
};

/// One piece of work.
struct DeviceWork {
  enum class Kind : u8 { kernel, copy, fill } kind = Kind::kernel;
  // A kernel.
  ir::FunctionId kernel;
  Dim3 grid, block;
  u32 dynamic_shared = 0;
  std::vector<u8> params;
  u32 depth = 0;  ///< of the grid, counted from that of the host
  // A copy, or a memset with `value`: `depth` slices of `height` rows of `width` bytes.
  struct Side {
    u64 address = 0, pitch = 0,
        slice = 0;  ///< bytes from row to row, from slice to slice
  } to, from;
  u64 width = 0, height = 1, slices = 1;
  u8 value = 0;
};

/// The work of a grid that is not done yet.
struct PendingWork {
  std::deque<DeviceWork> now, tail;
  bool empty() const { return now.empty() && tail.empty(); }
};

/// The calls of one grid to the device run-time. Thread-safe. `thread`: the number of the calling
/// thread in its grid; each thread has its own last error.
class DeviceLaunches {
 public:
  DeviceLaunches(const Launch& launch, u32 depth) : launch_(launch), depth_(depth) {}
  ~DeviceLaunches();
  DeviceLaunches(const DeviceLaunches&) = delete;
  DeviceLaunches& operator=(const DeviceLaunches&) = delete;

  /// cudaGetParameterBuffer: memory for the parameters of a kernel; 0: no memory.
  u64 take_buffer(u64 thread, u64 align, u64 bytes);
  /// cudaGetParameterBufferV2: the same, for the described launch.
  u64 take_buffer(u64 thread, u64 function, Dim3 grid, Dim3 block, u32 dynamic_shared);
  /// cudaLaunchDevice and cudaLaunchDeviceV2. The buffer is freed, also when the launch fails.
  DeviceError launch(u64 thread, u64 function, u64 buffer, Dim3 grid, Dim3 block,
                     u32 dynamic_shared, u64 stream);
  DeviceError launch(u64 thread, u64 buffer, u64 stream);
  /// Adds a copy or a memset.
  DeviceError add(u64 thread, DeviceWork work, u64 stream);

  // cudaStreamCreateWithFlags and similar functions; handles are valid in this grid only.
  DeviceError create_stream(u64 thread, u32 flags, u64& stream);
  DeviceError destroy_stream(u64 thread, u64 stream);
  DeviceError create_event(u64 thread, u32 flags, u64& event);
  DeviceError destroy_event(u64 thread, u64 event);
  /// Records an event, or makes a stream wait for one. Only checks the handles, because the order
  /// of calls already satisfies every event.
  DeviceError use_event(u64 thread, u64 event, u64 stream, u32 flags);

  /// The calling thread's last error; cudaGetLastError forgets it.
  DeviceError last_error(u64 thread, bool forget);
  /// Sets the thread's last error, and returns it.
  DeviceError fail(u64 thread, DeviceError error);

  /// The work of the grid; called after its last CTA.
  PendingWork take() { return std::move(pending_); }

 private:
  struct Buffer {
    u64 bytes = 0;
    ir::FunctionId kernel;  ///< none: a buffer of cudaGetParameterBuffer
    Dim3 grid, block;
    u32 dynamic_shared = 0;
  };
  DeviceError set(u64 thread, DeviceError error);
  std::optional<Buffer> use_buffer(u64 address, std::vector<u8>& bytes);
  DeviceError launch(const Buffer& buffer, const std::vector<u8>& bytes, u64 stream);
  bool is_stream(u64 stream) const;
  DeviceError push(DeviceWork work, u64 stream);

  const Launch& launch_;
  const u32 depth_;
  std::mutex mutex_;
  std::unordered_map<u64, Buffer> buffers_;      // by address
  std::unordered_map<u64, DeviceError> errors_;  // by thread
  std::set<u64> streams_, events_;
  u64 next_handle_ = 0x100;
  PendingWork pending_;
};

/// Executes a copy or a memset. Returns the address that is not device memory, if there is one.
std::optional<u64> move_memory(const Memory& memory, const DeviceWork& work);

}  // namespace heddle::machine
