// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "driver/core/engine.h"

#include <fmt/format.h>

#include <cstdio>
#include <cstdlib>

#include "interp/program.h"
#include "jit/engine.h"

namespace heddle::driver {

std::unique_ptr<machine::Engine> make_engine() {
  auto interpreter = std::make_unique<interp::Interpreter>();
  const char* wanted = std::getenv("HEDDLE_ENGINE");
  const std::string_view name = wanted ? wanted : "";
  if (name == "jit") return std::make_unique<jit::Engine>(std::move(interpreter));
  if (!name.empty() && name != "interp") {
    std::fputs(
        fmt::format("heddle: HEDDLE_ENGINE={}: it is interp or jit; using interp\n", name).c_str(),
        stderr);
  }
  return interpreter;
}

}  // namespace heddle::driver
