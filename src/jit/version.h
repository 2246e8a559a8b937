// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A kernel for one shape of its blocks, in clusters or without, on its way from the interpreter to
// compiled code:
//
//     cold --hot--> queued --> compiled --first use--> ready
//       \______________\___________\_________________/-> never
//
// One thread may compile it while others use it.
#pragma once

#include <atomic>
#include <chrono>
#include <memory>
#include <mutex>
#include <string>

#include "jit/cache.h"
#include "jit/code.h"
#include "jit/compilation.h"
#include "jit/engine_comparison.h"
#include "machine/engine.h"
#include "machine/loaded.h"

namespace heddle::jit {

/// HEDDLE_TRACE=jit: lines on stderr.
bool traces();

class Version : public std::enable_shared_from_this<Version> {
 public:
  enum class State : u8 {
    cold,
    queued,    ///< for compilation in the background
    compiled,  ///< its image is not yet in executable memory
    ready,
    never,  ///< it stays in the interpreter
  };
  using Clock = std::chrono::steady_clock;

  /// `budget`: of processor time, for a compilation.
  Version(const machine::Loaded& loaded, ir::FunctionId entry, machine::Dim3 block, bool clustered,
          Cache* cache, std::chrono::nanoseconds budget);

  const machine::Dim3& block() const { return block_; }
  bool is_clustered() const { return clustered_; }
  State state() const { return state_.load(std::memory_order_acquire); }
  bool waits_for_code() const { return state() == State::cold || state() == State::queued; }
  /// Null: there is no code, or not yet.
  std::shared_ptr<const Code> code(const machine::Loaded& loaded) {
    if (const State now = state(); now != State::ready) {
      if (now != State::compiled) return nullptr;
      load(loaded);
    }
    return code_;  // never changes once it is set
  }

  /// Takes the code, or the refusal, from the cache.
  void look_up();
  /// Compiles, and waits as long as the launch's time limit permits; if that ends, the code is for
  /// later launches.
  void compile_now(const machine::Launch& launch);
  /// Adds time that the interpreter has run, before there is code. If the sum reaches `hot`, queues
  /// a compilation in the background; the version with the largest sum in proportion to `hot` is
  /// compiled first.
  void interpreted(std::chrono::nanoseconds time, std::chrono::nanoseconds hot);
  /// Whether it is not decided yet which engine is faster.
  bool is_open() const {
    return state() != State::never && comparison_.verdict() == EngineComparison::Verdict::open;
  }
  EngineComparison& comparison() { return comparison_; }
  /// Adds the time in which `ctas` CTAs have ended. If the code turns out to be slower, the kernel
  /// returns to the interpreter.
  void ran(bool in_code, std::chrono::nanoseconds time, u64 ctas);
  void tell(const std::string& what) const;

  // For messages: whether the last launch began in the interpreter and continued in code.
  void begins(u64 grid) {
    if (grid_.load(std::memory_order_relaxed) == grid) return;
    grid_.store(grid, std::memory_order_relaxed);
    changed_over_.store(false, std::memory_order_relaxed);
  }
  void changes_over() { changed_over_.store(true, std::memory_order_relaxed); }
  bool changed_over() const { return changed_over_.load(std::memory_order_relaxed); }

 private:
  OwnedRequest owned_request() const;
  /// The compilation that runs, or a new one.
  std::shared_ptr<Compilation> compilation(bool in_background);
  void compiled(Compilation::Outcome outcome, bool in_background, Clock::time_point begin);
  std::string key(bool with_budget = false) const;
  /// Takes the image; `how` is for messages.
  void take(Image image, std::string how);
  void refuse(const std::string& why);
  void load(const machine::Loaded& loaded);

  // Not Loaded: the background thread must not be the last owner of that.
  const std::shared_ptr<const ir::Module> module_;
  const ir::FunctionId entry_;
  const machine::SharedLayout shared_;
  const machine::Dim3 block_;
  const bool clustered_;
  Cache* const cache_;
  const std::chrono::nanoseconds budget_;
  std::atomic<s64> interpreted_{0};  ///< ns
  EngineComparison comparison_;
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
