// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See compile.h.
#include "driver/core/module/compile.h"

#include <chrono>
#include <cstdio>

#include "driver/core/log.h"

namespace heddle::driver {

Compiled compile(std::span<const PtxText> texts, const machine::Profile& profile,
                 JitOptions& options, check::Program program) {
  using Clock = std::chrono::steady_clock;
  const auto begin = Clock::now();
  auto compiled = compile(texts, profile, options.max_registers(), program);
  options.write_wall_time(std::chrono::duration<float, std::milli>(Clock::now() - begin).count());
  options.write_infos(compiled.warnings);
  options.write_errors(compiled.errors);
  if (compiled.result && !options.has_error_buffer()) {
    std::fprintf(stderr, "%s", compiled.errors.c_str());
    keep_message(CU_LOG_LEVEL_ERROR, compiled.errors);
  }
  return compiled;
}

Compiled compile_image(const void* image, std::string_view name, const machine::Profile& profile,
                       JitOptions& options, std::size_t limit) {
  const auto contents = read_image(image, profile, name, limit);
  if (contents.result) {
    return {complain(contents.result, contents.why, options), nullptr, contents.why, ""};
  }
  return compile(contents.texts, profile, options);
}

CUresult complain(CUresult result, const std::string& why, JitOptions& options) {
  options.write_errors(why + "\n");
  if (!options.has_error_buffer()) say("{}", why);
  return result;
}

}  // namespace heddle::driver
