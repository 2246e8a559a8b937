// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The memory of a texture: arrays, linear memory, rows with a pitch, and views of arrays.
// Driver API 6.28 (CUDA_RESOURCE_DESC, CUDA_RESOURCE_VIEW_DESC).
#pragma once

#include "driver/abi.h"
#include "driver/core/memory/element_format.h"

namespace heddle::driver {

/// The extents and places of a texture's levels, and the format of its texels.
struct Resource {
  isa::Texture texture;
  ElementFormat element;
  bool has_surfaces = false;  ///< an array made for surfaces
};

/// CUDA_ERROR_INVALID_VALUE, with the reason on stderr. `view` may be null.
CUresult read_resource(const CUDA_RESOURCE_DESC& resource, const CUDA_RESOURCE_VIEW_DESC* view,
                       Resource& out);

}  // namespace heddle::driver
