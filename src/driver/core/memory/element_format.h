// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The elements of arrays, and of memory that textures read. Driver API 6.13
// (cuArray3DCreate), 6.28.
#pragma once

#include <optional>

#include "driver/abi.h"
#include "isa/texture.h"

namespace heddle::driver {

struct ElementFormat {
  isa::TexelFormat texel = isa::TexelFormat::u8;
  u8 channels = 1;          ///< 1, 2 or 4; 3 of BC6H
  u8 bytes = 1;             ///< of an element; of a compressed format: of a block of 4x4 elements
  bool normalized = false;  ///< the format itself says that values are 0 to 1, or -1 to 1
  bool srgb = false;

  /// Elements along an edge of what `bytes` counts.
  u32 block() const { return isa::is_block_format(texel) ? 4 : 1; }
};

/// Nothing when there is no such format, when it does not have this number of channels, or when it
/// is a format of video.
std::optional<ElementFormat> element_format(CUarray_format format, unsigned channels);
/// The format of a resource view, except CU_RES_VIEW_FORMAT_NONE.
std::optional<ElementFormat> element_format(CUresourceViewFormat format);

/// The formats of YUV video, in planes or packed, which Heddle does not support.
bool is_video_format(CUarray_format format);

}  // namespace heddle::driver
