// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Compares the meaning of two trees. Spans, the notation of numbers and the order in which names
// were interned do not count.
#pragma once

#include "syntax/tree.h"

namespace heddle::syntax {

bool equal(const Tree& a, const Tree& b);

}  // namespace heddle::syntax
