// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Functions of CUDA's device runtime library in Heddle's own PTX: barriers of a whole grid
// (cuda_device_runtime_api.h, "CG API"). Some compilers, for example Numba, call these functions
// and link libcudadevrt.a, which uses undocumented interfaces.
#pragma once

#include <optional>
#include <set>
#include <span>
#include <string>

#include "image/image.h"

namespace heddle::image {

/// The PTX to link with `texts`, in place of their own functions of these names. None when the
/// texts mention no such function.
std::optional<PtxText> device_library_for(std::span<const PtxText> texts);

/// The names of the library's functions.
const std::set<std::string, std::less<>>& device_library_names();

}  // namespace heddle::image
