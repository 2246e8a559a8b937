// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Versions and names of statuses: functions that both libraries have.
#pragma once

#include "mathlibs/abi.h"

namespace heddle::mathlibs {

cublasStatus_t get_property(libraryPropertyType type, int* value);
size_t get_cudart_version();
const char* get_status_name(cublasStatus_t status);
const char* get_status_string(cublasStatus_t status);

}  // namespace heddle::mathlibs
