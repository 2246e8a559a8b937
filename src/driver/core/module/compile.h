// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Compiles PTX texts to a module that can be loaded, with a program's options.
#pragma once

#include <memory>
#include <span>
#include <string>

#include "driver/core/module/jit_options.h"
#include "image/compile.h"

namespace heddle::driver {

struct Compiled {
  CUresult result = CUDA_SUCCESS;
  std::shared_ptr<const ir::Module> module;  ///< when result is CUDA_SUCCESS
};

CUresult result_of(image::Status status);

/// Compiles with the program's JIT options, and writes all messages to their buffers. Errors go to
/// stderr when the program gave no buffer for them.
Compiled compile(std::span<const image::PtxText> texts, const machine::Profile& profile,
                 JitOptions& options, check::Program program = check::Program::whole);

/// Compiles the PTX in an image (image/image.h).
Compiled compile_image(const void* image, std::string_view name, const machine::Profile& profile,
                       JitOptions& options, std::size_t limit = SIZE_MAX);

/// Writes an error message to the buffer of `options`, or to stderr when there is none. Returns
/// `result`.
CUresult complain(CUresult result, const std::string& why, JitOptions& options);

}  // namespace heddle::driver
