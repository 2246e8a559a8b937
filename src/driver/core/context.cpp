// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See context.h.
#include "driver/core/context.h"

#include "driver/core/capture.h"
#include "driver/core/conditional.h"
#include "driver/core/default_stream.h"
#include "driver/core/device.h"
#include "driver/core/state.h"

namespace heddle::driver {
namespace {

unsigned long long next_context_id() {
  static std::atomic<unsigned long long> next{1};
  return next.fetch_add(1);
}

constexpr std::size_t kKiB = 1024;

// What a program finds before it sets anything: the vendor's documented defaults where there are
// any.
Context::Settings default_settings() {
  Context::Settings settings;
  settings.limits[CU_LIMIT_STACK_SIZE] = kKiB;
  settings.limits[CU_LIMIT_PRINTF_FIFO_SIZE] = kKiB * kKiB;
  settings.limits[CU_LIMIT_MALLOC_HEAP_SIZE] = 8 * kKiB * kKiB;
  settings.limits[CU_LIMIT_DEV_RUNTIME_SYNC_DEPTH] = 2;
  settings.limits[CU_LIMIT_DEV_RUNTIME_PENDING_LAUNCH_COUNT] = 2048;
  settings.limits[CU_LIMIT_MAX_L2_FETCH_GRANULARITY] = 64;
  return settings;
}

}  // namespace

Context::Context(Device& device) : device_(device), id_(next_context_id()) {
  settings_ = default_settings();
  renew_runtime();
}

void Context::renew_runtime() {
  runtime_.emplace(*state().memory);
  runtime_->set_conditional = set_conditional;
}

ContextPtr Context::create(Device& device, unsigned flags) {
  ContextPtr context(new Context(device));
  context->flags_ = flags;
  context->handle_ = state().contexts.add(context);
  return context;
}

void Context::fail(CUresult error) {
  CUresult none = CUDA_SUCCESS;
  error_.compare_exchange_strong(none, error);
}

StreamPtr Context::stream(CUstream handle) {
  if (!handle) handle = default_stream();
  const std::lock_guard lock(mutex_);
  if (handle == CU_STREAM_LEGACY) {
    if (!legacy_) legacy_ = Stream::create(streams_, this, Stream::Kind::legacy, 0, 0);
    return legacy_;
  }
  if (handle == CU_STREAM_PER_THREAD) {
    auto& stream = per_thread_[std::this_thread::get_id()];
    if (!stream) stream = Stream::create(streams_, this, Stream::Kind::per_thread, 0, 0);
    return stream;
  }
  return state().streams.find(handle);
}

StreamPtr Context::create_stream(unsigned flags, int priority) {
  const auto kind =
      flags & CU_STREAM_NON_BLOCKING ? Stream::Kind::non_blocking : Stream::Kind::blocking;
  return Stream::create(streams_, this, kind, flags, priority);
}

CompletionPtr Context::enqueue(Stream& stream, Stream::Work work,
                               std::vector<CompletionPtr> after) {
  return stream.enqueue(
      [self = shared_from_this(), work = std::move(work)] {
        if (self->error() == CUDA_SUCCESS) work();
      },
      std::move(after));
}

CUresult Context::run(Stream& stream, Stream::Work work) {
  stream.run([this, &work] {
    if (error() == CUDA_SUCCESS) work();
  });
  return error();
}

CUresult Context::synchronize() {
  for (const auto& stream : streams_->all()) stream->synchronize();
  return error();
}

void Context::release_everything() {
  synchronize();
  const auto is_mine = [this](const auto& object) { return object.context() == this; };
  for (const auto& stream : streams_->all()) leave_capture(*stream);
  for (const auto& stream : state().streams.remove_if(is_mine)) stream->close();
  state().events.remove_if(is_mine);
  state().functions.remove_if(is_mine);
  state().modules.remove_if(is_mine);
  state().links.remove_if(is_mine);
  state().mipmapped_arrays.remove_if(is_mine);
  state().arrays.remove_if(is_mine);
  state().allocations.release_all_of(this);
  const std::lock_guard lock(mutex_);
  if (legacy_) legacy_->close();
  for (const auto& [thread, stream] : per_thread_) stream->close();
  legacy_ = nullptr;
  per_thread_.clear();
  settings_ = default_settings();
  renew_runtime();
}

void Context::destroy() {
  if (destroyed_.exchange(true)) return;
  state().contexts.remove(handle_);
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

}  // namespace heddle::driver
