// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "machine/device_launch.h"

#include <algorithm>
#include <cstring>
#include <iterator>

#include "machine/engine.h"
#include "machine/fault.h"
#include "machine/launch.h"

namespace heddle::machine {
namespace {

// From driver_types.h and cuda_device_runtime_api.h.
constexpr u64 kTailStream = 3,
              kForgetStream = 4;  // numbers below them are the default streams
constexpr u32 kNonBlocking = 1, kDisableTiming = 2;

struct ErrorText {
  DeviceError error;
  std::string_view name, text;
};
constexpr ErrorText kErrors[] = {
    {DeviceError::success, "cudaSuccess", "no error"},
    {DeviceError::invalid_value, "cudaErrorInvalidValue", "invalid argument"},
    {DeviceError::out_of_memory, "cudaErrorMemoryAllocation", "out of memory"},
    {DeviceError::invalid_configuration, "cudaErrorInvalidConfiguration",
     "invalid configuration argument"},
    {DeviceError::max_depth_exceeded, "cudaErrorLaunchMaxDepthExceeded",
     "launch would exceed the maximum depth of nested launches"},
    {DeviceError::pending_count_exceeded, "cudaErrorLaunchPendingCountExceeded",
     "launch would exceed the limit of launches that are pending"},
    {DeviceError::invalid_function, "cudaErrorInvalidDeviceFunction", "invalid device function"},
    {DeviceError::invalid_device, "cudaErrorInvalidDevice", "invalid device ordinal"},
    {DeviceError::invalid_handle, "cudaErrorInvalidResourceHandle", "invalid resource handle"},
    {DeviceError::illegal_address, "cudaErrorIllegalAddress", "illegal memory access"},
    {DeviceError::out_of_resources, "cudaErrorLaunchOutOfResources",
     "too many resources requested for launch"},
    {DeviceError::not_supported, "cudaErrorNotSupported", "operation not supported"},
    {DeviceError::unknown, "cudaErrorUnknown", "unknown error"},
};

const ErrorText* text_of(DeviceError error) {
  const auto found = std::ranges::find(kErrors, error, &ErrorText::error);
  return found == std::end(kErrors) ? nullptr : found;
}

DeviceError error_of(LaunchError::Reason reason) {
  switch (reason) {
    case LaunchError::Reason::invalid_value:
    case LaunchError::Reason::invalid_cluster:
      return DeviceError::invalid_configuration;
    case LaunchError::Reason::too_large_to_cooperate:
      return DeviceError::out_of_resources;
    case LaunchError::Reason::out_of_memory:
      return DeviceError::out_of_memory;
    case LaunchError::Reason::not_supported:
      return DeviceError::not_supported;
  }
  return DeviceError::unknown;
}

}  // namespace

std::string_view name_of(DeviceError error) {
  const ErrorText* found = text_of(error);
  return found ? found->name : "unrecognized error code";
}
std::string_view describe(DeviceError error) {
  const ErrorText* found = text_of(error);
  return found ? found->text : "unrecognized error code";
}

DeviceLaunches::~DeviceLaunches() {
  for (const auto& [address, buffer] : buffers_) launch_.runtime->give_buffer(address);
}

DeviceError DeviceLaunches::fail(u64 thread, DeviceError error) {
  const std::lock_guard lock(mutex_);
  return set(thread, error);
}

DeviceError DeviceLaunches::set(u64 thread, DeviceError error) {
  if (error != DeviceError::success) errors_[thread] = error;
  return error;
}

DeviceError DeviceLaunches::last_error(u64 thread, bool forget) {
  const std::lock_guard lock(mutex_);
  const auto found = errors_.find(thread);
  if (found == errors_.end()) return DeviceError::success;
  const DeviceError error = found->second;
  if (forget) errors_.erase(found);
  return error;
}

// --- parameter buffers ---

u64 DeviceLaunches::take_buffer(u64 thread, u64 align, u64 bytes) {
  const bool low = launch_.loaded->module().address_size == 32;
  const std::lock_guard lock(mutex_);
  const u64 address = launch_.runtime->take_buffer(bytes, align, low);
  if (address)
    buffers_[address].bytes = bytes;
  else
    set(thread, DeviceError::out_of_memory);
  return address;
}

u64 DeviceLaunches::take_buffer(u64 thread, u64 function, Dim3 grid, Dim3 block,
                                u32 dynamic_shared) {
  const ir::FunctionId id = launch_.loaded->function_at(function);
  const auto& functions = launch_.loaded->module().functions;
  if (!id || !functions[id.value].is_entry) {
    fail(thread, DeviceError::invalid_function);
    return 0;
  }
  const u64 bytes = functions[id.value].param_bytes;
  const u64 address = take_buffer(thread, 64, bytes);
  if (!address) return 0;
  const std::lock_guard lock(mutex_);
  buffers_[address] = {bytes, id, grid, block, dynamic_shared};
  return address;
}

/// Removes the buffer from the table and frees its memory.
std::optional<DeviceLaunches::Buffer> DeviceLaunches::use_buffer(u64 address,
                                                                 std::vector<u8>& bytes) {
  const auto found = buffers_.find(address);
  if (found == buffers_.end()) return std::nullopt;
  const Buffer buffer = found->second;
  bytes.resize(buffer.bytes);
  if (buffer.bytes) std::memcpy(bytes.data(), reinterpret_cast<const void*>(address), buffer.bytes);
  buffers_.erase(found);
  launch_.runtime->give_buffer(address);
  return buffer;
}

// --- launches ---

DeviceError DeviceLaunches::launch(u64 thread, u64 function, u64 buffer, Dim3 grid, Dim3 block,
                                   u32 dynamic_shared, u64 stream) {
  const std::lock_guard lock(mutex_);
  std::vector<u8> bytes;
  if (buffer && !use_buffer(buffer, bytes)) return set(thread, DeviceError::invalid_value);
  const ir::FunctionId id = launch_.loaded->function_at(function);
  if (!id || !launch_.loaded->module().functions[id.value].is_entry)
    return set(thread, DeviceError::invalid_function);
  return set(thread, launch({bytes.size(), id, grid, block, dynamic_shared}, bytes, stream));
}

DeviceError DeviceLaunches::launch(u64 thread, u64 buffer, u64 stream) {
  const std::lock_guard lock(mutex_);
  std::vector<u8> bytes;
  const auto found = use_buffer(buffer, bytes);
  if (!found || !found->kernel) return set(thread, DeviceError::invalid_value);
  return set(thread, launch(*found, bytes, stream));
}

DeviceError DeviceLaunches::launch(const Buffer& buffer, const std::vector<u8>& bytes, u64 stream) {
  KernelHost* const host = launch_.config->kernels;
  if (!host) return DeviceError::not_supported;
  const ir::Function& kernel = launch_.loaded->module().functions[buffer.kernel.value];
  if (bytes.size() < kernel.param_bytes) return DeviceError::invalid_value;
  // A tail launch is not nested in its grid.
  const u32 depth = depth_ + (stream != kTailStream);
  if (depth > kMostNested) return DeviceError::max_depth_exceeded;
  const auto found = host->kernel(buffer.kernel);
  if (!found.ok()) return DeviceError::not_supported;
  LaunchShape shape{buffer.grid, buffer.block};
  shape.cluster = found->cluster;
  shape.large_clusters = found->large_clusters;
  shape.dynamic_shared = buffer.dynamic_shared;
  LaunchLimits limits;
  limits.dynamic_shared = found->most_dynamic_shared;
  const auto checked =
      check_launch(*launch_.profile, *launch_.loaded, buffer.kernel, shape, limits);
  if (!checked.ok()) return error_of(checked.error().reason);
  DeviceWork work;
  work.kernel = buffer.kernel;
  work.grid = buffer.grid;
  work.block = buffer.block;
  work.dynamic_shared = buffer.dynamic_shared;
  work.params = bytes;
  work.depth = depth;
  return push(std::move(work), stream);
}

DeviceError DeviceLaunches::add(u64 thread, DeviceWork work, u64 stream) {
  const std::lock_guard lock(mutex_);
  return set(thread, push(std::move(work), stream));
}

DeviceError DeviceLaunches::push(DeviceWork work, u64 stream) {
  if (!is_stream(stream)) return DeviceError::invalid_handle;
  const auto most =
      launch_.config->kernels ? launch_.config->kernels->most_pending() : std::nullopt;
  if (most && pending_.now.size() + pending_.tail.size() >= *most)
    return DeviceError::pending_count_exceeded;
  (stream == kTailStream ? pending_.tail : pending_.now).push_back(std::move(work));
  return DeviceError::success;
}

// --- streams and events ---

bool DeviceLaunches::is_stream(u64 stream) const {
  return stream <= kForgetStream || streams_.contains(stream);
}

DeviceError DeviceLaunches::create_stream(u64 thread, u32 flags, u64& stream) {
  const std::lock_guard lock(mutex_);
  if (flags != kNonBlocking) return set(thread, DeviceError::invalid_value);
  streams_.insert(stream = next_handle_++);
  return DeviceError::success;
}

DeviceError DeviceLaunches::destroy_stream(u64 thread, u64 stream) {
  const std::lock_guard lock(mutex_);
  return streams_.erase(stream) ? DeviceError::success : set(thread, DeviceError::invalid_handle);
}

DeviceError DeviceLaunches::create_event(u64 thread, u32 flags, u64& event) {
  const std::lock_guard lock(mutex_);
  if (flags != kDisableTiming) return set(thread, DeviceError::invalid_value);
  events_.insert(event = next_handle_++);
  return DeviceError::success;
}

DeviceError DeviceLaunches::destroy_event(u64 thread, u64 event) {
  const std::lock_guard lock(mutex_);
  return events_.erase(event) ? DeviceError::success : set(thread, DeviceError::invalid_handle);
}

DeviceError DeviceLaunches::use_event(u64 thread, u64 event, u64 stream, u32 flags) {
  const std::lock_guard lock(mutex_);
  // An event cannot be ordered with the work of these streams.
  if (stream == kTailStream || stream == kForgetStream || flags)
    return set(thread, DeviceError::invalid_value);
  if (!is_stream(stream) || !events_.contains(event))
    return set(thread, DeviceError::invalid_handle);
  return DeviceError::success;
}

// --- copies ---

std::optional<u64> move_memory(const Memory& memory, const DeviceWork& work) {
  if (!work.width) return std::nullopt;
  sigjmp_buf recover;
  Fault fault;
  const FaultGuard guard(memory, &recover, &fault);
  if (sigsetjmp(recover, 0)) return fault.address;
  const bool copies = work.kind == DeviceWork::Kind::copy;
  for (u64 z = 0; z < work.slices; ++z) {
    for (u64 y = 0; y < work.height; ++y) {
      const u64 to = work.to.address + z * work.to.slice + y * work.to.pitch;
      const u64 from = work.from.address + z * work.from.slice + y * work.from.pitch;
      if (!memory.is_accessible(to, work.width)) return to;
      if (copies && !memory.is_accessible(from, work.width)) return from;
      if (copies)
        std::memmove(reinterpret_cast<void*>(to), reinterpret_cast<const void*>(from), work.width);
      else
        std::memset(reinterpret_cast<void*>(to), work.value, work.width);
    }
  }
  return std::nullopt;
}

}  // namespace heddle::machine
