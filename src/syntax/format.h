// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The formatter: modifiers in the order of the manual, one statement per line, blocks indented.
// Comments, blank lines (several become one) and the notation of numbers are kept. The formatted
// text parses to the same tree, except for the order of modifiers, and formatting it again changes
// nothing.
#pragma once

#include <string>

#include "diag/source.h"
#include "syntax/tree.h"

namespace heddle::syntax {

/// `tree` is the tree of `source`, which needs no preprocessor and has no syntax errors; it is
/// consumed. A statement with a comment inside keeps its lines and its modifiers.
std::string format(const diag::Source& source, Tree tree);

/// Brings the modifiers of each instruction that the tables know into canonical order.
void sort_modifiers(Tree& tree);

}  // namespace heddle::syntax
