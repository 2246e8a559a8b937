// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Do two trees say the same? Spans and the way numbers were written do not count, nor does the
// order in which names were interned.
#pragma once

#include "syntax/tree.h"

namespace heddle::syntax {

bool equal(const Tree& a, const Tree& b);

}  // namespace heddle::syntax
