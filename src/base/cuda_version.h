// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The version of CUDA that Heddle implements.
#pragma once

namespace heddle {

/// 1000 * major + 10 * minor. The lists of functions and the ABI headers of the driver and of the
/// management library describe this version.
inline constexpr int kCudaVersion = 13000;

/// The version of the display driver that the management library gives. Programs expect numbers
/// with dots between. The first one is the branch that came with CUDA 13.0; no driver of that
/// branch has the others.
inline constexpr const char* kDisplayDriverVersion = "580.00.00";

}  // namespace heddle
