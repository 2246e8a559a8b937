// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Functions of CUDA's device run-time library that Heddle has itself, in PTX: barriers of a whole
// grid (cuda_device_runtime_api.h, "CG API"). Compilers other than nvcc call them, Numba for
// instance, and have the driver link libcudadevrt.a, which rests on what is not documented.
#pragma once

#include <optional>
#include <set>
#include <span>
#include <string>

#include "driver/core/module/image.h"

namespace heddle::driver {

/// What is to be linked with `texts`, in place of their own functions of these names; none when
/// they mention nothing of it.
std::optional<PtxText> device_library_for(std::span<const PtxText> texts);

/// The names that it defines.
const std::set<std::string, std::less<>>& device_library_names();

}  // namespace heddle::driver
