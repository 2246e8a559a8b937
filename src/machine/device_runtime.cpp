// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "machine/device_runtime.h"

#include <algorithm>
#include <cstdio>
#include <iterator>

namespace heddle::machine {
namespace {

constexpr SystemFunctionInfo kFunctions[] = {
    {"vprintf", SystemFunction::vprintf, 2, true},
    {"malloc", SystemFunction::malloc, 1, true},
    {"free", SystemFunction::free, 1, false},
    {"__assertfail", SystemFunction::assertfail, 5, false},
    {"cudaGraphSetConditional", SystemFunction::set_conditional, 2, false},
};

}  // namespace

const SystemFunctionInfo* find_system_function(std::string_view name) {
  const auto found = std::ranges::find(kFunctions, name, &SystemFunctionInfo::name);
  return found == std::end(kFunctions) ? nullptr : found;
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
