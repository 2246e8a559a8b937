// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The context that the tests of this process share, and small helpers around it.
#pragma once

#include <string>

#include "driver/api.h"

namespace heddle::kernels {

// Makes a current context on device 0 unless there is one that works. A context with a sticky error
// is destroyed first. False, with a test failure, if none can be created.
bool ensure_context();

// Destroys the shared context.
void drop_context();

// 75 for compute capability 7.5.
int device_compute_capability();

// The whole file, or "" if it cannot be read.
std::string read_file(const std::string& path);

}  // namespace heddle::kernels
