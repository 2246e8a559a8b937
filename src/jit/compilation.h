// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A compilation on a thread of its own, which is left behind when it takes too long: nobody can
// stop LLVM in the middle (docs/adr/0006-compilations-can-be-left-behind.md).
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <ctime>
#include <functional>
#include <memory>
#include <mutex>
#include <string>

#include "jit/compiler.h"

namespace heddle::jit {

/// What a Request needs, kept as long as somebody may look at it.
struct Order {
  std::shared_ptr<const ir::Module> module;
  ir::FunctionId entry;
  machine::SharedLayout shared;
  machine::Dim3 block;
  std::string cpu;

  Request request() const;
};

class Compilation : public std::enable_shared_from_this<Compilation> {
 public:
  using Outcome = Result<Compiled, Failure>;
  using Clock = std::chrono::steady_clock;

  /// Begins one. It may use so much time of a processor; `ended` gets what came of it, once, on the
  /// thread that compiles or on one that waits.
  static std::shared_ptr<Compilation> start(Order order, std::chrono::nanoseconds budget,
                                            std::function<void(Outcome)> ended);

  /// Until it ended, or its budget is used up, or `gives_up` says that the caller waits no longer.
  /// The budget is watched as long as somebody waits. Whether it ended.
  bool wait(const std::function<bool()>& gives_up = {});

 private:
  Compilation(Order order, std::chrono::nanoseconds budget, std::function<void(Outcome)> ended);
  void run();
  /// False: somebody was first.
  bool end(Outcome outcome);
  void leave_behind();
  std::chrono::nanoseconds used() const;

  const Order order_;
  const std::chrono::nanoseconds budget_;
  const int process_;
  std::function<void(Outcome)> ended_;
  std::atomic<bool> abandoned_{false};
  std::mutex mutex_;  ///< of what follows
  std::condition_variable changed_;
  bool is_ending_ = false, is_over_ = false;
  bool runs_ = false;
  clockid_t clock_{};  ///< of the thread, while it runs
  int thread_ = 0;     ///< for the system
};

}  // namespace heddle::jit
