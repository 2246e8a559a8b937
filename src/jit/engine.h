// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The second tier: kernels as machine code of the host, one version for each shape of a block. What
// it cannot do, the engine below does.
#pragma once

#include <memory>

#include "machine/engine.h"

namespace heddle::jit {

class Engine final : public machine::Engine {
 public:
  explicit Engine(std::unique_ptr<machine::Engine> below) : below_(std::move(below)) {}
  Result<std::shared_ptr<const machine::Program>> prepare(
      std::shared_ptr<const machine::Loaded> loaded, ir::FunctionId entry) override;

 private:
  const std::unique_ptr<machine::Engine> below_;
};

}  // namespace heddle::jit
