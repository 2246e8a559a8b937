// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See compile.h.
#include "driver/core/module/compile.h"

#include <chrono>
#include <cstdio>

#include "base/check.h"
#include "driver/core/log.h"

namespace heddle::driver {

CUresult result_of(image::Status status) {
  switch (status) {
    case image::Status::ok:
      return CUDA_SUCCESS;
    case image::Status::invalid_image:
      return CUDA_ERROR_INVALID_IMAGE;
    case image::Status::no_binary:
      return CUDA_ERROR_NO_BINARY_FOR_GPU;
    case image::Status::invalid_ptx:
      return CUDA_ERROR_INVALID_PTX;
    case image::Status::unsupported_version:
      return CUDA_ERROR_UNSUPPORTED_PTX_VERSION;
  }
  HEDDLE_UNREACHABLE();
}

Compiled compile(std::span<const image::PtxText> texts, const machine::Profile& profile,
                 JitOptions& options, check::Program program) {
  using Clock = std::chrono::steady_clock;
  const auto begin = Clock::now();
  auto compiled = image::compile(texts, profile, options.max_registers(), program);
  options.write_wall_time(std::chrono::duration<float, std::milli>(Clock::now() - begin).count());
  options.write_infos(compiled.warnings);
  options.write_errors(compiled.errors);
  if (!compiled.module && !options.has_error_buffer()) {
    std::fprintf(stderr, "%s", compiled.errors.c_str());
    keep_message(CU_LOG_LEVEL_ERROR, compiled.errors);
  }
  return {result_of(compiled.status), std::move(compiled.module)};
}

Compiled compile_image(const void* image, std::string_view name, const machine::Profile& profile,
                       JitOptions& options, std::size_t limit) {
  const auto contents = image::read_image(image, profile, name, limit);
  if (contents.status != image::Status::ok)
    return {complain(result_of(contents.status), contents.why, options), nullptr};
  return compile(contents.texts, profile, options);
}

CUresult complain(CUresult result, const std::string& why, JitOptions& options) {
  options.write_errors(why + "\n");
  if (!options.has_error_buffer()) say("{}", why);
  return result;
}

}  // namespace heddle::driver
