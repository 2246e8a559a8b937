// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The version of the driver API that Heddle implements.
#pragma once

namespace heddle::driver {

/// 1000 * major + 10 * minor. functions.list and abi/ describe this version.
inline constexpr int kDriverVersion = 13000;

}  // namespace heddle::driver
