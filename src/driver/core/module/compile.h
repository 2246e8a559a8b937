// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Compiles PTX texts to a module that can be loaded. Only this part of the driver calls the front
// end.
#pragma once

#include <memory>
#include <span>
#include <string>

#include "check/check.h"
#include "driver/core/module/image.h"
#include "driver/core/module/jit_options.h"
#include "ir/module.h"
#include "machine/engine.h"

namespace heddle::driver {

struct Compiled {
  CUresult result = CUDA_SUCCESS;
  std::shared_ptr<const ir::Module> module;  ///< when result is CUDA_SUCCESS
  std::string errors;                        ///< diagnostics, as `heddle check` prints them
  std::string warnings;
};

/// Checks every text, links several ones, and checks that `profile` runs the result.
/// `max_registers` is the limit of kernels whose text has none; 0: no limit.
Compiled compile(std::span<const PtxText> texts, const machine::Profile& profile,
                 u32 max_registers = 0, check::Program program = check::Program::whole);

/// Compiles with the program's JIT options, and writes all messages to their buffers. Errors go to
/// stderr when the program gave no buffer for them.
Compiled compile(std::span<const PtxText> texts, const machine::Profile& profile,
                 JitOptions& options, check::Program program = check::Program::whole);

/// Compiles the PTX in an image (core/module/image.h).
Compiled compile_image(const void* image, std::string_view name, const machine::Profile& profile,
                       JitOptions& options, std::size_t limit = SIZE_MAX);

/// Writes an error message to the buffer of `options`, or to stderr when there is none. Returns
/// `result`.
CUresult complain(CUresult result, const std::string& why, JitOptions& options);

}  // namespace heddle::driver
