// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Runs generated kernels on an engine. Comparing engines or schedules is comparing outcomes.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "kernel.h"
#include "machine/engine.h"
#include "machine/memory.h"

namespace heddle::generated {

struct Outcome {
  std::string failure;                  ///< why it did not run to its end; empty: it did
  std::vector<std::vector<u8>> memory;  ///< what is in the buffers afterwards
  bool operator==(const Outcome&) const = default;
};

/// What differs first, in words.
std::string difference(const Kernel& kernel, const Outcome& expected, const Outcome& got);

/// One kernel, checked and ready on one engine.
class Prepared {
 public:
  Prepared(machine::Memory& memory, machine::Engine& engine, const Kernel& kernel);
  ~Prepared();
  Prepared(const Prepared&) = delete;
  Prepared& operator=(const Prepared&) = delete;

  /// What the checker or the engine has against it; empty: nothing.
  const std::string& refusal() const { return refusal_; }
  /// From the same initial memory each time. `schedule`: seed of the order, none: the fast one.
  Outcome run(std::optional<u64> schedule, double time_limit) const;

 private:
  const Kernel& kernel_;
  machine::Memory& memory_;
  std::string refusal_;
  std::shared_ptr<const machine::Loaded> loaded_;
  std::shared_ptr<const machine::Program> program_;
  ir::FunctionId entry_;
  std::vector<u64> addresses_;
};

}  // namespace heddle::generated
