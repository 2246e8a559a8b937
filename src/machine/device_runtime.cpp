// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "machine/device_runtime.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <iterator>

namespace heddle::machine {
namespace {

namespace signatures {

using enum SystemType;

constexpr SystemFunctionInfo kFunctions[] = {
    // A call without arguments prints a format that needs none.
    {"vprintf", SystemFunction::vprintf, {address, address}, 1, number},
    {"malloc", SystemFunction::malloc, {number}, 1, address},
    {"free", SystemFunction::free, {address}, 1},
    // The size of a character is ignored.
    {"__assertfail", SystemFunction::assertfail, {address, address, number, address, number}, 4},
    {"cudaGraphSetConditional", SystemFunction::set_conditional, {number, number}, 2},
    {"cudaGetParameterBuffer", SystemFunction::take_buffer, {number, number}, 2, address},
    {"cudaGetParameterBufferV2",
     SystemFunction::take_buffer_v2,
     {address, dim3, dim3, number},
     4,
     address},
    {"cudaLaunchDevice",
     SystemFunction::launch_device,
     {address, address, dim3, dim3, number, address},
     6,
     number},
    {"cudaLaunchDeviceV2", SystemFunction::launch_device_v2, {address, address}, 2, number},
    {"cudaGetLastError", SystemFunction::last_error, {}, 0, number},
    {"cudaPeekAtLastError", SystemFunction::peek_error, {}, 0, number},
    {"cudaGetErrorName", SystemFunction::error_name, {number}, 1, address},
    {"cudaGetErrorString", SystemFunction::error_string, {number}, 1, address},
    {"cudaStreamCreateWithFlags", SystemFunction::stream_create, {address, number}, 2, number},
    {"cudaStreamDestroy", SystemFunction::stream_destroy, {address}, 1, number},
    {"cudaStreamWaitEvent",
     SystemFunction::stream_wait_event,
     {address, address, number},
     3,
     number},
    {"cudaEventCreateWithFlags", SystemFunction::event_create, {address, number}, 2, number},
    {"cudaEventRecord", SystemFunction::event_record, {address, address}, 2, number},
    {"cudaEventRecordWithFlags",
     SystemFunction::event_record,
     {address, address, number},
     3,
     number},
    {"cudaEventDestroy", SystemFunction::event_destroy, {address}, 1, number},
    {"cudaMemcpyAsync",
     SystemFunction::copy,
     {address, address, number, number, address},
     5,
     number},
    {"cudaMemcpy2DAsync",
     SystemFunction::copy_2d,
     {address, number, address, number, number, number, number, address},
     8,
     number},
    {"cudaMemcpy3DAsync", SystemFunction::copy_3d, {address, address}, 2, number},
    {"cudaMemsetAsync", SystemFunction::fill, {address, number, number, address}, 4, number},
    {"cudaMemset2DAsync",
     SystemFunction::fill_2d,
     {address, number, number, number, number, address},
     6,
     number},
    {"cudaMemset3DAsync", SystemFunction::fill_3d, {pitched, number, extent, address}, 4, number},
    {"cudaMalloc", SystemFunction::allocate, {address, number}, 2, number},
    {"cudaFree", SystemFunction::release, {address}, 1, number},
    {"cudaGetDevice", SystemFunction::device, {address}, 1, number},
    {"cudaGetDeviceCount", SystemFunction::device_count, {address}, 1, number},
    {"cudaDeviceGetAttribute",
     SystemFunction::device_attribute,
     {address, number, number},
     3,
     number},
    {"cudaDeviceGetLimit", SystemFunction::device_limit, {address, number}, 2, number},
    {"cudaDeviceGetCacheConfig", SystemFunction::preference, {address}, 1, number},
    {"cudaDeviceGetSharedMemConfig", SystemFunction::preference, {address}, 1, number},
    {"cudaRuntimeGetVersion", SystemFunction::runtime_version, {address}, 1, number},
    {"cudaOccupancyMaxActiveBlocksPerMultiprocessor",
     SystemFunction::occupancy,
     {address, address, number, number},
     4,
     number},
    {"cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags",
     SystemFunction::occupancy,
     {address, address, number, number, number},
     5,
     number},
};

}  // namespace signatures

using signatures::kFunctions;

/// 0: the type is not a structure.
u32 structure_bytes(SystemType type) {
  return type == SystemType::dim3      ? 12
         : type == SystemType::extent  ? 24
         : type == SystemType::pitched ? 32
                                       : 0;
}

/// Why a value of `bytes` bytes cannot have the type.
std::string refuse_bytes(SystemType type, u32 bytes, u32 address_bytes) {
  if (bytes == 0) return "is a predicate";
  if (const u32 size = structure_bytes(type)) {
    return bytes == size ? "" : fmt::format("is a structure of {} bytes, not {}", size, bytes);
  }
  if (bytes > 8) return fmt::format("has {} bytes, at most 8 are possible", bytes);
  if (type == SystemType::address && bytes < address_bytes)
    return fmt::format("is an address, which has {} bytes, not {}", address_bytes, bytes);
  return {};
}

}  // namespace

const SystemFunctionInfo* find_system_function(std::string_view name) {
  constexpr std::string_view kOwn = "cuda", kHeaders = "__cudaCDP2", kPerThread = "_ptsz";
  std::string plain;
  if (name.starts_with(kHeaders))
    plain = std::string(kOwn) + std::string(name.substr(kHeaders.size()));
  else
    plain = name;
  if (plain.starts_with(kOwn) && plain.ends_with(kPerThread))
    plain.resize(plain.size() - kPerThread.size());
  const auto found = std::ranges::find(kFunctions, plain, &SystemFunctionInfo::name);
  return found == std::end(kFunctions) ? nullptr : found;
}

check::Provided provides(std::string_view name) {
  const SystemFunctionInfo* info = find_system_function(name);
  if (!info) return check::Provided::no;
  return info->function >= SystemFunction::set_conditional ? check::Provided::always
                                                           : check::Provided::unless_defined;
}

std::string refuse_system_call(const SystemFunctionInfo& info, std::span<const u32> arguments,
                               std::span<const u32> results, u32 address_bytes) {
  const u32 least = info.least, most = info.most();
  if (arguments.size() < least || arguments.size() > most) {
    return fmt::format(
        "the system's function '{}' takes {} arguments; the call passes {}", info.name,
        least == most ? fmt::format("{}", most) : fmt::format("{} or {}", least, most),
        arguments.size());
  }
  if (results.size() > 1) {
    return fmt::format("the system's function '{}' returns one value at most; the call expects {}",
                       info.name, results.size());
  }
  for (u32 i = 0; i < arguments.size(); ++i) {
    const std::string why = refuse_bytes(info.params[i], arguments[i], address_bytes);
    if (why.empty()) continue;
    return fmt::format("argument {} of the system's function '{}' {}", i + 1, info.name, why);
  }
  if (results.empty()) return {};
  const std::string why = refuse_bytes(info.result, results[0], address_bytes);
  return why.empty() ? why
                     : fmt::format("the result of the system's function '{}' {}", info.name, why);
}

DeviceRuntime::~DeviceRuntime() {
  flush();
  if (heap_base_) memory_.release(heap_base_);
  for (const auto& [piece, taken] : buffers_) memory_.release(piece.base);
  for (const auto& [text, address] : texts_) memory_.release(address);
}

bool DeviceRuntime::set_heap_limit(u64 bytes) {
  const std::lock_guard lock(mutex_);
  if (heap_base_ && bytes != heap_limit_) return false;
  heap_limit_ = bytes;
  return true;
}

bool DeviceRuntime::set_printf_limit(u64 bytes) {
  const std::lock_guard lock(mutex_);
  if (has_printed_ && bytes != printf_limit_) return false;
  printf_limit_ = bytes;
  return true;
}

u64 DeviceRuntime::allocate(u64 bytes, bool low) {
  const std::lock_guard lock(mutex_);
  if (bytes == 0 || bytes > heap_limit_) return 0;
  if (!heap_base_) {
    const auto base = memory_.allocate(heap_limit_, kPage, low);
    if (!base.ok()) return 0;
    heap_base_ = *base;
    heap_.reset({heap_base_, heap_limit_ / 16 * 16});
  }
  return heap_.take(bytes, 16);
}

u64 DeviceRuntime::take_buffer(u64 bytes, u64 align, bool low) {
  constexpr u64 kPiece = 1 << 20, kUnit = 64;
  if (align > kPage || bytes > kPiece) return 0;
  const std::lock_guard lock(mutex_);
  align = std::max(align, kUnit);
  bytes = std::max<u64>(bytes, 1);
  for (auto& [piece, taken] : buffers_) {
    const bool fits = !low || memory_.low().all.contains(piece.base);
    if (const u64 address = fits ? taken.take(bytes, align) : 0) return address;
  }
  const auto base = memory_.allocate(kPiece, kPage, low);
  if (!base.ok()) return 0;
  Ranges taken(kUnit, 0);
  taken.reset({*base, kPiece});
  const u64 address = taken.take(bytes, align);
  buffers_.emplace_back(AddressRange{*base, kPiece}, std::move(taken));
  return address;
}

void DeviceRuntime::give_buffer(u64 address) {
  const std::lock_guard lock(mutex_);
  for (auto& [piece, taken] : buffers_) {
    if (piece.contains(address)) taken.give(address);
  }
}

u64 DeviceRuntime::text(std::string_view text, bool low) {
  const std::lock_guard lock(mutex_);
  u64& address = texts_[std::string(text)];
  if (address) return address;
  const auto made = memory_.allocate(text.size() + 1, 1, low);
  if (!made.ok()) return 0;
  std::memcpy(reinterpret_cast<void*>(*made), text.data(), text.size());
  return address = *made;
}

bool DeviceRuntime::release(u64 address) {
  const std::lock_guard lock(mutex_);
  return address == 0 || heap_.give(address).has_value();
}

void DeviceRuntime::print(std::string text) {
  const std::lock_guard lock(mutex_);
  has_printed_ = true;
  printed_bytes_ += text.size();
  printed_.push_back(std::move(text));
  while (printed_bytes_ > printf_limit_) {
    printed_bytes_ -= printed_.front().size();
    printed_.pop_front();
  }
}

void DeviceRuntime::flush() {
  const std::lock_guard lock(mutex_);
  if (printed_.empty()) return;
  for (const std::string& text : printed_) std::fwrite(text.data(), 1, text.size(), stdout);
  std::fflush(stdout);
  printed_.clear();
  printed_bytes_ = 0;
}

}  // namespace heddle::machine
