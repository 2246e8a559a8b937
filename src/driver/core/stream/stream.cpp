// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See stream.h.
#include "driver/core/stream/stream.h"

#include <algorithm>
#include <thread>
#include <utility>

#include "base/spin_then_lock.h"

namespace heddle::driver {
namespace {

constexpr std::chrono::microseconds kSpin(20);
/// How long a stream's thread leaves new work to the thread that appended it. That thread may be
/// about to wait, and executes the work without a switch of threads.
constexpr std::chrono::microseconds kHeadStart(2);

}  // namespace

void Completion::finish() {
  time_ = Clock::now();
  done_.store(true);
  done_.notify_all();
}

void StreamGroup::add(const StreamPtr& stream) {
  const std::lock_guard lock(order_);
  std::erase_if(streams_, [](const auto& weak) { return weak.expired(); });
  streams_.push_back(stream);
}

std::vector<StreamPtr> StreamGroup::all() {
  const std::lock_guard lock(order_);
  std::vector<StreamPtr> alive;
  for (const auto& weak : streams_) {
    if (auto stream = weak.lock()) alive.push_back(std::move(stream));
  }
  return alive;
}

StreamPtr DefaultStreams::get(CUstream handle, const StreamGroupPtr& group, Context* context) {
  const std::lock_guard lock(mutex_);
  const bool legacy = handle == CU_STREAM_LEGACY;
  StreamPtr& stream = legacy ? legacy_ : per_thread_[std::this_thread::get_id()];
  const auto kind = legacy ? Stream::Kind::legacy : Stream::Kind::per_thread;
  if (!stream) stream = Stream::create(group, context, kind, 0, 0);
  return stream;
}

void DefaultStreams::close() {
  const std::lock_guard lock(mutex_);
  if (legacy_) legacy_->close();
  for (const auto& [thread, stream] : per_thread_) stream->close();
  legacy_ = nullptr;
  per_thread_.clear();
}

StreamPtr Stream::create(std::shared_ptr<StreamGroup> group, Context* context, Kind kind,
                         unsigned flags, int priority) {
  static std::atomic<unsigned long long> ids{1};
  StreamPtr stream(new Stream);
  stream->group_ = std::move(group);
  stream->context_ = context;
  stream->kind_ = kind;
  stream->flags_ = flags;
  stream->id_ = ids.fetch_add(1);
  stream->attributes_[CU_STREAM_ATTRIBUTE_SYNCHRONIZATION_POLICY].syncPolicy = CU_SYNC_POLICY_AUTO;
  stream->set_priority(priority);
  stream->attributes_[CU_STREAM_ATTRIBUTE_MEM_SYNC_DOMAIN_MAP].memSyncDomainMap = {0, 1};
  stream->group_->add(stream);
  return stream;
}

void Stream::set_priority(int priority) { priority_ = std::clamp(priority, kGreatestPriority, 0); }

CompletionPtr Stream::append(const ItemPtr& item, std::vector<CompletionPtr> after, By by) {
  const std::lock_guard order(group_->order_);
  add_implicit_order(after);
  std::erase_if(after, [](const CompletionPtr& each) { return each->is_done(); });
  const auto lock = spin_then_lock(mutex_);
  const bool may_begin = after.empty() && (!last_ || last_->is_done());
  last_ = item;
  if (by == By::caller && may_begin) {
    item->run();
    item->finish();
    return item;
  }
  item->after = std::move(after);
  queue_.push_back(item);
  if (by != By::waiter && !started_) {
    started_ = true;
    std::thread([self = shared_from_this()] { self->work_until_closed(); }).detach();
  }
  announce();
  return item;
}

// The legacy stream waits for all blocking streams, and blocking streams wait for the legacy
// stream.
void Stream::add_implicit_order(std::vector<CompletionPtr>& after) {
  if (kind_ == Kind::non_blocking) return;
  for (const auto& weak : group_->streams_) {
    const auto other = weak.lock();
    if (!other || other.get() == this || other->kind_ == Kind::non_blocking) continue;
    if (kind_ != Kind::legacy && other->kind_ != Kind::legacy) continue;
    if (auto last = other->last(); last) after.push_back(std::move(last));
  }
}

/// The caller of this function and of the functions below holds the lock.
void Stream::announce() {
  changes_.fetch_add(1, std::memory_order_relaxed);
  left_.store(busy_ ? 0 : queue_.size(), std::memory_order_relaxed);
  changed_.notify_all();
}

void Stream::wait_for_change(std::unique_lock<std::mutex>& lock) {
  const u64 seen = changes_.load();
  lock.unlock();
  spin_while(kSpin, [&] { return changes_.load(std::memory_order_relaxed) == seen; });
  spin_then_lock(lock);
  changed_.wait(lock, [&] { return changes_.load() != seen; });
}

/// Waits for an item that no thread executes: spins without the lock, so that a thread that
/// launches need not wait for it, then sleeps until the stream changes.
void Stream::look_for_work(std::unique_lock<std::mutex>& lock) {
  u64 seen = 0;
  const auto left = [&] { return left_.load(std::memory_order_relaxed); };
  const auto changed = [&] { return changes_.load(std::memory_order_relaxed) != seen; };
  lock.unlock();
  do {
    seen = changes_.load(std::memory_order_relaxed);
    spin_while(kSpin, [&] { return left() == 0 && !changed(); });
    if (left() == 1) spin_while(kHeadStart, [&] { return left() == 1; });
  } while (left() == 0 && changed());
  spin_then_lock(lock);
  if (left() == 0 && !closed_) changed_.wait(lock, [&] { return changed(); });
}

CompletionPtr Stream::last() {
  const auto lock = spin_then_lock(mutex_);
  return last_;
}

/// Executes the first `count` items without the lock. Threads are woken only at the end of an item
/// that a thread waits for: such a thread has called await() before, or finds the item done.
void Stream::run_first(std::unique_lock<std::mutex>& lock, std::size_t count) {
  busy_ = true;
  if (count == queue_.size()) running_.swap(queue_);
  for (; running_.size() < count; queue_.pop_front()) running_.push_back(queue_.front());
  left_.store(0, std::memory_order_relaxed);
  lock.unlock();
  for (const ItemPtr& item : running_) {
    for (const auto& completion : std::exchange(item->after, {})) completion->wait();
    item->run();
    item->finish();  // after run() has released the objects of the work
    if (item->is_awaited() && item != running_.back()) {
      lock.lock();
      announce();
      lock.unlock();
    }
  }
  running_.clear();
  spin_then_lock(lock);
  busy_ = false;
  announce();
}

void Stream::wait(const Completion& completion) {
  completion.await();
  auto lock = spin_then_lock(mutex_);
  while (!completion.is_done()) {
    // Executes one item at a time, and none after the one that this thread waits for: later items
    // may wait for this thread.
    if (!busy_ && !queue_.empty()) {
      run_first(lock, 1);
    } else {
      wait_for_change(lock);
    }
  }
}

void Stream::synchronize() {
  if (const auto last = this->last()) wait(*last);
}

bool Stream::is_idle() {
  const auto last = this->last();
  return !last || last->is_done();
}

void Stream::work_until_closed() {
  std::unique_lock lock(mutex_);
  while (true) {
    if (!busy_ && !queue_.empty()) {
      run_first(lock, queue_.size());
    } else if (closed_ && queue_.empty()) {
      return;
    } else {
      look_for_work(lock);
    }
  }
}

void Stream::close() {
  const std::lock_guard lock(mutex_);
  closed_ = true;
  announce();
}

}  // namespace heddle::driver
