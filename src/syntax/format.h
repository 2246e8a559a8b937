// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The formatter: modifiers in the order of the manual, one statement a line, blocks indented;
// comments, blank lines (runs of them become one) and the way numbers are written stay. What is
// formatted parses to the same tree as before, apart from the order of modifiers, and formatting it
// again changes nothing.
#pragma once

#include <string>

#include "diag/source.h"
#include "syntax/tree.h"

namespace heddle::syntax {

/// `tree` is what `source`, which needs no preprocessor, parsed to without errors; it is used up. A
/// statement with a comment inside keeps its lines and its modifiers.
std::string format(const diag::Source& source, Tree tree);

/// Brings the modifiers of each instruction that the tables know into canonical order.
void sort_modifiers(Tree& tree);

}  // namespace heddle::syntax
