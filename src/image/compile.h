// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Compiles and links the PTX texts of images to a module that can be loaded.
#pragma once

#include <memory>
#include <span>
#include <string>

#include "check/check.h"
#include "image/image.h"
#include "ir/module.h"

namespace heddle::image {

struct Compiled {
  Status status = Status::ok;
  std::shared_ptr<const ir::Module> module;  ///< when status is ok
  std::string errors;                        ///< diagnostics, as `heddle check` prints them
  std::string warnings;
};

/// Checks every text, links several ones, and checks that `profile` runs the result.
/// `max_registers` is the limit of kernels whose text has none; 0: no limit.
Compiled compile(std::span<const PtxText> texts, const machine::Profile& profile,
                 u32 max_registers = 0, check::Program program = check::Program::whole);

/// Checks a text by itself. It may need functions and variables of other texts. The module has no
/// bodies.
Compiled check(const PtxText& text, const machine::Profile& profile);

/// As compile(), for relocatable parts of a program: they may use what other parts define.
Compiled compile_part(std::span<const PtxText> texts, const machine::Profile& profile,
                      u32 max_registers = 0);

}  // namespace heddle::image
