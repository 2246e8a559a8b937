// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A kernel for one shape of its blocks, on its way from the interpreter to compiled code:
//
//     cold --hot--> queued --> compiled --first use--> ready
//       \______________\___________\_________________/-> never
//
// One thread may be compiling while others ask and run.
#pragma once

#include <atomic>
#include <chrono>
#include <memory>
#include <mutex>
#include <string>

#include "jit/cache.h"
#include "jit/code.h"
#include "jit/comparison.h"
#include "jit/compilation.h"
#include "machine/engine.h"
#include "machine/loaded.h"

namespace heddle::jit {

/// HEDDLE_TRACE=jit: lines on stderr.
bool traces();

class Version : public std::enable_shared_from_this<Version> {
 public:
  enum class State : u8 {
    cold,
    queued,    ///< to be compiled in the background
    compiled,  ///< there is an image, not yet in executable memory
    ready,
    never,  ///< it stays in the interpreter
  };
  using Clock = std::chrono::steady_clock;

  /// A compilation may use so much time of a processor.
  Version(const machine::Loaded& loaded, ir::FunctionId entry, machine::Dim3 block, Cache* cache,
          std::chrono::nanoseconds budget);

  const machine::Dim3& block() const { return block_; }
  State state() const { return state_.load(std::memory_order_acquire); }
  bool waits_for_code() const { return state() == State::cold || state() == State::queued; }
  /// Null: there is none, or not yet.
  std::shared_ptr<const Code> code(const machine::Loaded& loaded) {
    if (const State now = state(); now != State::ready) {
      if (now != State::compiled) return nullptr;
      load(loaded);
    }
    return code_;  // which stays, once it is there
  }

  /// Takes what the cache has.
  void look_up();
  /// Compiles, and waits for that as long as the launch may: what comes of it is for the next one
  /// then.
  void compile_now(const machine::Launch& launch);
  /// Before there is code: the interpreter has run for so long. When that makes `hot`, has it
  /// compiled in the background; of several that wait for that, the one for which it has become
  /// most in proportion is next.
  void interpreted(std::chrono::nanoseconds time, std::chrono::nanoseconds hot);
  /// Whether it is open which is faster, code or the interpreter.
  bool is_open() const {
    return state() != State::never && comparison_.verdict() == Comparison::Verdict::open;
  }
  Comparison& comparison() { return comparison_; }
  /// So many CTAs have ended after so much more time. When code turns out to be slower, the kernel
  /// goes back.
  void ran(bool in_code, std::chrono::nanoseconds time, u64 ctas);
  void tell(const std::string& what) const;

  // Whether the last launch began in the interpreter and went on in code; for people.
  void begins(u64 grid) {
    if (grid_.load(std::memory_order_relaxed) == grid) return;
    grid_.store(grid, std::memory_order_relaxed);
    changed_over_.store(false, std::memory_order_relaxed);
  }
  void changes_over() { changed_over_.store(true, std::memory_order_relaxed); }
  bool changed_over() const { return changed_over_.load(std::memory_order_relaxed); }

 private:
  Order order() const;
  /// The one that is under way, or a new one.
  std::shared_ptr<Compilation> compilation(bool in_background);
  void compiled(Compilation::Outcome outcome, bool in_background, Clock::time_point begin);
  std::string key(bool with_budget = false) const;
  /// What came of it; `how`, for people.
  void take(Image image, std::string how);
  void refuse(const std::string& why);
  void load(const machine::Loaded& loaded);

  // Not Loaded: the thread in the background must not be the last that holds it.
  const std::shared_ptr<const ir::Module> module_;
  const ir::FunctionId entry_;
  const machine::SharedLayout shared_;
  const machine::Dim3 block_;
  Cache* const cache_;
  const std::chrono::nanoseconds budget_;
  std::atomic<s64> interpreted_{0};  ///< ns
  Comparison comparison_;
  std::atomic<u64> grid_{0};  ///< Launch::grid_id of the last launch
  std::atomic<bool> changed_over_{false};
  std::atomic<State> state_{State::cold};
  std::mutex mutex_;  ///< of what follows, until `ready`
  std::shared_ptr<Compilation> compilation_;
  Image image_;
  std::string how_;
  std::shared_ptr<const Code> code_;
};

}  // namespace heddle::jit
