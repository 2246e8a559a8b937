// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Contraction (PTX ISA 9.7.3.3 to 9.7.3.5, 9.7.4.1 to 9.7.4.3): a mul and an add or sub that name
// no rounding may become one fma. GPUs' compilers contract, so the results of such code on GPUs are
// those of fma.
#pragma once

#include "ir/module.h"

namespace heddle::ir {

/// Contracts where the vendor's assembler does: both instructions are in one basic block, with the
/// same type and `.ftz`; the mul has no `.sat`, and only such additions read it, possibly through
/// `mov` and `neg`. A factor that changes before the addition is copied to a new register. Of two
/// products that are added, the one with fewer readers, or else the first, is contracted; the other
/// is computed.
void contract(Module& module);

}  // namespace heddle::ir
