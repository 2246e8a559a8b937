// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "jit/background.h"

#include <pthread.h>
#include <signal.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdlib>
#include <deque>
#include <mutex>
#include <new>
#include <thread>

namespace heddle::jit {
namespace {

/// A compiler that is stuck must not keep the process.
constexpr std::chrono::seconds kPatience{5};

thread_local bool is_background = false;
thread_local bool compiles = false;

struct State {
  std::mutex mutex;
  std::condition_variable more;   ///< in queue
  std::condition_variable ended;  ///< work, a compilation
  std::deque<std::function<void()>> queue;
  bool runs = false;  ///< the thread exists
  bool works = false;
  int compilations = 0;  ///< on all threads
  std::atomic<bool> exiting{false};

  State() { pthread_atfork(before_fork, in_parent, in_child); }

  void serve() {
    is_background = true;
    std::unique_lock lock(mutex);
    while (true) {
      more.wait(lock, [this] { return !queue.empty() && !exiting; });
      auto work = std::move(queue.front());
      queue.pop_front();
      works = true;
      lock.unlock();
      work();
      work = nullptr;
      lock.lock();
      works = false;
      ended.notify_all();
    }
  }

  // A child has none of the threads, and what they were at is lost.
  static void before_fork();
  static void in_parent();
  static void in_child();
};

/// Never destroyed: its thread never ends.
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
  s.compilations = compiles;
  s.mutex.unlock();
}

void end_compilations() {
  State& s = state();
  std::unique_lock lock(s.mutex);
  s.exiting = true;
  const int own = compiles;  // LLVM calls exit() when it gives up
  s.ended.wait_for(lock, kPatience,
                   [&] { return s.compilations <= own && (!s.works || is_background); });
}

}  // namespace

void in_background(std::function<void()> work) {
  State& s = state();
  const std::lock_guard lock(s.mutex);
  s.queue.push_back(std::move(work));
  s.more.notify_one();
  if (s.runs) return;
  s.runs = true;
  std::atexit(end_compilations);  // it may be loading the library when the process ends
  // Signals are the program's, and its handlers may not expect this thread.
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  std::thread([&s] { s.serve(); }).detach();
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

void wait_for_background() {
  State& s = state();
  std::unique_lock lock(s.mutex);
  s.ended.wait(lock, [&] { return s.queue.empty() && !s.works; });
}

Compilation::Compilation() {
  State& s = state();
  const std::lock_guard lock(s.mutex);
  may_ = !s.exiting;
  if (!may_) return;
  ++s.compilations;
  compiles = true;
}

Compilation::~Compilation() {
  if (!may_) return;
  State& s = state();
  const std::lock_guard lock(s.mutex);
  --s.compilations;
  compiles = false;
  s.ended.notify_all();
}

void end_compilations_at_exit() { std::atexit(end_compilations); }

void may_end_here() {
  State& s = state();
  if (!is_background || !s.exiting.load(std::memory_order_relaxed)) return;
  {
    const std::lock_guard lock(s.mutex);
    --s.compilations;
    s.works = false;
    s.ended.notify_all();
  }
  while (true) pause();
}

}  // namespace heddle::jit
