// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Contraction (PTX ISA 9.7.3.3 to 9.7.3.5, 9.7.4.1 to 9.7.4.3): a mul and an add or sub that name
// no rounding may become one fma. GPUs' compilers do so, so the results of such code are those of
// fma.
#pragma once

#include "ir/module.h"

namespace heddle::ir {

/// Joins them where the vendor's assembler does: in one basic block, with the same type and `.ftz`,
/// the mul without `.sat` and read by such additions only, perhaps through `mov` and `neg`. A
/// factor that changes before the addition is kept in a register of its own. Of two products that
/// are added, one is joined, the one with fewer readers or the first; the other one is computed.
void contract(Module& module);

}  // namespace heddle::ir
