// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What is wrong with a tensor map, for people: the driver says it of arguments, the engines of maps
// in memory.
#pragma once

#include <string>

#include "isa/sem/tensor_map_limits.h"

namespace heddle::machine {

/// One clause; empty where there is no fault.
std::string describe(sem::TensorMapFault fault, const sem::TensorMap& map,
                     sem::TensorLimits limits = sem::TensorLimits::usual);

}  // namespace heddle::machine
