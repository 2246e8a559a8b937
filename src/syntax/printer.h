// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tree to canonical, readable text. For a tree without errors, parse(print(tree)) equals the tree
// (syntax/equal.h).
#pragma once

#include <string>

#include "syntax/tree.h"

namespace heddle::syntax {

std::string print(const Tree& tree);

/// One expression, in the format of operands and initialisers.
std::string print(const Tree& tree, ExprId expr);

}  // namespace heddle::syntax
