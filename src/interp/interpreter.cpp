// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "interp/program.h"

namespace heddle::interp {

Result<std::shared_ptr<const machine::Program>> Interpreter::prepare(
    std::shared_ptr<const machine::Loaded> loaded, ir::FunctionId entry) {
  auto program = decode(std::move(loaded), entry, best_level());
  if (!program.ok()) return program.error();
  return std::shared_ptr<const machine::Program>(std::move(*program));
}

}  // namespace heddle::interp
