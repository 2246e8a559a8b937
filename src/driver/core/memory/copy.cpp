// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See copy.h.
#include "driver/core/memory/copy.h"

#include <cstring>
#include <memory>
#include <set>
#include <vector>

#include "driver/core/context/context.h"
#include "driver/core/context/device.h"
#include "driver/core/context/green_context.h"
#include "driver/core/context/tables.h"
#include "driver/core/memory/allocation.h"
#include "driver/core/memory/host_sync.h"
#include "driver/core/process.h"
#include "driver/core/stream/capture.h"
#include "driver/core/stream/stream.h"
#include "driver/core/stream/task.h"

namespace heddle::driver {
namespace {

// Copies from pageable memory of up to this size read the source into a buffer at once, so that the
// caller need not wait.
constexpr std::size_t kStagingBytes = 64 * 1024;

// The distance in bytes from the first byte of the copy on this side to the end of the last one;
// nothing on overflow.
std::optional<u64> extent(const CopySide& side, const Copy& copy) {
  u64 rows = 0, slices = 0, sum = 0;
  if (__builtin_mul_overflow(copy.height - 1, side.pitch, &rows) ||
      __builtin_mul_overflow(copy.depth - 1, side.slice, &slices) ||
      __builtin_add_overflow(rows, slices, &sum) || __builtin_add_overflow(sum, copy.width, &sum)) {
    return std::nullopt;
  }
  return sum;
}

bool is_good(const CopySide& side, const Copy& copy) {
  if (copy.height > 1 && side.pitch < copy.width) return false;
  if (copy.depth > 1 && side.slice < side.pitch * copy.height) return false;
  const auto bytes = extent(side, copy);
  if (!bytes) return false;
  if (side.is_written && is_device_address(side.base)) {
    return is_writable_range(side.base, *bytes);
  }
  return side.must_be_device ? is_device_range(side.base, *bytes)
                             : is_copy_range(side.base, *bytes);
}

const Device* device_of(const CopySide& side) {
  const auto found = describe_memory(side.base);
  return found && !found->is_host() && !found->is_managed() ? found->device : nullptr;
}

/// The default streams, besides `stream`, with whose work a copy in the default stream is ordered:
/// those of both devices when it copies from one to the other (CUDA programming guide,
/// "Peer-to-Peer Memory Copy"), and those of `peers`.
std::vector<StreamPtr> streams_beside(const Stream& stream, const Copy& copy,
                                      const std::vector<ContextPtr>& peers) {
  if (stream.kind() != Stream::Kind::legacy) return {};
  if (peers.empty() && devices().size() == 1) return {};
  std::set<StreamPtr> streams;
  for (const auto& peer : peers) streams.insert(peer->default_stream(CU_STREAM_LEGACY));
  const Device* const from = device_of(copy.from);
  const Device* const to = device_of(copy.to);
  if (from && to && from != to) {
    const auto takes_part = [&](const Context& context) {
      return !context.is_destroyed() && (&context.device() == from || &context.device() == to);
    };
    for (const auto& context : context_tables().contexts.all()) {
      if (takes_part(*context)) streams.insert(context->default_stream(CU_STREAM_LEGACY));
    }
    for (const auto& green : context_tables().green_contexts.all()) {
      if (takes_part(*green->primary()) && !green->is_destroyed())
        streams.insert(green->default_stream(CU_STREAM_LEGACY));
    }
  }
  std::vector<StreamPtr> beside;
  for (const auto& each : streams) {
    if (each.get() != &stream) beside.push_back(each);
  }
  return beside;
}

/// Appends a copy to the stream, and orders it with the work of streams_beside().
CompletionPtr append(Context& context, Stream& stream, CopyTask task,
                     const std::vector<ContextPtr>& peers = {}) {
  const auto beside = streams_beside(stream, task.copy, peers);
  std::vector<CompletionPtr> before;
  for (const auto& each : beside) before.push_back(each->mark());
  auto done =
      context.enqueue(stream, [task = Task(std::move(task))] { perform(task); }, std::move(before));
  for (const auto& each : beside) each->mark({done});
  return done;
}

}  // namespace

CUresult Copy::check() const {
  if (is_empty()) return CUDA_SUCCESS;
  return is_good(to, *this) && is_good(from, *this) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

void Copy::execute() const {
  for (std::size_t z = 0; z < depth; ++z) {
    for (std::size_t y = 0; y < height; ++y) {
      std::memmove(reinterpret_cast<void*>(to.base + z * to.slice + y * to.pitch),
                   reinterpret_cast<const void*>(from.base + z * from.slice + y * from.pitch),
                   width);
    }
  }
}

CUresult copy_and_wait(Context& context, Stream& stream, CopyTask task,
                       const std::vector<ContextPtr>& peers) {
  if (const CUresult bad = refuse_in_capture(stream)) return bad;
  if (task.copy.is_empty()) return CUDA_SUCCESS;
  const bool waits =
      waits_for(context, task.copy.to.base) || waits_for(context, task.copy.from.base);
  if (waits && peers.empty()) return context.run(stream, [&] { task.copy.execute(); });
  const auto done = append(context, stream, std::move(task), peers);
  if (waits) stream.wait(*done);
  return context.error();
}

CUresult copy_async(Context& context, Stream& stream, CopyTask task) {
  const Copy& copy = task.copy;
  if (copy.is_empty()) return CUDA_SUCCESS;
  if (is_capturing(stream)) return submit(context, stream, std::move(task));
  const bool linear = copy.height == 1 && copy.depth == 1;
  const bool staged = linear && copy.width <= kStagingBytes;
  if (is_pageable(copy.to.base) || (is_pageable(copy.from.base) && !staged) ||
      (is_host_memory(copy.to.base) && is_host_memory(copy.from.base))) {
    return context.run(stream, [&] { copy.execute(); });
  }
  if (is_pageable(copy.from.base)) {
    const auto* bytes = reinterpret_cast<const u8*>(copy.from.base);
    const auto aside = std::make_shared<const std::vector<u8>>(bytes, bytes + copy.width);
    context.enqueue(stream, [to = copy.to.base, aside] {
      std::memcpy(reinterpret_cast<void*>(to), aside->data(), aside->size());
    });
    return CUDA_SUCCESS;
  }
  append(context, stream, std::move(task));
  return CUDA_SUCCESS;
}

}  // namespace heddle::driver
