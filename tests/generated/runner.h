// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Runs generated kernels on an engine. Engines and schedules are compared by their outcomes.
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
  std::string failure;                  ///< why the kernel did not finish; empty: it did
  std::vector<std::vector<u8>> memory;  ///< the final contents of the buffers
  bool operator==(const Outcome&) const = default;
};

/// The first difference, as text.
std::string difference(const Kernel& kernel, const Outcome& expected, const Outcome& got);

/// One kernel, checked and ready on one engine.
class Prepared {
 public:
  Prepared(machine::Memory& memory, machine::Engine& engine, const Kernel& kernel);
  ~Prepared();
  Prepared(const Prepared&) = delete;
  Prepared& operator=(const Prepared&) = delete;

  /// Why the checker or the engine refuses the kernel; empty: it is accepted.
  const std::string& refusal() const { return refusal_; }
  /// Runs the kernel, always with the same initial memory. `schedule`: a seed, none: the fast
  /// schedule.
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
