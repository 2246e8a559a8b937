// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Streams: queues of work. The items of a stream run in order; streams run in parallel, but for the
// implicit order that the legacy default stream imposes on the blocking streams of its context.
// Driver API 2 (Stream synchronization behavior), 6.18.
//
// A stream has a thread of its own from its first asynchronous work on. A thread that waits for a
// stream executes the stream's next item itself when the stream's thread has not begun with it, so
// launching a kernel and waiting for it costs no switch of threads. The stream's thread takes all
// items of the queue at once, so that it seldom contends for the lock with threads that append.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>
#include <utility>
#include <vector>

#include "base/types.h"
#include "driver/abi.h"

namespace heddle::driver {

class Context;
class Stream;

/// The end of an item of work, which events record and streams wait for.
class Completion {
 public:
  using Clock = std::chrono::steady_clock;

  bool is_done() const { return done_.load(); }
  void wait() const { done_.wait(false, std::memory_order_acquire); }
  /// Asks the thread that finishes the item to wake waiting threads.
  void await() const { awaited_ = true; }
  bool is_awaited() const { return awaited_.load(); }
  /// The time at which the item was done. Valid once it is done.
  Clock::time_point time() const { return time_; }
  void finish();

 private:
  std::atomic<bool> done_{false};
  mutable std::atomic<bool> awaited_{false};
  Clock::time_point time_;
};
using CompletionPtr = std::shared_ptr<const Completion>;

/// The streams of one context, or of one green context, among which the default stream's order
/// holds.
class StreamGroup {
 public:
  StreamGroup() = default;
  StreamGroup(CUgreenCtx green, u32 multiprocessors)
      : green_(green), multiprocessors_(multiprocessors) {}

  /// Null for the group of a context.
  CUgreenCtx green() const { return green_; }
  /// Multiprocessors of the green context; 0: all of the device.
  u32 multiprocessors() const { return multiprocessors_; }
  /// Whether the green context has been destroyed. Its streams can then only be destroyed.
  bool is_detached() const { return detached_.load(); }
  void detach() { detached_ = true; }

  void add(const std::shared_ptr<Stream>& stream);
  /// All live streams of the group.
  std::vector<std::shared_ptr<Stream>> all();

 private:
  friend class Stream;
  std::mutex order_;  // held while work is appended to any stream: all appended work has one order
  std::vector<std::weak_ptr<Stream>> streams_;
  const CUgreenCtx green_ = nullptr;
  const u32 multiprocessors_ = 0;
  std::atomic<bool> detached_{false};
};
using StreamGroupPtr = std::shared_ptr<StreamGroup>;

class Stream : public std::enable_shared_from_this<Stream> {
 public:
  enum class Kind { legacy, per_thread, blocking, non_blocking };

  static std::shared_ptr<Stream> create(std::shared_ptr<StreamGroup> group, Context* context,
                                        Kind kind, unsigned flags, int priority);

  /// Appends work. It runs after the work in the stream, after `after`, and after the work that the
  /// default stream's rules order before it.
  template <class Work>
  CompletionPtr enqueue(Work work, std::vector<CompletionPtr> after = {}) {
    return append(std::make_shared<ItemOf<Work>>(std::move(work)), std::move(after), By::thread);
  }
  /// Appends work that takes no time and uses no stream. The work is done when the call returns if
  /// it need not wait for other work.
  template <class Work>
  CompletionPtr enqueue_brief(Work work, std::vector<CompletionPtr> after = {}) {
    return append(std::make_shared<ItemOf<Work>>(std::move(work)), std::move(after), By::caller);
  }
  /// Appends an empty item, which is done after all work in the stream and after `after`.
  CompletionPtr mark(std::vector<CompletionPtr> after = {}) {
    return enqueue_brief([] {}, std::move(after));
  }
  /// Appends work and waits for it, executing it on this thread when possible.
  template <class Work>
  void run(Work work) {
    wait(*append(std::make_shared<ItemOf<Work>>(std::move(work)), {}, By::waiter));
  }

  /// wait() waits for one item of this stream, synchronize() for all that are in it now.
  void wait(const Completion& completion);
  void synchronize();
  bool is_idle();

  /// The item appended last; null when there was none.
  CompletionPtr last();

  /// Called when no more work will come: the thread ends once the queue is empty. Does not wait.
  void close();

  Context* context() const { return context_; }
  const StreamGroup& group() const { return *group_; }
  Kind kind() const { return kind_; }
  unsigned flags() const { return flags_; }
  /// From kGreatestPriority to 0. Other numbers are clamped.
  int priority() const { return priority_.load(); }
  void set_priority(int priority);
  static constexpr int kGreatestPriority = -5;
  unsigned long long id() const { return id_; }

  using Attributes = std::map<CUstreamAttrID, CUstreamAttrValue>;
  /// Runs `use(attributes)` under the lock.
  template <class Use>
  auto attributes(Use use) {
    const std::lock_guard lock(mutex_);
    return use(attributes_);
  }

 private:
  /// An item of work is its own completion, so that a launch costs one allocation.
  struct Item : Completion {
    std::vector<CompletionPtr> after;
    virtual ~Item() = default;
    /// Executes the work, once, and destroys its objects.
    virtual void run() = 0;
  };
  template <class Work>
  struct ItemOf final : Item {
    explicit ItemOf(Work given) : work(std::move(given)) {}
    void run() override {
      (*work)();
      work.reset();
    }
    std::optional<Work> work;
  };
  using ItemPtr = std::shared_ptr<Item>;

  Stream() = default;
  /// The thread that executes an item. caller: the thread that appends it, when it can begin at
  /// once, and otherwise the stream's thread; thread: the stream's thread; waiter: the thread that
  /// waits for the item, unless the stream's thread takes it first.
  enum class By { caller, thread, waiter };
  CompletionPtr append(const ItemPtr& item, std::vector<CompletionPtr> after, By by);
  void add_implicit_order(std::vector<CompletionPtr>& after);
  void run_first(std::unique_lock<std::mutex>& lock, std::size_t count);
  void announce();
  void wait_for_change(std::unique_lock<std::mutex>& lock);
  void look_for_work(std::unique_lock<std::mutex>& lock);
  void work_until_closed();

  std::shared_ptr<StreamGroup> group_;
  Context* context_ = nullptr;
  Kind kind_ = Kind::blocking;
  unsigned flags_ = 0;
  std::atomic<int> priority_{0};
  unsigned long long id_ = 0;

  std::mutex mutex_;
  std::condition_variable changed_;
  std::atomic<u64> changes_{0};  // changed under the lock
  std::atomic<u64> left_{0};     // likewise: items in the queue, or 0 while a thread executes items
  std::deque<ItemPtr> queue_;
  std::deque<ItemPtr> running_;  // used by the thread that made the stream busy
  Attributes attributes_;
  CompletionPtr last_;
  bool busy_ = false;     // a thread executes items, which are no longer in the queue
  bool started_ = false;  // the stream's thread exists
  bool closed_ = false;
};
using StreamPtr = std::shared_ptr<Stream>;

/// The default streams of a group. The first use makes a stream.
class DefaultStreams {
 public:
  /// `handle`: CU_STREAM_LEGACY or CU_STREAM_PER_THREAD.
  StreamPtr get(CUstream handle, const StreamGroupPtr& group, Context* context);
  void close();

 private:
  std::mutex mutex_;
  StreamPtr legacy_;
  std::map<std::thread::id, StreamPtr> per_thread_;
};

}  // namespace heddle::driver
