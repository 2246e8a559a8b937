// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The linker (PTX ISA 11.6). check/check.h has the public functions.
#pragma once

#include <memory>
#include <span>

#include "check/check.h"

namespace heddle::check {

/// A checked module that is to be linked.
struct Part {
  std::shared_ptr<const ir::Module> module;
  u32 base = 0;            ///< where its text begins in the diag::Source::join of all parts
  bool overrides = false;  ///< as in Input
};

/// Joins checked modules, when there are several: `.extern` finds its definition, strong
/// definitions override weak ones, common ones merge. With `provides`, reports functions and
/// variables that are used and neither defined nor provided. The spans of the result and of the
/// report are those of the joined text.
std::shared_ptr<const ir::Module> link(std::span<const Part> parts, Provides provides,
                                       diag::Report& report, Complete complete, Program program);

}  // namespace heddle::check
