// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "engine/engine.h"

#include "base/config.h"
#include "interp/program.h"
#include "jit/engine.h"

namespace heddle::engine {
std::unique_ptr<machine::Engine> make_engine() {
  complain_about_environment();
  const Config& asked = config();
  auto interpreter = std::make_unique<interp::Interpreter>();
  if (asked.engine == EngineChoice::interpreter) return interpreter;
  jit::Options options;
  options.at_once = asked.engine == EngineChoice::compiler;
  options.cache = jit::cache_of_environment();
  if (asked.jit_after) {
    options.hot = *asked.jit_after;
    options.hot_by_instruction = {};
  }
  if (asked.jit_budget) options.budget = *asked.jit_budget;
  return std::make_unique<jit::Engine>(std::move(interpreter), options);
}

}  // namespace heddle::engine
