// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Copies. Driver API 6.13. The synchronous functions work in the default stream.
#include "driver/core/copy.h"
#include "driver/api.h"
#include "driver/core/call.h"

using namespace heddle::driver;

namespace {

CUresult copy_now(const Copy& copy) {
  return in_context(
      [&](Context& context) { return copy_and_wait(context, *context.stream(nullptr), copy); });
}

CUresult copy_later(const Copy& copy, CUstream handle) {
  return in_context([&](Context& context) -> CUresult {
    const auto stream = context.stream(handle);
    return stream ? copy_async(context, *stream, copy) : CUDA_ERROR_INVALID_HANDLE;
  });
}

struct Side {
  size_t x, y, z, lod;
  CUmemorytype type;
  const void* host;
  CUdeviceptr device;
  size_t pitch, height;
};

// Arrays are not written yet, so a side is linear memory with a pitch.
CUresult describe(const Side& side, size_t width, size_t height, CopySide& out) {
  const size_t pitch = side.pitch ? side.pitch : side.x + width;
  const size_t slice = pitch * (side.height ? side.height : side.y + height);
  if (side.lod || pitch < side.x + width) return CUDA_ERROR_INVALID_VALUE;
  switch (side.type) {
    case CU_MEMORYTYPE_HOST:
      out = on_host(side.host);
      break;
    case CU_MEMORYTYPE_DEVICE:
      out = on_device(side.device);
      break;
    case CU_MEMORYTYPE_UNIFIED:
      out = anywhere(side.device);
      break;
    case CU_MEMORYTYPE_ARRAY:
      return CUDA_ERROR_NOT_SUPPORTED;
    default:
      return CUDA_ERROR_INVALID_VALUE;
  }
  out.base += side.z * slice + side.y * pitch + side.x;
  out.pitch = pitch;
  out.slice = slice;
  return CUDA_SUCCESS;
}

CUresult describe(const CUDA_MEMCPY2D* p, Copy& copy) {
  if (!p) return CUDA_ERROR_INVALID_VALUE;
  const Side from{p->srcXInBytes, p->srcY,      0,           0, p->srcMemoryType,
                  p->srcHost,     p->srcDevice, p->srcPitch, 0};
  const Side to{p->dstXInBytes, p->dstY,      0,           0, p->dstMemoryType,
                p->dstHost,     p->dstDevice, p->dstPitch, 0};
  copy.width = p->WidthInBytes;
  copy.height = p->Height;
  if (const CUresult bad = describe(from, copy.width, copy.height, copy.from)) return bad;
  return describe(to, copy.width, copy.height, copy.to);
}

// CUDA_MEMCPY3D and CUDA_MEMCPY3D_PEER differ only in the contexts, which say nothing new: an
// address belongs to one device.
template <class Parameters>
CUresult describe_3d(const Parameters* p, Copy& copy) {
  if (!p) return CUDA_ERROR_INVALID_VALUE;
  const Side from{p->srcXInBytes, p->srcY,      p->srcZ,     p->srcLOD,   p->srcMemoryType,
                  p->srcHost,     p->srcDevice, p->srcPitch, p->srcHeight};
  const Side to{p->dstXInBytes, p->dstY,      p->dstZ,     p->dstLOD,   p->dstMemoryType,
                p->dstHost,     p->dstDevice, p->dstPitch, p->dstHeight};
  copy.width = p->WidthInBytes;
  copy.height = p->Height;
  copy.depth = p->Depth;
  if (const CUresult bad = describe(from, copy.width, copy.height, copy.from)) return bad;
  return describe(to, copy.width, copy.height, copy.to);
}

/// Describes, then goes on with `body(copy)`.
template <class Describe, class Body>
CUresult shaped(Describe describe_into, Body body) {
  Copy copy;
  if (const CUresult bad = describe_into(copy)) {
    return in_context([&](Context&) { return bad; });
  }
  return body(copy);
}

}  // namespace

