// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "jit/background.h"

#include <pthread.h>

#include <algorithm>
#include <condition_variable>
#include <mutex>
#include <new>
#include <vector>

#include "base/quiet_thread.h"

namespace heddle::jit {
namespace {

struct State {
  std::mutex mutex;
  std::condition_variable more;   ///< the queue is not empty
  std::condition_variable ended;  ///< work has ended
  struct Work {
    std::function<void()> run;
    std::function<double()> urgency;
  };
  std::vector<Work> queue;  ///< in order of arrival
  bool runs = false;        ///< the thread exists
  bool works = false;

  State() { pthread_atfork(before_fork, in_parent, in_child); }

  void serve() {
    std::unique_lock lock(mutex);
    while (true) {
      more.wait(lock, [this] { return !queue.empty(); });
      const auto next =
          std::ranges::max_element(queue, {}, [](const Work& work) { return work.urgency(); });
      Work work = std::move(*next);
      queue.erase(next);
      works = true;
      lock.unlock();
      work.run();
      work = {};
      lock.lock();
      works = false;
      ended.notify_all();
    }
  }

  // The child of a fork has no such thread, and the work of the parent's is lost.
  static void before_fork();
  static void in_parent();
  static void in_child();
};

/// Never destroyed: the thread never ends.
State& state() {
  static State& one = *new State;
  return one;
}

void State::before_fork() { state().mutex.lock(); }
void State::in_parent() { state().mutex.unlock(); }
void State::in_child() {
  State& s = state();
  new (&s.more) std::condition_variable;
  new (&s.ended) std::condition_variable;
  s.queue.clear();
  s.runs = s.works = false;
  s.mutex.unlock();
}

}  // namespace

void in_background(std::function<void()> work, std::function<double()> urgency) {
  State& s = state();
  const std::lock_guard lock(s.mutex);
  s.queue.push_back({std::move(work), std::move(urgency)});
  s.more.notify_one();
  if (s.runs) return;
  s.runs = true;
  start_quiet_thread([&s] { s.serve(); });
}

void wait_for_background() {
  State& s = state();
  std::unique_lock lock(s.mutex);
  s.ended.wait(lock, [&] { return s.queue.empty() && !s.works; });
}

}  // namespace heddle::jit
