// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See background.h.
#include "driver/core/stream/background.h"

#include <condition_variable>
#include <deque>
#include <mutex>
#include <thread>

namespace heddle::driver {
namespace {

class Threads {
 public:
  void add(std::function<void()> work) {
    const std::lock_guard lock(mutex_);
    queue_.push_back(std::move(work));
    if (idle_ < queue_.size()) {
      std::thread([this] { serve(); }).detach();
    } else {
      changed_.notify_one();
    }
  }

 private:
  void serve() {
    std::unique_lock lock(mutex_);
    while (true) {
      while (!queue_.empty()) {
        auto work = std::move(queue_.front());
        queue_.pop_front();
        lock.unlock();
        work();
        work = nullptr;
        lock.lock();
      }
      ++idle_;
      changed_.wait(lock, [this] { return !queue_.empty(); });
      --idle_;
    }
  }

  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<std::function<void()>> queue_;
  std::size_t idle_ = 0;
};

}  // namespace

void in_background(std::function<void()> work) {
  static Threads& threads = *new Threads;  // never destroyed, because its threads never end
  threads.add(std::move(work));
}

}  // namespace heddle::driver
