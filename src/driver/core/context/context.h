// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Contexts: owners of memory, modules and streams, with the first error of their kernels. Driver
// API 6.7, 6.8.
//
// A kernel's fault belongs to its context for good: from then on every call that works in the
// context returns that error, until the context is destroyed (6.1, the sticky errors of CUresult).
#pragma once

#include <array>
#include <atomic>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <thread>

#include "driver/abi.h"
#include "driver/core/stream/stream.h"
#include "machine/device_runtime.h"

namespace heddle::driver {

struct Device;

/// CU_LIMIT_DEV_RUNTIME_PENDING_LAUNCH_COUNT as long as the program has not set it.
inline constexpr std::size_t kPendingLaunches = 2048;

/// A number that no context and no green context had before.
unsigned long long next_context_id();

class Context : public std::enable_shared_from_this<Context> {
 public:
  /// Makes a context, and its handle in context_tables().
  static std::shared_ptr<Context> create(Device& device, unsigned flags);

  Device& device() const { return device_; }
  CUcontext handle() const { return handle_; }
  unsigned long long id() const { return id_; }

  unsigned flags() const { return flags_.load(); }
  void set_flags(unsigned flags) { flags_ = flags; }

  // --- life ---
  bool is_destroyed() const { return destroyed_.load(); }
  /// Waits for all work, then frees everything that belongs to the context. The object lives as
  /// long as a thread has it current.
  void destroy();
  /// Destroys the primary context, which revive() makes usable again.
  void reset();
  void revive(unsigned flags);

  /// The uses that cuCtxAttach and cuCtxDetach count; the creation is one.
  void attach() { ++uses_; }
  /// True when this use was the last one.
  bool detach() { return --uses_ == 0; }

  // --- errors ---
  CUresult error() const { return error_.load(); }
  /// Keeps the first error of a kernel.
  void fail(CUresult error);

  // --- streams ---
  /// The stream of a handle in this context; null when there is none. A null handle means the
  /// default stream. When a green context is current, the default streams are its own.
  StreamPtr stream(CUstream handle);
  /// The context's own default stream: `handle` is CU_STREAM_LEGACY or CU_STREAM_PER_THREAD.
  StreamPtr default_stream(CUstream handle) { return defaults_.get(handle, streams_, this); }
  /// Makes a stream in `group`; null: in the context's own group.
  StreamPtr create_stream(unsigned flags, int priority, const StreamGroupPtr& group = nullptr);
  const StreamGroupPtr& streams() const { return streams_; }
  /// All streams of the context and of its green contexts.
  std::vector<StreamPtr> all_streams();
  void add_green(const StreamGroupPtr& streams);
  /// Appends work that is skipped once the context has failed.
  template <class Work>
  CompletionPtr enqueue(Stream& stream, Work work, std::vector<CompletionPtr> after = {}) {
    return stream.enqueue(
        [self = shared_from_this(), work = std::move(work)] {
          if (self->error() == CUDA_SUCCESS) work();
        },
        std::move(after));
  }
  /// Appends work and waits for it. Returns the context's error.
  template <class Work>
  CUresult run(Stream& stream, const Work& work) {
    stream.run([this, &work] {
      if (error() == CUDA_SUCCESS) work();
    });
    return error();
  }
  /// Waits for all work of all streams. Returns the context's error.
  CUresult synchronize();

  /// printf buffer and heap of the context's kernels.
  machine::DeviceRuntime& runtime() { return *runtime_; }

  // --- settings ---
  struct Settings {
    std::array<std::size_t, CU_LIMIT_MAX> limits{};
    CUfunc_cache cache = CU_FUNC_CACHE_PREFER_NONE;
    CUsharedconfig shared = CU_SHARED_MEM_CONFIG_FOUR_BYTE_BANK_SIZE;
    std::set<const Context*> peers;
  };
  /// Runs `use(settings)` under the lock.
  template <class Use>
  auto settings(Use use) {
    const std::lock_guard lock(mutex_);
    return use(settings_);
  }

 private:
  explicit Context(Device& device);
  void release_everything();
  void renew_runtime();

  Device& device_;
  CUcontext handle_ = nullptr;
  const unsigned long long id_;
  std::atomic<unsigned> flags_{0};
  std::atomic<bool> destroyed_{false};
  std::atomic<int> uses_{1};
  std::atomic<CUresult> error_{CUDA_SUCCESS};
  const StreamGroupPtr streams_ = std::make_shared<StreamGroup>();
  DefaultStreams defaults_;

  std::mutex mutex_;
  std::vector<std::weak_ptr<StreamGroup>> green_streams_;
  Settings settings_;
  std::optional<machine::DeviceRuntime> runtime_;  ///< set by the constructor
};
using ContextPtr = std::shared_ptr<Context>;

/// Retains the device's primary context, which lives until it has been released as often.
/// release_primary() returns false when the context was not retained.
ContextPtr retain_primary(Device& device);
bool release_primary(Device& device);

}  // namespace heddle::driver
