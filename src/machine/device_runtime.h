// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The functions that the system provides to kernels: printf, a heap, assertions. A module declares
// these functions and does not define them (PTX Interoperability, "System Calls").
#pragma once

#include <algorithm>
#include <array>
#include <deque>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "check/check.h"
#include "machine/memory.h"

namespace heddle::machine {

enum class SystemFunction : u8 {
  none,
  vprintf,          ///< (format, arguments) -> number of arguments, or -1 without a format
  malloc,           ///< (bytes) -> address, or 0
  free,             ///< (address)
  assertfail,       ///< (message, file, line, function, bytes per character); does not return
  set_conditional,  ///< (handle, value): cudaGraphSetConditional of graphs
  // CUDA's device run-time, cuda_device_runtime_api.h (device_launch.h).
  take_buffer,
  take_buffer_v2,
  launch_device,
  launch_device_v2,
  last_error,
  peek_error,
  error_name,
  error_string,
  stream_create,
  stream_destroy,
  stream_wait_event,
  event_create,
  event_record,
  event_destroy,
  copy,
  copy_2d,
  copy_3d,
  fill,
  fill_2d,
  fill_3d,
  allocate,
  release,
  device,
  device_count,
  device_attribute,
  device_limit,
  preference,
  runtime_version,
  occupancy,
};

/// A parameter, or the result, of a function of the system.
enum class SystemType : u8 {
  none,
  number,   ///< up to 8 bytes, an unsigned number; a result is sign-extended
  address,  ///< at least as many bytes as an address of the module
  dim3,     ///< structures, by value: 12 bytes
  extent,   ///< 24 bytes
  pitched,  ///< 32 bytes
};
/// An argument is passed in words of 8 bytes.
constexpr u32 words_in(u32 bytes) { return (bytes + 7) / 8; }

struct SystemFunctionInfo {
  static constexpr u32 kMostParams = 8, kMostWords = 9;
  std::string_view name;
  SystemFunction function;
  std::array<SystemType, kMostParams> params{};  ///< up to the first `none`
  u32 least = 0;  ///< the number of arguments that a call must pass; missing ones are 0
  SystemType result = SystemType::none;
  u32 most() const {
    return static_cast<u32>(std::ranges::find(params, SystemType::none) - params.begin());
  }
};
/// Null when the system has no such function. The functions of CUDA's device run-time have several
/// names: nvcc's header calls cudaX by __cudaCDP2X, and by X_ptsz where the default stream is per
/// thread.
const SystemFunctionInfo* find_system_function(std::string_view name);
/// The system's functions of CUDA's device run-time replace definitions in a module: NVIDIA's
/// library defines them by undocumented calls.
check::Provided provides(std::string_view name);

/// Why a call with arguments and results of these sizes in bytes (0: a predicate), in a module
/// whose addresses have `address_bytes`, does not fit the function; empty: it fits. A call may
/// ignore the function's result, and a result that the function does not have is 0: modules declare
/// these functions themselves, not always as CUDA's headers do.
std::string refuse_system_call(const SystemFunctionInfo& info, std::span<const u32> arguments,
                               std::span<const u32> results, u32 address_bytes);

/// The heap and the printf buffer of a context. Thread-safe.
class DeviceRuntime {
 public:
  explicit DeviceRuntime(Memory& memory) : memory_(memory) {}
  ~DeviceRuntime();
  DeviceRuntime(const DeviceRuntime&) = delete;
  DeviceRuntime& operator=(const DeviceRuntime&) = delete;

  static constexpr u64 kHeapBytes = 8 << 20, kPrintfBytes = 1 << 20;
  /// False if the heap (the buffer) is already in use: then its size cannot change.
  bool set_heap_limit(u64 bytes);
  bool set_printf_limit(u64 bytes);

  /// Allocates `bytes`, aligned to 16; 0 when the heap is exhausted. `low`: below 4 GiB.
  u64 allocate(u64 bytes, bool low);
  /// False when no live allocation begins at `address`. Address 0 is allowed.
  bool release(u64 address);

  /// Memory outside the heap for the parameters of a launch by a kernel; 0: no memory. `align` is a
  /// power of two.
  u64 take_buffer(u64 bytes, u64 align, bool low);
  void give_buffer(u64 address);
  /// The address of a copy of the text that is never freed, with a terminating 0; 0: no memory.
  u64 text(std::string_view text, bool low);
  /// Sets the value of a conditional node of a graph; false when there is no such handle. Set by
  /// the creator of this object; empty: there are no graphs.
  std::function<bool(u64 handle, u32 value)> set_conditional;

  /// Keeps the text of one printf until flush(). When the buffer is full, the oldest text is lost.
  void print(std::string text);
  /// Writes the kept text to the standard output.
  void flush();

 private:
  Memory& memory_;
  std::mutex mutex_;
  u64 heap_limit_ = kHeapBytes, printf_limit_ = kPrintfBytes;
  u64 heap_base_ = 0;  ///< 0: not in use yet
  Ranges heap_{16, 0};
  std::vector<std::pair<AddressRange, Ranges>> buffers_;  // pieces of memory, and their taken parts
  std::map<std::string, u64, std::less<>> texts_;
  std::deque<std::string> printed_;
  u64 printed_bytes_ = 0;
  bool has_printed_ = false;
};

}  // namespace heddle::machine
