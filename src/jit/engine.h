// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The second tier: kernels as machine code of the host, a version for each shape of a block. The
// fallback engine executes kernels that cannot be compiled or have not been yet.
#pragma once

#include <chrono>
#include <memory>

#include "jit/cache.h"
#include "machine/engine.h"

namespace heddle::jit {

/// Versions of a kernel with code. Programs that launch a kernel with more shapes of blocks are
/// rare, and the cache on disk keeps the others.
inline constexpr std::size_t kMostCompiled = 8;
/// All versions of a kernel.
inline constexpr std::size_t kMostVersions = 64;

struct Options {
  /// Compile before the first launch, on its thread. Otherwise in the background, when a kernel is
  /// hot.
  bool at_once = false;
  /// Time in the interpreter that makes a kernel hot: a fixed part, and one for each of its
  /// instructions. Compiling takes about ten times as long, in the background; code is at least ten
  /// times as fast. So compiling pays for every kernel that runs that long again, and most kernels
  /// that do not (tests, set-up) never get hot.
  std::chrono::nanoseconds hot = std::chrono::milliseconds(4);
  std::chrono::nanoseconds hot_by_instruction = std::chrono::microseconds(15);
  /// Processor time that compiling a kernel may take. The longest that is known to be worth it,
  /// CUB's segmented sort, takes four seconds.
  std::chrono::nanoseconds budget = std::chrono::seconds(20);
  bool goes_back = true;   ///< to the interpreter, where code is slower
  Cache* cache = nullptr;  ///< null: none
};

class Engine final : public machine::Engine {
 public:
  explicit Engine(std::unique_ptr<machine::Engine> below, Options options = {})
      : below_(std::move(below)), options_(options) {}
  Result<std::shared_ptr<const machine::Program>> prepare(
      std::shared_ptr<const machine::Loaded> loaded, ir::FunctionId entry) override;

 private:
  const std::unique_ptr<machine::Engine> below_;
  const Options options_;
};

}  // namespace heddle::jit
