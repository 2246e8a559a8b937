// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tree to canonical, readable text. For a tree that parsed without errors, parse(print(tree)) says
// the same as the tree (syntax/equal.h).
#pragma once

#include <string>

#include "syntax/tree.h"

namespace heddle::syntax {

std::string print(const Tree& tree);

/// One expression, as an operand or initialiser is printed.
std::string print(const Tree& tree, ExprId expr);

}  // namespace heddle::syntax
