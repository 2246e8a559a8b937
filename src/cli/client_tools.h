// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <filesystem>

namespace heddle::cli {

/// Names Heddle's ptxas, nvlink and fatbinary in the environment, where clients look for NVIDIA's,
/// unless the user did: Triton's and XLA's variables, and PATH when it has no ptxas. `libraries` is
/// the folder of libcuda.so.1. False: errno says why.
bool offer_tools(const std::filesystem::path& libraries);

}  // namespace heddle::cli
