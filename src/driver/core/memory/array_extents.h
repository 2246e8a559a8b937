// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which extents an array may have: driver API 6.13, the tables of cuArray3DCreate and
// cuMipmappedArrayCreate.
#pragma once

#include "driver/abi.h"

namespace heddle::driver {

struct Device;

/// Whether an array of these extents and flags exists on the device. `mipmapped`: as level 0 of a
/// mipmapped array.
bool has_valid_extents(const Device& device, const CUDA_ARRAY3D_DESCRIPTOR& descriptor,
                       bool mipmapped);

}  // namespace heddle::driver
