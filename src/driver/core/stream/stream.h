// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Streams: queues of work that run in order, beside each other, with the implicit order that the
// legacy default stream imposes on the blocking streams of its context. Driver API 2 (Stream
// synchronization behavior), 6.18.
//
// A stream has a thread of its own from its first asynchronous work on. Whoever waits for a stream
// helps: it runs the stream's next work itself when the thread has not begun with it, so launching
// a kernel and waiting for it costs no switch of threads. The thread takes all that is in the queue
// at once: who appends and who runs seldom meet at the lock.
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

/// The end of one piece of work: what events capture and streams wait for.
class Completion {
 public:
  using Clock = std::chrono::steady_clock;

  bool is_done() const { return done_.load(); }
  void wait() const { done_.wait(false, std::memory_order_acquire); }
  /// From now on, who finishes it is asked to tell.
  void await() const { awaited_ = true; }
  bool is_awaited() const { return awaited_.load(); }
  /// When it was done; only then valid.
  Clock::time_point time() const { return time_; }
  void finish();

 private:
  std::atomic<bool> done_{false};
  mutable std::atomic<bool> awaited_{false};
  Clock::time_point time_;
};
using CompletionPtr = std::shared_ptr<const Completion>;

/// The streams of one context, or of one green context, as far as they order each other.
class StreamGroup {
 public:
  StreamGroup() = default;
  StreamGroup(CUgreenCtx green, u32 multiprocessors)
      : green_(green), multiprocessors_(multiprocessors) {}

  /// Null: of a context.
  CUgreenCtx green() const { return green_; }
  /// What the green context has; 0: all that the device has.
  u32 multiprocessors() const { return multiprocessors_; }
  /// The green context is no more: its streams can only be destroyed.
  bool is_detached() const { return detached_.load(); }
  void detach() { detached_ = true; }

  void add(const std::shared_ptr<Stream>& stream);
  /// All streams that are still alive.
  std::vector<std::shared_ptr<Stream>> all();

 private:
  friend class Stream;
  std::mutex order_;  // held while work is appended to any stream, so that "before" is well defined
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

  /// Appends work; it runs after what is in the stream, after `after`, and after what the rules of
  /// the default stream put before it.
  template <class Work>
  CompletionPtr enqueue(Work work, std::vector<CompletionPtr> after = {}) {
    return append(std::make_shared<ItemOf<Work>>(std::move(work)), std::move(after), By::thread);
  }
  /// The same for work that takes no time and uses no stream: it is done when the call returns,
  /// if there is nothing that it comes after.
  template <class Work>
  CompletionPtr enqueue_brief(Work work, std::vector<CompletionPtr> after = {}) {
    return append(std::make_shared<ItemOf<Work>>(std::move(work)), std::move(after), By::caller);
  }
  /// Appends the end of all that is in the stream, and of `after`.
  CompletionPtr mark(std::vector<CompletionPtr> after = {}) {
    return enqueue_brief([] {}, std::move(after));
  }
  /// Appends work and waits for it, running it here when possible.
  template <class Work>
  void run(Work work) {
    wait(*append(std::make_shared<ItemOf<Work>>(std::move(work)), {}, By::waiter));
  }

  /// Waits for one piece of this stream's work / for everything that is in it now.
  void wait(const Completion& completion);
  void synchronize();
  bool is_idle();

  /// The work appended last; null when there was none.
  CompletionPtr last();

  /// No more work will come: the thread ends once the queue is empty. Does not wait.
  void close();

  Context* context() const { return context_; }
  const StreamGroup& group() const { return *group_; }
  Kind kind() const { return kind_; }
  unsigned flags() const { return flags_; }
  /// Between kGreatestPriority and 0: what is beyond is taken for the nearest.
  int priority() const { return priority_.load(); }
  void set_priority(int priority);
  static constexpr int kGreatestPriority = -5;
  unsigned long long id() const { return id_; }

  using Attributes = std::map<CUstreamAttrID, CUstreamAttrValue>;
  /// Runs `use(attributes)` alone.
  template <class Use>
  auto attributes(Use use) {
    const std::lock_guard lock(mutex_);
    return use(attributes_);
  }

 private:
  /// A piece of work and its end, in one place: a launch costs one allocation.
  struct Item : Completion {
    std::vector<CompletionPtr> after;
    virtual ~Item() = default;
    /// Once. What the work holds on to goes with it.
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
  /// Who runs a piece of work: whoever appends it, when it can begin at once, and otherwise the
  /// stream's thread; the thread; or who waits for it, unless the thread is there already.
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
  std::atomic<u64> changes_{0};  // made under the lock
  std::atomic<u64> left_{0};     // the same: items that nobody runs, while nobody runs any
  std::deque<ItemPtr> queue_;
  std::deque<ItemPtr> running_;  // belongs to the thread that made the stream busy
  Attributes attributes_;
  CompletionPtr last_;
  bool busy_ = false;     // somebody runs items that are no longer in the queue
  bool started_ = false;  // the thread exists
  bool closed_ = false;
};
using StreamPtr = std::shared_ptr<Stream>;

/// The default streams of one group, made when they are first used.
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
