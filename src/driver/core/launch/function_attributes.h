// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Queries and settings of kernel attributes. Driver API 6.22 (cuFuncGetAttribute).
#pragma once

#include "driver/core/module/module.h"

namespace heddle::driver {

CUresult function_attribute(const Function& function, CUfunction_attribute which, int& value);
CUresult set_function_attribute(Function& function, CUfunction_attribute which, int value);

}  // namespace heddle::driver