CUresult cuMemcpy(CUdeviceptr dst, CUdeviceptr src, size_t ByteCount) {
  return copy_now(Copy::linear(anywhere(dst), anywhere(src), ByteCount));
}
CUresult cuMemcpyHtoD_v2(CUdeviceptr dstDevice, const void* srcHost, size_t ByteCount) {
  return copy_now(Copy::linear(on_device(dstDevice), on_host(srcHost), ByteCount));
}
CUresult cuMemcpyDtoH_v2(void* dstHost, CUdeviceptr srcDevice, size_t ByteCount) {
  return copy_now(Copy::linear(on_host(dstHost), on_device(srcDevice), ByteCount));
}
CUresult cuMemcpyDtoD_v2(CUdeviceptr dstDevice, CUdeviceptr srcDevice, size_t ByteCount) {
  return copy_now(Copy::linear(on_device(dstDevice), on_device(srcDevice), ByteCount));
}
CUresult cuMemcpyPeer(CUdeviceptr dstDevice, CUcontext, CUdeviceptr srcDevice, CUcontext,
                      size_t ByteCount) {
  return copy_now(Copy::linear(on_device(dstDevice), on_device(srcDevice), ByteCount));
}

CUresult cuMemcpyAsync(CUdeviceptr dst, CUdeviceptr src, size_t ByteCount, CUstream hStream) {
  return copy_later(Copy::linear(anywhere(dst), anywhere(src), ByteCount), hStream);
}
CUresult cuMemcpyHtoDAsync_v2(CUdeviceptr dstDevice, const void* srcHost, size_t ByteCount,
                              CUstream hStream) {
  return copy_later(Copy::linear(on_device(dstDevice), on_host(srcHost), ByteCount), hStream);
}
CUresult cuMemcpyDtoHAsync_v2(void* dstHost, CUdeviceptr srcDevice, size_t ByteCount,
                              CUstream hStream) {
  return copy_later(Copy::linear(on_host(dstHost), on_device(srcDevice), ByteCount), hStream);
}
CUresult cuMemcpyDtoDAsync_v2(CUdeviceptr dstDevice, CUdeviceptr srcDevice, size_t ByteCount,
                              CUstream hStream) {
  return copy_later(Copy::linear(on_device(dstDevice), on_device(srcDevice), ByteCount), hStream);
}
CUresult cuMemcpyPeerAsync(CUdeviceptr dstDevice, CUcontext, CUdeviceptr srcDevice, CUcontext,
                           size_t ByteCount, CUstream hStream) {
  return copy_later(Copy::linear(on_device(dstDevice), on_device(srcDevice), ByteCount), hStream);
}

CUresult cuMemcpy2D_v2(const CUDA_MEMCPY2D* pCopy) {
  return shaped([&](Copy& copy) { return describe(pCopy, copy); }, copy_now);
}
CUresult cuMemcpy2DUnaligned_v2(const CUDA_MEMCPY2D* pCopy) { return cuMemcpy2D_v2(pCopy); }
CUresult cuMemcpy2DAsync_v2(const CUDA_MEMCPY2D* pCopy, CUstream hStream) {
  return shaped([&](Copy& copy) { return describe(pCopy, copy); },
                [&](const Copy& copy) { return copy_later(copy, hStream); });
}
CUresult cuMemcpy3D_v2(const CUDA_MEMCPY3D* pCopy) {
  return shaped([&](Copy& copy) { return describe_3d(pCopy, copy); }, copy_now);
}
CUresult cuMemcpy3DAsync_v2(const CUDA_MEMCPY3D* pCopy, CUstream hStream) {
  return shaped([&](Copy& copy) { return describe_3d(pCopy, copy); },
                [&](const Copy& copy) { return copy_later(copy, hStream); });
}
CUresult cuMemcpy3DPeer(const CUDA_MEMCPY3D_PEER* pCopy) {
  return shaped([&](Copy& copy) { return describe_3d(pCopy, copy); }, copy_now);
}
CUresult cuMemcpy3DPeerAsync(const CUDA_MEMCPY3D_PEER* pCopy, CUstream hStream) {
  return shaped([&](Copy& copy) { return describe_3d(pCopy, copy); },
                [&](const Copy& copy) { return copy_later(copy, hStream); });
}
