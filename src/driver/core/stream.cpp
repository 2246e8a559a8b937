// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See stream.h.
#include "driver/core/stream.h"

#include <thread>
#include <utility>

#include "base/look_while.h"

namespace heddle::driver {
namespace {

constexpr std::chrono::microseconds kLookout(20);

}  // namespace

void Completion::finish() {
  time_ = Clock::now();
  done_.store(true, std::memory_order_release);
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
  stream->priority_ = priority;
  stream->id_ = ids.fetch_add(1);
  stream->attributes_[CU_STREAM_ATTRIBUTE_SYNCHRONIZATION_POLICY].syncPolicy = CU_SYNC_POLICY_AUTO;
  stream->attributes_[CU_STREAM_ATTRIBUTE_PRIORITY].priority = priority;
  stream->attributes_[CU_STREAM_ATTRIBUTE_MEM_SYNC_DOMAIN_MAP].memSyncDomainMap = {0, 1};
  stream->group_->add(stream);
  return stream;
}

CompletionPtr Stream::enqueue(Work work, std::vector<CompletionPtr> after) {
  return append(std::move(work), std::move(after), true);
}

void Stream::run(Work work) { wait(*append(std::move(work), {}, false)); }

std::shared_ptr<Completion> Stream::append(Work work, std::vector<CompletionPtr> after, bool wake) {
  auto done = std::make_shared<Completion>();
  const std::lock_guard order(group_->order_);
  add_implicit_order(after);
  const std::lock_guard lock(mutex_);
  queue_.push_back({std::move(work), std::move(after), done});
  last_ = done;
  if (wake && !started_) {
    started_ = true;
    std::thread([self = shared_from_this()] { self->work_until_closed(); }).detach();
  }
  announce();
  return done;
}

// The legacy stream waits for all blocking streams, and they wait for it.
void Stream::add_implicit_order(std::vector<CompletionPtr>& after) {
  if (kind_ == Kind::non_blocking) return;
  for (const auto& weak : group_->streams_) {
    const auto other = weak.lock();
    if (!other || other.get() == this || other->kind_ == Kind::non_blocking) continue;
    if (kind_ != Kind::legacy && other->kind_ != Kind::legacy) continue;
    if (auto last = other->last(); last && !last->is_done()) after.push_back(std::move(last));
  }
}

/// The lock is held.
void Stream::announce() {
  changes_.fetch_add(1, std::memory_order_relaxed);
  changed_.notify_all();
}

void Stream::wait_for_change(std::unique_lock<std::mutex>& lock) {
  const u64 seen = changes_.load(std::memory_order_relaxed);
  const auto nothing_new = [&] { return changes_.load(std::memory_order_relaxed) == seen; };
  lock.unlock();
  look_while(kLookout, nothing_new);
  lock.lock();
  changed_.wait(lock, [&] { return !nothing_new(); });
}

CompletionPtr Stream::last() {
  const std::lock_guard lock(mutex_);
  return last_;
}

void Stream::run_next(std::unique_lock<std::mutex>& lock) {
  busy_ = true;
  Item item = std::move(queue_.front());
  queue_.pop_front();
  lock.unlock();
  for (const auto& completion : item.after) completion->wait();
  item.work();
  item.work = nullptr;  // what it holds on to goes before anybody is told that it is done
  item.done->finish();
  lock.lock();
  busy_ = false;
  announce();
}

void Stream::wait(const Completion& completion) {
  std::unique_lock lock(mutex_);
  while (!completion.is_done()) {
    if (!busy_ && !queue_.empty()) {
      run_next(lock);
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
    if (!busy_ && !queue_.empty())
      run_next(lock);
    else if (closed_ && queue_.empty())
      return;
    else
      wait_for_change(lock);
  }
}

void Stream::close() {
  const std::lock_guard lock(mutex_);
  closed_ = true;
  announce();
}

}  // namespace heddle::driver
