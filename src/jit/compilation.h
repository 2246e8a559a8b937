// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A compilation on a thread of its own. LLVM cannot be interrupted, so a compilation that takes too
// long is left behind (docs/adr/0006-compilations-can-be-left-behind.md).
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

/// A Request with shared ownership of what it refers to.
struct OwnedRequest {
  std::shared_ptr<const ir::Module> module;
  ir::FunctionId entry;
  machine::SharedLayout shared;
  machine::Dim3 block;
  bool clustered = false;
  std::string cpu;

  Request request() const;
};

class Compilation : public std::enable_shared_from_this<Compilation> {
 public:
  using Outcome = Result<Compiled, Failure>;
  using Clock = std::chrono::steady_clock;

  /// Starts a compilation, which may use `budget` of processor time. `ended` is called once with
  /// the outcome, on the compiling thread or on one that waits.
  static std::shared_ptr<Compilation> start(OwnedRequest request, std::chrono::nanoseconds budget,
                                            std::function<void(Outcome)> ended);

  /// Waits until the compilation has ended, its budget is used up, or `gives_up` returns true. The
  /// budget is enforced while a thread waits here. Returns whether it has ended.
  bool wait(const std::function<bool()>& gives_up = {});

 private:
  Compilation(OwnedRequest request, std::chrono::nanoseconds budget,
              std::function<void(Outcome)> ended);
  void run();
  /// False: another thread has ended it before.
  bool end(Outcome outcome);
  void leave_behind();
  std::chrono::nanoseconds used() const;

  const OwnedRequest request_;
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
