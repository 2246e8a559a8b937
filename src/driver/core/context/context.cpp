// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See context.h.
#include "driver/core/context/context.h"

#include <algorithm>
#include <iterator>

#include "driver/core/context/call.h"
#include "driver/core/context/device.h"
#include "driver/core/context/green_context.h"
#include "driver/core/context/tables.h"
#include "driver/core/graph/conditional.h"
#include "driver/core/memory/allocation.h"
#include "driver/core/memory/array.h"
#include "driver/core/memory/tables.h"
#include "driver/core/module/link.h"
#include "driver/core/module/tables.h"
#include "driver/core/process.h"
#include "driver/core/stream/capture.h"
#include "driver/core/stream/default_stream.h"
#include "driver/core/stream/stream.h"
#include "driver/core/stream/tables.h"
#include "driver/core/texture/reference.h"
#include "driver/core/texture/tables.h"
#include "driver/core/texture/texture.h"
#include "machine/device_use.h"

namespace heddle::driver {
namespace {

constexpr std::size_t kKiB = 1024;

// The settings of a new context: the vendor's documented defaults, where they are documented.
Context::Settings default_settings() {
  Context::Settings settings;
  settings.limits[CU_LIMIT_STACK_SIZE] = kKiB;
  settings.limits[CU_LIMIT_PRINTF_FIFO_SIZE] = kKiB * kKiB;
  settings.limits[CU_LIMIT_MALLOC_HEAP_SIZE] = 8 * kKiB * kKiB;
  settings.limits[CU_LIMIT_DEV_RUNTIME_SYNC_DEPTH] = 2;
  settings.limits[CU_LIMIT_DEV_RUNTIME_PENDING_LAUNCH_COUNT] = kPendingLaunches;
  settings.limits[CU_LIMIT_MAX_L2_FETCH_GRANULARITY] = 64;
  return settings;
}

}  // namespace

unsigned long long next_context_id() {
  static std::atomic<unsigned long long> next{1};
  return next.fetch_add(1);
}

Context::Context(Device& device) : device_(device), id_(next_context_id()) {
  settings_ = default_settings();
  renew_runtime();
  machine::show_use_of_device(static_cast<u32>(device.ordinal));
}

void Context::renew_runtime() {
  runtime_.emplace(device_memory());
  runtime_->set_conditional = set_conditional;
}

ContextPtr Context::create(Device& device, unsigned flags) {
  ContextPtr context(new Context(device));
  context->flags_ = flags;
  context->handle_ = context_tables().contexts.add(context);
  return context;
}

void Context::fail(CUresult error) {
  CUresult none = CUDA_SUCCESS;
  error_.compare_exchange_strong(none, error);
}

StreamPtr Context::stream(CUstream handle) {
  if (!handle) handle = driver::default_stream();
  if (handle != CU_STREAM_LEGACY && handle != CU_STREAM_PER_THREAD) {
    return stream_tables().streams.find(handle);
  }
  GreenContext* const green = current_green();
  const bool in_green = green && green->primary().get() == this;
  return in_green ? green->default_stream(handle) : default_stream(handle);
}

StreamPtr Context::create_stream(unsigned flags, int priority, const StreamGroupPtr& group) {
  const auto kind =
      flags & CU_STREAM_NON_BLOCKING ? Stream::Kind::non_blocking : Stream::Kind::blocking;
  return Stream::create(group ? group : streams_, this, kind, flags, priority);
}

std::vector<StreamPtr> Context::all_streams() {
  auto all = streams_->all();
  const std::lock_guard lock(mutex_);
  std::erase_if(green_streams_, [](const auto& weak) { return weak.expired(); });
  for (const auto& weak : green_streams_) {
    if (const auto group = weak.lock()) std::ranges::move(group->all(), std::back_inserter(all));
  }
  return all;
}

void Context::add_green(const StreamGroupPtr& streams) {
  const std::lock_guard lock(mutex_);
  green_streams_.push_back(streams);
}

CUresult Context::synchronize() {
  for (const auto& stream : all_streams()) stream->synchronize();
  return error();
}

void Context::release_everything() {
  synchronize();
  const auto is_mine = [this](const auto& object) { return object.context() == this; };
  for (const auto& stream : all_streams()) leave_capture(*stream);
  for (const auto& stream : stream_tables().streams.remove_if(is_mine)) stream->close();
  stream_tables().events.remove_if(is_mine);
  module_tables().functions.remove_if(is_mine);
  module_tables().modules.remove_if(is_mine);
  module_tables().links.remove_if(is_mine);
  texture_tables().textures.remove_if(is_mine);
  texture_tables().surfaces.remove_if(is_mine);
  texture_tables().texture_references.remove_if(is_mine);
  texture_tables().surface_references.remove_if(is_mine);
  memory_tables().mipmapped_arrays.remove_if(is_mine);
  memory_tables().arrays.remove_if(is_mine);
  allocations().release_all_of(this);
  defaults_.close();
  const std::lock_guard lock(mutex_);
  settings_ = default_settings();
  renew_runtime();
}

void Context::destroy() {
  if (destroyed_.exchange(true)) return;
  context_tables().contexts.remove(handle_);
  release_everything();
}

void Context::reset() {
  release_everything();
  destroyed_ = true;
  error_ = CUDA_SUCCESS;
}

void Context::revive(unsigned flags) {
  flags_ = flags;
  destroyed_ = false;
}

ContextPtr retain_primary(Device& device) {
  const std::lock_guard lock(device.primary_mutex);
  auto& primary = device.primary;
  if (!primary.context) {
    primary.context = Context::create(device, primary.flags);
  } else if (primary.retained == 0) {
    primary.context->revive(primary.flags);
  }
  ++primary.retained;
  return primary.context;
}

bool release_primary(Device& device) {
  const std::lock_guard lock(device.primary_mutex);
  auto& primary = device.primary;
  if (primary.retained == 0) return false;
  if (--primary.retained == 0) primary.context->reset();
  return true;
}

}  // namespace heddle::driver
