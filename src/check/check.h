// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tree to module: every rule that a user can break is checked here, every name resolved, every
// constant evaluated. What comes out of a report without errors can be run.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "diag/report.h"
#include "diag/source.h"
#include "ir/module.h"
#include "syntax/tree.h"

namespace heddle::check {

/// Checks one module. The result is complete only when `report` has no errors.
std::shared_ptr<ir::Module> check(const syntax::Tree& tree, const diag::Source& source,
                                  diag::Report& report);

/// One input of the linker, or the only one.
struct Input {
  std::string name;  ///< path or "<memory>"
  std::string text;
};

/// Everything from text to a module that can be loaded.
struct Compiled {
  std::shared_ptr<const ir::Module> module;  ///< null when there are errors
  std::string messages;  ///< rendered diagnostics, warnings too; empty when there is nothing to say
};

/// Preprocesses where needed, parses, checks and, for several inputs, links.
Compiled compile(const std::vector<Input>& inputs);

/// Joins checked modules: `.extern` finds its definition, strong definitions override weak ones,
/// common ones merge. Problems go to `report`, without a place.
std::shared_ptr<ir::Module> link(const std::vector<std::shared_ptr<const ir::Module>>& modules,
                                 diag::Report& report);

}  // namespace heddle::check
