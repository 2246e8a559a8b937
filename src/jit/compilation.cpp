// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "jit/compilation.h"

#include <pthread.h>
#include <sched.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <ctime>
#include <utility>

#include <fmt/format.h>

#include "base/quiet_thread.h"

namespace heddle::jit {
namespace {

/// How many compilations that were left behind may run at once. With that many, no more begin.
constexpr int kMostBehind = 4;
/// The thread's stack: LLVM recurses along chains of values.
constexpr std::size_t kStack = std::size_t{64} << 20;
constexpr std::chrono::milliseconds kInterval{10};

std::atomic<int>& behind() {
  static std::atomic<int>& count = *new std::atomic<int>{0};
  return count;
}

Failure over(std::chrono::nanoseconds budget) {
  return {fmt::format("compiling it takes more than {:g} s of a processor's time",
                      std::chrono::duration<double>(budget).count()),
          /*by_kernel=*/true, /*over_budget=*/true};
}

}  // namespace

Request OwnedRequest::request() const {
  Request request;
  request.module = module.get();
  request.entry = entry;
  request.shared = &shared;
  request.block = block;
  request.clustered = clustered;
  request.cpu = cpu;
  return request;
}

Compilation::Compilation(OwnedRequest request, std::chrono::nanoseconds budget,
                         std::function<void(Outcome)> ended)
    : request_(std::move(request)), budget_(budget), process_(getpid()), ended_(std::move(ended)) {}

std::shared_ptr<Compilation> Compilation::start(OwnedRequest request,
                                                std::chrono::nanoseconds budget,
                                                std::function<void(Outcome)> ended) {
  const std::shared_ptr<Compilation> one(
      new Compilation(std::move(request), budget, std::move(ended)));
  if (budget <= std::chrono::nanoseconds(0)) {
    one->end(over(budget));
    return one;
  }
  if (behind() >= kMostBehind) {
    one->end(Failure{
        fmt::format("{} earlier compilations took too long and have not ended yet", kMostBehind)});
    return one;
  }
  if (!start_quiet_thread([one] { one->run(); }, kStack))
    one->end(
        Failure{"there is no thread for the compiler", /*by_kernel=*/false, /*over_budget=*/true});
  return one;
}

void Compilation::run() {
  {
    const std::lock_guard lock(mutex_);
    runs_ = pthread_getcpuclockid(pthread_self(), &clock_) == 0;
    thread_ = static_cast<int>(syscall(SYS_gettid));
  }
  Request request = request_.request();
  request.abandoned = &abandoned_;
  Outcome outcome = compile(request);
  {
    const std::lock_guard lock(mutex_);
    runs_ = false;
  }
  if (!end(std::move(outcome))) --behind();
}

bool Compilation::end(Outcome outcome) {
  {
    const std::lock_guard lock(mutex_);
    if (abandoned_) return false;
    is_ending_ = true;
  }
  // Waiting threads find the outcome.
  std::exchange(ended_, {})(std::move(outcome));
  const std::lock_guard lock(mutex_);
  is_over_ = true;
  changed_.notify_all();
  return true;
}

/// Processor time of the thread.
std::chrono::nanoseconds Compilation::used() const {
  timespec time{};
  if (!runs_ || clock_gettime(clock_, &time) != 0) return {};
  return std::chrono::seconds(time.tv_sec) + std::chrono::nanoseconds(time.tv_nsec);
}

/// The thread continues at idle priority and skips what it can; nobody uses its outcome.
void Compilation::leave_behind() {
  ++behind();
  abandoned_ = true;
  const sched_param none{};
  sched_setscheduler(thread_, SCHED_IDLE, &none);
  std::exchange(ended_, {})(over(budget_));
  is_over_ = true;
  changed_.notify_all();
}

bool Compilation::wait(const std::function<bool()>& gives_up) {
  // The child of a fork does not have this thread.
  if (getpid() != process_) return false;
  std::unique_lock lock(mutex_);
  while (!is_over_) {
    if (gives_up && gives_up()) return false;
    if (!is_ending_ && used() > budget_) {
      leave_behind();
      break;
    }
    changed_.wait_for(lock, kInterval);
  }
  return true;
}

}  // namespace heddle::jit
