// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// From PTX texts to a module that can be loaded: the driver's only contact with the front end and
// the engines.
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

/// Checks every text, links them when there are several, and asks whether `profile` runs the
/// result. `max_registers` (0: none) is for kernels of texts that have no such limit themselves.
Compiled compile(std::span<const PtxText> texts, const machine::Profile& profile,
                 u32 max_registers = 0, check::Program program = check::Program::whole);

/// The same, with everything that it has to say written to `options`; errors go to stderr when the
/// program gave no buffer for them.
Compiled compile(std::span<const PtxText> texts, const machine::Profile& profile,
                 JitOptions& options, check::Program program = check::Program::whole);

/// Finds the PTX in an image (core/module/image.h) and compiles it.
Compiled compile_image(const void* image, std::string_view name, const machine::Profile& profile,
                       JitOptions& options, std::size_t limit = SIZE_MAX);

/// Writes one sentence where errors go, and returns `result`.
CUresult complain(CUresult result, const std::string& why, JitOptions& options);

}  // namespace heddle::driver
