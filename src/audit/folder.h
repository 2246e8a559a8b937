// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Where Heddle is installed.
#pragma once

#include <string>

namespace heddle::audit {

/// The folder of this library, which is that of Heddle's other libraries.
std::string folder_of_libraries();

}  // namespace heddle::audit
