// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Converts the parameter structures of all copies to CUDA_MEMCPY3D, and that to rows of bytes.
// Driver API 6.13 (cuMemcpy2D, cuMemcpy3D).
#include "driver/core/memory/array.h"
#include "driver/core/memory/copy.h"
#include "driver/core/memory/tables.h"

namespace heddle::driver {
namespace {

struct Side {
  std::size_t x, y, z, lod;
  CUmemorytype type;
  const void* host;
  CUdeviceptr device;
  CUarray array;
  std::size_t pitch, height;
};

// An array has a pitch of its own, and the copy must lie inside the array.
CUresult describe_array(const Side& side, const Copy& copy, CopySide& out) {
  const auto array = memory_tables().arrays.find(side.array);
  if (!array) return CUDA_ERROR_INVALID_VALUE;
  const auto fits = [](std::size_t at, std::size_t count, std::size_t room) {
    return at <= room && count <= room - at;
  };
  if (side.lod || !fits(side.x, copy.width, array->row_bytes()) ||
      !fits(side.y, copy.height, array->rows()) || !fits(side.z, copy.depth, array->slices())) {
    return CUDA_ERROR_INVALID_VALUE;
  }
  out.base = array->base() + side.z * array->slice() + side.y * array->pitch() + side.x;
  out.pitch = array->pitch();
  out.slice = array->slice();
  out.must_be_device = true;
  return CUDA_SUCCESS;
}

// A pitch or height of 0 means that of the copy.
CUresult describe(const Side& side, const Copy& copy, CopySide& out) {
  if (side.type == CU_MEMORYTYPE_ARRAY) return describe_array(side, copy, out);
  std::size_t row_end = 0, column_end = 0, slice = 0, rows = 0, slices = 0;
  if (side.lod || __builtin_add_overflow(side.x, copy.width, &row_end) ||
      __builtin_add_overflow(side.y, copy.height, &column_end)) {
    return CUDA_ERROR_INVALID_VALUE;
  }
  const std::size_t pitch = side.pitch ? side.pitch : row_end;
  if (pitch < row_end ||
      __builtin_mul_overflow(pitch, side.height ? side.height : column_end, &slice) ||
      __builtin_mul_overflow(side.y, pitch, &rows) ||
      __builtin_mul_overflow(side.z, slice, &slices)) {
    return CUDA_ERROR_INVALID_VALUE;
  }
  switch (side.type) {
    case CU_MEMORYTYPE_HOST:
      out.base = reinterpret_cast<u64>(side.host);
      break;
    case CU_MEMORYTYPE_DEVICE:
      out.base = side.device;
      out.must_be_device = true;
      break;
    case CU_MEMORYTYPE_UNIFIED:
      out.base = side.device;
      break;
    default:
      return CUDA_ERROR_INVALID_VALUE;
  }
  for (const std::size_t offset : {slices, rows, side.x}) {
    if (__builtin_add_overflow(out.base, offset, &out.base)) return CUDA_ERROR_INVALID_VALUE;
  }
  out.pitch = pitch;
  out.slice = slice;
  return CUDA_SUCCESS;
}

}  // namespace

CUDA_MEMCPY3D linear_copy(CopyAddress to, CopyAddress from, std::size_t bytes) {
  CUDA_MEMCPY3D params{};
  params.srcMemoryType = from.type;
  params.srcHost = reinterpret_cast<const void*>(from.address);
  params.srcDevice = from.address;
  params.dstMemoryType = to.type;
  params.dstHost = reinterpret_cast<void*>(to.address);
  params.dstDevice = to.address;
  params.WidthInBytes = bytes;
  params.Height = 1;
  params.Depth = 1;
  return params;
}

CUDA_MEMCPY3D as_3d(const CUDA_MEMCPY2D& p) {
  CUDA_MEMCPY3D params{};
  params.srcXInBytes = p.srcXInBytes;
  params.srcY = p.srcY;
  params.srcMemoryType = p.srcMemoryType;
  params.srcHost = p.srcHost;
  params.srcDevice = p.srcDevice;
  params.srcArray = p.srcArray;
  params.srcPitch = p.srcPitch;
  params.dstXInBytes = p.dstXInBytes;
  params.dstY = p.dstY;
  params.dstMemoryType = p.dstMemoryType;
  params.dstHost = p.dstHost;
  params.dstDevice = p.dstDevice;
  params.dstArray = p.dstArray;
  params.dstPitch = p.dstPitch;
  params.WidthInBytes = p.WidthInBytes;
  params.Height = p.Height;
  params.Depth = 1;
  return params;
}

// The contexts can be ignored, because an address belongs to one device.
CUDA_MEMCPY3D as_3d(const CUDA_MEMCPY3D_PEER& p) {
  CUDA_MEMCPY3D params{};
  params.srcXInBytes = p.srcXInBytes;
  params.srcY = p.srcY;
  params.srcZ = p.srcZ;
  params.srcLOD = p.srcLOD;
  params.srcMemoryType = p.srcMemoryType;
  params.srcHost = p.srcHost;
  params.srcDevice = p.srcDevice;
  params.srcArray = p.srcArray;
  params.srcPitch = p.srcPitch;
  params.srcHeight = p.srcHeight;
  params.dstXInBytes = p.dstXInBytes;
  params.dstY = p.dstY;
  params.dstZ = p.dstZ;
  params.dstLOD = p.dstLOD;
  params.dstMemoryType = p.dstMemoryType;
  params.dstHost = p.dstHost;
  params.dstDevice = p.dstDevice;
  params.dstArray = p.dstArray;
  params.dstPitch = p.dstPitch;
  params.dstHeight = p.dstHeight;
  params.WidthInBytes = p.WidthInBytes;
  params.Height = p.Height;
  params.Depth = p.Depth;
  return params;
}

CUresult make_copy(const CUDA_MEMCPY3D& p, Copy& copy) {
  copy = {.to = {}, .from = {}, .width = p.WidthInBytes, .height = p.Height, .depth = p.Depth};
  const Side from{p.srcXInBytes, p.srcY,      p.srcZ,     p.srcLOD,   p.srcMemoryType,
                  p.srcHost,     p.srcDevice, p.srcArray, p.srcPitch, p.srcHeight};
  const Side to{p.dstXInBytes, p.dstY,      p.dstZ,     p.dstLOD,   p.dstMemoryType,
                p.dstHost,     p.dstDevice, p.dstArray, p.dstPitch, p.dstHeight};
  if (const CUresult bad = describe(from, copy, copy.from)) return bad;
  if (const CUresult bad = describe(to, copy, copy.to)) return bad;
  copy.to.is_written = true;
  return copy.check();
}

}  // namespace heddle::driver
