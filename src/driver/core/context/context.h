// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Contexts: whose memory, modules and streams something belongs to, and what went wrong in them.
// Driver API 6.7, 6.8.
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
  /// A live context; its handle is in the state's table.
  static std::shared_ptr<Context> create(Device& device, unsigned flags);

  Device& device() const { return device_; }
  CUcontext handle() const { return handle_; }
  unsigned long long id() const { return id_; }

  unsigned flags() const { return flags_.load(); }
  void set_flags(unsigned flags) { flags_ = flags; }

  // --- life ---
  bool is_destroyed() const { return destroyed_.load(); }
  /// Waits for all work, then gives back everything that belongs to the context. The object lives
  /// on while a thread has it current.
  void destroy();
  /// The same for the primary context, which can come to life again.
  void reset();
  void revive(unsigned flags);

  /// The uses that cuCtxAttach and cuCtxDetach count; the creation is one.
  void attach() { ++uses_; }
  /// True when that was the last one.
  bool detach() { return --uses_ == 0; }

  // --- errors ---
  CUresult error() const { return error_.load(); }
  /// Keeps the first error of a kernel.
  void fail(CUresult error);

  // --- streams ---
  /// The stream that a handle means in this context; null when it means none. The default stream
  /// when `handle` is null. Default streams are the green context's that is current, if one is.
  StreamPtr stream(CUstream handle);
  /// Its own default stream: CU_STREAM_LEGACY or CU_STREAM_PER_THREAD.
  StreamPtr default_stream(CUstream handle) { return defaults_.get(handle, streams_, this); }
  /// In `group`; null: among the context's own.
  StreamPtr create_stream(unsigned flags, int priority, const StreamGroupPtr& group = nullptr);
  const StreamGroupPtr& streams() const { return streams_; }
  /// Also those of its green contexts.
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
  /// The same, waiting for it. Returns the context's error.
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
  /// Runs `use(settings)` alone.
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
  std::optional<machine::DeviceRuntime> runtime_;  ///< always there
};
using ContextPtr = std::shared_ptr<Context>;

/// The primary context, alive until it is released as often as retained. False: it was not
/// retained.
ContextPtr retain_primary(Device& device);
bool release_primary(Device& device);

}  // namespace heddle::driver
