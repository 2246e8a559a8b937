// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See array.h.
#include "driver/core/memory/array.h"

#include <algorithm>
#include <bit>

#include "driver/core/context/context.h"
#include "driver/core/context/device.h"
#include "driver/core/memory/allocation.h"
#include "driver/core/memory/array_extents.h"
#include "driver/core/memory/tables.h"

namespace heddle::driver {
namespace {

// The alignment of rows: that of a cache line, and more than textures need
// (CU_DEVICE_ATTRIBUTE_TEXTURE_PITCH_ALIGNMENT).
constexpr u64 kPitch = 64;
constexpr unsigned kFlags = CUDA_ARRAY3D_LAYERED | CUDA_ARRAY3D_SURFACE_LDST |
                            CUDA_ARRAY3D_CUBEMAP | CUDA_ARRAY3D_TEXTURE_GATHER |
                            CUDA_ARRAY3D_DEPTH_TEXTURE | CUDA_ARRAY3D_COLOR_ATTACHMENT;
constexpr unsigned kOtherFlags =
    CUDA_ARRAY3D_SPARSE | CUDA_ARRAY3D_DEFERRED_MAPPING | CUDA_ARRAY3D_VIDEO_ENCODE_DECODE;

/// Checks all but the extents.
CUresult check(const CUDA_ARRAY3D_DESCRIPTOR& d) {
  if (d.Flags & ~(kFlags | kOtherFlags)) return CUDA_ERROR_INVALID_VALUE;
  if (is_video_format(d.Format) || (d.Flags & kOtherFlags)) return CUDA_ERROR_NOT_SUPPORTED;
  const auto element = element_format(d.Format, d.NumChannels);
  if (!element) return CUDA_ERROR_INVALID_VALUE;
  const bool compressed = isa::is_block_format(element->texel);
  const bool is_good = !compressed || (d.Height && !(d.Flags & CUDA_ARRAY3D_SURFACE_LDST));
  return is_good ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

}  // namespace

Array::Array(Context& context, const CUDA_ARRAY3D_DESCRIPTOR& descriptor)
    : context_(&context),
      descriptor_(descriptor),
      element_(*element_format(descriptor.Format, descriptor.NumChannels)) {
  const auto blocks = [this](std::size_t elements) {
    return (std::max<u64>(elements, 1) + element_.block() - 1) / element_.block();
  };
  row_bytes_ = blocks(descriptor.Width) * element_.bytes;
  pitch_ = machine::round_up(row_bytes_, kPitch);
  rows_ = blocks(descriptor.Height);
  slices_ = std::max<u64>(descriptor.Depth, 1);
}

CUresult Array::create(Context& context, const CUDA_ARRAY3D_DESCRIPTOR& descriptor, CUarray& out) {
  if (const CUresult bad = check(descriptor)) return bad;
  if (!has_valid_extents(context.device(), descriptor, false)) return CUDA_ERROR_INVALID_VALUE;
  std::shared_ptr<Array> array(new Array(context, descriptor));
  u64 bytes = 0;
  if (__builtin_mul_overflow(array->pitch_, array->rows_, &bytes) ||
      __builtin_mul_overflow(bytes, array->slices_, &bytes)) {
    return CUDA_ERROR_OUT_OF_MEMORY;
  }
  const auto base = allocations().allocate({.size = bytes,
                                            .kind = Allocation::Kind::array,
                                            .owner = &context,
                                            .device = &context.device()});
  if (!base) return CUDA_ERROR_OUT_OF_MEMORY;
  array->base_ = *base;
  out = memory_tables().arrays.add(array);
  return CUDA_SUCCESS;
}

Array::~Array() { allocations().release(base_, {Allocation::Kind::array}); }

CUresult MipmappedArray::create(Context& context, const CUDA_ARRAY3D_DESCRIPTOR& descriptor,
                                unsigned levels, CUmipmappedArray& out) {
  if (!levels || !has_valid_extents(context.device(), descriptor, true))
    return CUDA_ERROR_INVALID_VALUE;
  const bool layers = descriptor.Flags & (CUDA_ARRAY3D_LAYERED | CUDA_ARRAY3D_CUBEMAP);
  const auto longest =
      std::max({descriptor.Width, descriptor.Height, layers ? 0 : descriptor.Depth});
  const auto most = static_cast<unsigned>(std::bit_width(longest));
  std::shared_ptr<MipmappedArray> made(new MipmappedArray(context));
  const auto halve = [](std::size_t extent, unsigned times) {
    return extent ? std::max<std::size_t>(extent >> times, 1) : 0;
  };
  for (unsigned level = 0; level < std::min(levels, most); ++level) {
    CUDA_ARRAY3D_DESCRIPTOR each = descriptor;
    each.Width = halve(descriptor.Width, level);
    each.Height = halve(descriptor.Height, level);
    if (!layers) each.Depth = halve(descriptor.Depth, level);
    CUarray array = nullptr;
    if (const CUresult bad = Array::create(context, each, array)) return bad;
    memory_tables().arrays.find(array)->is_level = true;
    made->levels_.push_back(array);
  }
  if (made->levels_.empty()) return CUDA_ERROR_INVALID_VALUE;
  out = memory_tables().mipmapped_arrays.add(made);
  return CUDA_SUCCESS;
}

MipmappedArray::~MipmappedArray() {
  for (const CUarray level : levels_) memory_tables().arrays.remove(level);
}

}  // namespace heddle::driver
