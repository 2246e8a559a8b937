// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The second tier: kernels as machine code of the host, one version for each shape of a block. What
// it cannot do, the engine below does, and what has not been compiled yet.
#pragma once

#include <chrono>
#include <memory>

#include "jit/cache.h"
#include "machine/engine.h"

namespace heddle::jit {

/// Versions of a kernel that have code. A program that launches a kernel with more shapes of blocks
/// is rare, and the disk has them still.
inline constexpr std::size_t kMostCompiled = 8;
/// Versions of a kernel that are known of at all.
inline constexpr std::size_t kMostVersions = 64;

struct Options {
  /// Compile before the first launch, on its thread. Else in the background, when a kernel is hot.
  bool at_once = false;
  /// Time in the interpreter that makes a kernel hot, and how much longer that is for each of its
  /// instructions. Compiling costs some ten times that of a processor, but beside the kernel; code
  /// is ten times faster, and more. So it is a gain for whatever runs that long again, and most
  /// kernels that end before (tests, set-up) never come to it.
  std::chrono::nanoseconds hot = std::chrono::milliseconds(4);
  std::chrono::nanoseconds hot_by_instruction = std::chrono::microseconds(15);
  /// Time of a processor that compiling a kernel may take. The longest that is known to be worth
  /// it, CUB's segmented sort, takes four seconds.
  std::chrono::nanoseconds budget = std::chrono::seconds(20);
  bool goes_back = true;   ///< where code is slower than the interpreter
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
