// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "machine/device_runtime.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <iterator>

namespace heddle::machine {
namespace {

using enum SystemType;

constexpr SystemFunctionInfo kFunctions[] = {
    // Without arguments a format that wants none is printed.
    {"vprintf", SystemFunction::vprintf, {address, address}, 1, number},
    {"malloc", SystemFunction::malloc, {number}, 1, address},
    {"free", SystemFunction::free, {address}, 1},
    // The size of a character changes nothing.
    {"__assertfail", SystemFunction::assertfail, {address, address, number, address, number}, 4},
    {"cudaGraphSetConditional", SystemFunction::set_conditional, {number, number}, 2},
};

/// Why a value of so many bytes cannot be one of the type.
std::string refuse_bytes(SystemType type, u32 bytes, u32 address_bytes) {
  if (bytes == 0) return "is a predicate";
  if (bytes > 8) return fmt::format("has {} bytes, at most 8 are possible", bytes);
  if (type == address && bytes < address_bytes)
    return fmt::format("is an address, which has {} bytes, not {}", address_bytes, bytes);
  return {};
}

}  // namespace

const SystemFunctionInfo* find_system_function(std::string_view name) {
  const auto found = std::ranges::find(kFunctions, name, &SystemFunctionInfo::name);
  return found == std::end(kFunctions) ? nullptr : found;
}

std::string refuse_system_call(const SystemFunctionInfo& info, std::span<const u32> arguments,
                               std::span<const u32> results, u32 address_bytes) {
  const u32 least = info.least, most = info.most();
  if (arguments.size() < least || arguments.size() > most) {
    return fmt::format("the system's function '{}' takes {} arguments; the call passes {}",
                       info.name,
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
