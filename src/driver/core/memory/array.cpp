// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See array.h.
#include "driver/core/memory/array.h"

#include <algorithm>
#include <bit>

#include "driver/core/context/context.h"
#include "driver/core/memory/allocation.h"
#include "driver/core/memory/tables.h"

namespace heddle::driver {
namespace {

// The alignment of rows, which is that of textures (CU_DEVICE_ATTRIBUTE_TEXTURE_PITCH_ALIGNMENT).
constexpr u64 kPitch = 32;
constexpr unsigned kFlags = CUDA_ARRAY3D_LAYERED | CUDA_ARRAY3D_SURFACE_LDST |
                            CUDA_ARRAY3D_CUBEMAP | CUDA_ARRAY3D_TEXTURE_GATHER |
                            CUDA_ARRAY3D_DEPTH_TEXTURE | CUDA_ARRAY3D_COLOR_ATTACHMENT;
constexpr unsigned kOtherFlags =
    CUDA_ARRAY3D_SPARSE | CUDA_ARRAY3D_DEFERRED_MAPPING | CUDA_ARRAY3D_VIDEO_ENCODE_DECODE;

/// Bytes of one channel. 0: the format has planes or compressed blocks.
u64 channel_bytes(CUarray_format format) {
  switch (format) {
    case CU_AD_FORMAT_UNSIGNED_INT8:
    case CU_AD_FORMAT_SIGNED_INT8:
    case CU_AD_FORMAT_UNORM_INT8X1:
    case CU_AD_FORMAT_UNORM_INT8X2:
    case CU_AD_FORMAT_UNORM_INT8X4:
    case CU_AD_FORMAT_SNORM_INT8X1:
    case CU_AD_FORMAT_SNORM_INT8X2:
    case CU_AD_FORMAT_SNORM_INT8X4:
      return 1;
    case CU_AD_FORMAT_UNSIGNED_INT16:
    case CU_AD_FORMAT_SIGNED_INT16:
    case CU_AD_FORMAT_HALF:
    case CU_AD_FORMAT_UNORM_INT16X1:
    case CU_AD_FORMAT_UNORM_INT16X2:
    case CU_AD_FORMAT_UNORM_INT16X4:
    case CU_AD_FORMAT_SNORM_INT16X1:
    case CU_AD_FORMAT_SNORM_INT16X2:
    case CU_AD_FORMAT_SNORM_INT16X4:
      return 2;
    case CU_AD_FORMAT_UNSIGNED_INT32:
    case CU_AD_FORMAT_SIGNED_INT32:
    case CU_AD_FORMAT_FLOAT:
      return 4;
    default:
      return 0;
  }
}

bool is_known(CUarray_format format) {
  return channel_bytes(format) ||
         (format >= CU_AD_FORMAT_BC1_UNORM && format <= CU_AD_FORMAT_NV12) ||
         format == CU_AD_FORMAT_Y416 || format == CU_AD_FORMAT_UNORM_INT_101010_2 ||
         (format >= CU_AD_FORMAT_Y444_PLANAR8 && format <= CU_AD_FORMAT_YUV444_16bit_SemiPlanar);
}

CUresult check(const CUDA_ARRAY3D_DESCRIPTOR& d) {
  const bool channels = d.NumChannels == 1 || d.NumChannels == 2 || d.NumChannels == 4;
  if (!is_known(d.Format) || (d.Flags & ~(kFlags | kOtherFlags)) || !d.Width) {
    return CUDA_ERROR_INVALID_VALUE;
  }
  if (d.Flags & kOtherFlags) return CUDA_ERROR_NOT_SUPPORTED;
  if (!channel_bytes(d.Format)) return CUDA_ERROR_NOT_SUPPORTED;
  if (!channels) return CUDA_ERROR_INVALID_VALUE;
  const bool layered = d.Flags & CUDA_ARRAY3D_LAYERED;
  if (d.Flags & CUDA_ARRAY3D_CUBEMAP) {
    const bool cube = d.Width == d.Height && d.Depth && (layered ? d.Depth % 6 == 0 : d.Depth == 6);
    return cube ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
  }
  if (layered) return d.Depth ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
  return d.Depth && !d.Height ? CUDA_ERROR_INVALID_VALUE : CUDA_SUCCESS;
}

}  // namespace

Array::Array(Context& context, const CUDA_ARRAY3D_DESCRIPTOR& descriptor)
    : context_(&context), descriptor_(descriptor) {
  row_bytes_ = descriptor.Width * channel_bytes(descriptor.Format) * descriptor.NumChannels;
  pitch_ = machine::round_up(row_bytes_, kPitch);
  rows_ = std::max<u64>(descriptor.Height, 1);
  slices_ = std::max<u64>(descriptor.Depth, 1);
}

CUresult Array::create(Context& context, const CUDA_ARRAY3D_DESCRIPTOR& descriptor, CUarray& out) {
  if (const CUresult bad = check(descriptor)) return bad;
  constexpr u64 kMost = u64{1} << 40;
  if (descriptor.Width > kMost || descriptor.Height > kMost || descriptor.Depth > kMost) {
    return CUDA_ERROR_INVALID_VALUE;
  }
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
  if (!levels) return CUDA_ERROR_INVALID_VALUE;
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
