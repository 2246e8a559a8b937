// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See compile.h.
#include "driver/core/compile.h"

#include <chrono>
#include <cstdio>

namespace heddle::driver {

Compiled compile(std::span<const PtxText> texts, const machine::Profile& profile,
                 JitOptions& options) {
  using Clock = std::chrono::steady_clock;
  const auto begin = Clock::now();
  auto compiled = compile(texts, profile);
  options.write_wall_time(std::chrono::duration<float, std::milli>(Clock::now() - begin).count());
  options.write_infos(compiled.warnings);
  options.write_errors(compiled.errors);
  if (compiled.result && !options.has_error_buffer()) {
    std::fprintf(stderr, "%s", compiled.errors.c_str());
  }
  return compiled;
}

}  // namespace heddle::driver
