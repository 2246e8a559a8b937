// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "isa/gate.h"

namespace heddle::isa {

/// The newest version of PTX whose features are known.
inline constexpr PtxVersion kNewestVersion{9, 1};

}  // namespace heddle::isa
