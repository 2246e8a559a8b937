// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Text to tree. PTX ISA chapters 4, 5, 6, 11, 12.
#pragma once

#include "diag/report.h"
#include "diag/source.h"
#include "syntax/tree.h"

namespace heddle::syntax {

/// Parses a whole module. Mistakes go to `report`, one diagnostic each; statements and expressions
/// that do not parse become StmtKind::error or ExprKind::error, and parsing continues. Line markers
/// found in the text are added to `source`. The tree does not refer to the source's memory.
Tree parse(diag::Source& source, diag::Report& report);

}  // namespace heddle::syntax
