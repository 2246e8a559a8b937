// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See copy.h.
#include "runtime/core/copy.h"

#include "driver/api.h"
#include "runtime/core/array.h"
#include "runtime/core/context.h"
#include "runtime/core/convert.h"
#include "runtime/core/default_stream.h"

namespace heddle::runtime {
namespace {

struct Types {
  CUmemorytype to, from;
};

bool types_of(cudaMemcpyKind kind, Types& types) {
  switch (kind) {
    case cudaMemcpyHostToHost:
      types = {CU_MEMORYTYPE_HOST, CU_MEMORYTYPE_HOST};
      return true;
    case cudaMemcpyHostToDevice:
      types = {CU_MEMORYTYPE_DEVICE, CU_MEMORYTYPE_HOST};
      return true;
    case cudaMemcpyDeviceToHost:
      types = {CU_MEMORYTYPE_HOST, CU_MEMORYTYPE_DEVICE};
      return true;
    case cudaMemcpyDeviceToDevice:
      types = {CU_MEMORYTYPE_DEVICE, CU_MEMORYTYPE_DEVICE};
      return true;
    case cudaMemcpyDefault:
      types = {CU_MEMORYTYPE_UNIFIED, CU_MEMORYTYPE_UNIFIED};
      return true;
    default:
      return false;
  }
}

cudaMemcpyKind kind_of(Types types) {
  const bool to_host = types.to == CU_MEMORYTYPE_HOST;
  const bool from_host = types.from == CU_MEMORYTYPE_HOST;
  if (types.to == CU_MEMORYTYPE_UNIFIED || types.from == CU_MEMORYTYPE_UNIFIED) {
    return cudaMemcpyDefault;
  }
  if (to_host) return from_host ? cudaMemcpyHostToHost : cudaMemcpyDeviceToHost;
  return from_host ? cudaMemcpyHostToDevice : cudaMemcpyDeviceToDevice;
}

// The structures for one device and for two have the same names of members.
template <class Copy>
void set_from(const CopySide& side, CUmemorytype type, Copy& out) {
  out.srcXInBytes = side.x;
  out.srcY = side.y;
  out.srcZ = side.z;
  out.srcMemoryType = side.array ? CU_MEMORYTYPE_ARRAY : type;
  out.srcArray = side.array;
  out.srcHost = side.pointer;
  out.srcDevice = reinterpret_cast<CUdeviceptr>(side.pointer);
  out.srcPitch = side.pitch;
  out.srcHeight = side.height;
}

template <class Copy>
void set_to(const CopySide& side, CUmemorytype type, Copy& out) {
  out.dstXInBytes = side.x;
  out.dstY = side.y;
  out.dstZ = side.z;
  out.dstMemoryType = side.array ? CU_MEMORYTYPE_ARRAY : type;
  out.dstArray = side.array;
  out.dstHost = const_cast<void*>(side.pointer);
  out.dstDevice = reinterpret_cast<CUdeviceptr>(side.pointer);
  out.dstPitch = side.pitch;
  out.dstHeight = side.height;
}

template <class Copy>
void set_extent(const cudaExtent& extent, Copy& out) {
  out.WidthInBytes = extent.width;
  out.Height = extent.height;
  out.Depth = extent.depth;
}

/// One side of cudaMemcpy3D. Positions count elements in an array, bytes elsewhere.
CopySide side_of(cudaArray_t array, const cudaPos& at, const cudaPitchedPtr& pointer,
                 size_t element) {
  return {.pointer = pointer.ptr,
          .array = as<CUarray>(array),
          .pitch = pointer.pitch,
          .height = pointer.ysize,
          .x = array ? at.x * element : at.x,
          .y = at.y,
          .z = at.z};
}

struct Sides {
  CopySide to, from;
  cudaExtent extent{};
};

template <class Parameters>
cudaError_t sides_of(const Parameters& p, Sides& out) {
  const auto is_one = [](cudaArray_t array, const cudaPitchedPtr& pointer) {
    return (array != nullptr) != (pointer.ptr != nullptr);
  };
  if (!is_one(p.srcArray, p.srcPtr) || !is_one(p.dstArray, p.dstPtr)) return cudaErrorInvalidValue;
  size_t element = 1;
  if (const cudaArray_t array = p.dstArray ? p.dstArray : p.srcArray) {
    ArrayLayout layout;
    if (const cudaError_t error = layout_of(array, layout)) return error;
    element = layout.element;
  }
  out.from = side_of(p.srcArray, p.srcPos, p.srcPtr, element);
  out.to = side_of(p.dstArray, p.dstPos, p.dstPtr, element);
  out.extent = {p.extent.width * element, p.extent.height, p.extent.depth};
  return cudaSuccess;
}

}  // namespace

cudaError_t describe(const CopySide& to, const CopySide& from, const cudaExtent& extent,
                     cudaMemcpyKind kind, CUDA_MEMCPY3D& out) {
  Types types;
  if (!types_of(kind, types)) return cudaErrorInvalidMemcpyDirection;
  const auto is_short = [&](const CopySide& side) {
    return !side.array && side.pitch && side.pitch < extent.width;
  };
  if (is_short(to) || is_short(from)) return cudaErrorInvalidPitchValue;
  out = {};
  set_to(to, types.to, out);
  set_from(from, types.from, out);
  set_extent(extent, out);
  return cudaSuccess;
}

cudaError_t describe(const cudaMemcpy3DParms& parameters, CUDA_MEMCPY3D& out) {
  Sides sides;
  if (const cudaError_t error = sides_of(parameters, sides)) return error;
  return describe(sides.to, sides.from, sides.extent, parameters.kind, out);
}

cudaError_t describe(const cudaMemcpy3DPeerParms& parameters, CUDA_MEMCPY3D_PEER& out) {
  Sides sides;
  if (const cudaError_t error = sides_of(parameters, sides)) return error;
  out = {};
  set_to(sides.to, CU_MEMORYTYPE_DEVICE, out);
  set_from(sides.from, CU_MEMORYTYPE_DEVICE, out);
  set_extent(sides.extent, out);
  if (const cudaError_t error = primary_context(parameters.dstDevice, out.dstContext)) return error;
  return primary_context(parameters.srcDevice, out.srcContext);
}

void describe(const CUDA_MEMCPY3D& copy, cudaMemcpy3DParms& out) {
  out = {};
  const bool from_host = copy.srcMemoryType == CU_MEMORYTYPE_HOST;
  const bool to_host = copy.dstMemoryType == CU_MEMORYTYPE_HOST;
  out.srcArray = as<cudaArray_t>(copy.srcArray);
  out.srcPos = {copy.srcXInBytes, copy.srcY, copy.srcZ};
  out.srcPtr = {
      from_host ? const_cast<void*>(copy.srcHost) : reinterpret_cast<void*>(copy.srcDevice),
      copy.srcPitch, copy.WidthInBytes, copy.srcHeight};
  out.dstArray = as<cudaArray_t>(copy.dstArray);
  out.dstPos = {copy.dstXInBytes, copy.dstY, copy.dstZ};
  out.dstPtr = {to_host ? copy.dstHost : reinterpret_cast<void*>(copy.dstDevice), copy.dstPitch,
                copy.WidthInBytes, copy.dstHeight};
  out.extent = {copy.WidthInBytes, copy.Height, copy.Depth};
  out.kind = kind_of({copy.dstMemoryType, copy.srcMemoryType});
}

cudaError_t copy_now(const CUDA_MEMCPY3D& copy) {
  return in_context([&] { return in_default_stream<cuMemcpy3D_v2, cuMemcpy3D_v2_ptds>(&copy); });
}

cudaError_t copy_later(const CUDA_MEMCPY3D& copy, CUstream stream) {
  return in_context([&] { return cuMemcpy3DAsync_v2(&copy, stream_of(stream)); });
}

}  // namespace heddle::runtime
