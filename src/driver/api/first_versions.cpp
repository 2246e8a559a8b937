// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// First versions of functions, with 32 bits for addresses and sizes. Driver API 6.5, 6.10, 6.13,
// 6.26.
// Each function calls its later version with widened arguments and narrows the results. Memory
// below 4 GiB is allocated first (machine/memory.h), so an address that does not fit means that the
// memory below 4 GiB is used up.
#include <algorithm>
#include <limits>

#include "driver/api.h"

namespace {

template <class T>
bool fits(T value) {
  return value <= std::numeric_limits<unsigned>::max();
}

/// An amount in 32 bits: a larger one becomes the largest value of 32 bits.
unsigned clamp(size_t value) {
  return static_cast<unsigned>(std::min<size_t>(value, std::numeric_limits<unsigned>::max()));
}

/// Returns the address of new memory when 32 bits hold it. Otherwise frees the memory.
CUresult give_low(CUdeviceptr address, CUdeviceptr_v1* out) {
  if (!fits(address)) {
    const CUresult freed = cuMemFree_v2(address);
    return freed ? freed : CUDA_ERROR_OUT_OF_MEMORY;
  }
  *out = static_cast<CUdeviceptr_v1>(address);
  return CUDA_SUCCESS;
}

/// Writes the address and the size that `find(address*, size*)` returns, each unless its pointer is
/// null.
template <class Find>
CUresult find_low(CUdeviceptr_v1* address, unsigned* size, Find find) {
  CUdeviceptr found = 0;
  size_t bytes = 0;
  if (const CUresult bad = find(&found, &bytes)) return bad;
  if ((address && !fits(found)) || (size && !fits(bytes))) return CUDA_ERROR_INVALID_VALUE;
  if (address) *address = static_cast<CUdeviceptr_v1>(found);
  if (size) *size = static_cast<unsigned>(bytes);
  return CUDA_SUCCESS;
}

CUDA_MEMCPY2D widen(const CUDA_MEMCPY2D_v1& p) {
  return {p.srcXInBytes, p.srcY,        p.srcMemoryType, p.srcHost,       p.srcDevice, p.srcArray,
          p.srcPitch,    p.dstXInBytes, p.dstY,          p.dstMemoryType, p.dstHost,   p.dstDevice,
          p.dstArray,    p.dstPitch,    p.WidthInBytes,  p.Height};
}

CUDA_MEMCPY3D widen(const CUDA_MEMCPY3D_v1& p) {
  return {p.srcXInBytes,   p.srcY,        p.srcZ,         p.srcLOD,    p.srcMemoryType,
          p.srcHost,       p.srcDevice,   p.srcArray,     p.reserved0, p.srcPitch,
          p.srcHeight,     p.dstXInBytes, p.dstY,         p.dstZ,      p.dstLOD,
          p.dstMemoryType, p.dstHost,     p.dstDevice,    p.dstArray,  p.reserved1,
          p.dstPitch,      p.dstHeight,   p.WidthInBytes, p.Height,    p.Depth};
}

CUDA_ARRAY_DESCRIPTOR widen(const CUDA_ARRAY_DESCRIPTOR_v1& p) {
  return {p.Width, p.Height, p.Format, p.NumChannels};
}

CUDA_ARRAY3D_DESCRIPTOR widen(const CUDA_ARRAY3D_DESCRIPTOR_v1& p) {
  return {p.Width, p.Height, p.Depth, p.Format, p.NumChannels, p.Flags};
}

/// `then(widened)`, where null stays null.
template <class T, class Then>
CUresult widened(const T* params, Then then) {
  if (!params) return then(nullptr);
  const auto wide = widen(*params);
  return then(&wide);
}

}  // namespace

CUresult cuDeviceTotalMem(unsigned int* bytes, CUdevice dev) {
  size_t total = 0;
  if (const CUresult bad = cuDeviceTotalMem_v2(bytes ? &total : nullptr, dev)) return bad;
  *bytes = clamp(total);
  return CUDA_SUCCESS;
}

CUresult cuMemGetInfo(unsigned int* free, unsigned int* total) {
  size_t left = 0, all = 0;
  const CUresult bad = cuMemGetInfo_v2(free ? &left : nullptr, total ? &all : nullptr);
  if (bad) return bad;
  *free = clamp(left);
  *total = clamp(all);
  return CUDA_SUCCESS;
}

CUresult cuModuleGetGlobal(CUdeviceptr_v1* dptr, unsigned int* bytes, CUmodule hmod,
                           const char* name) {
  return find_low(dptr, bytes, [&](CUdeviceptr* address, size_t* size) {
    return cuModuleGetGlobal_v2(dptr ? address : nullptr, bytes ? size : nullptr, hmod, name);
  });
}

// --- allocation ---

CUresult cuMemAlloc(CUdeviceptr_v1* dptr, unsigned int bytesize) {
  CUdeviceptr address = 0;
  if (const CUresult bad = cuMemAlloc_v2(dptr ? &address : nullptr, bytesize)) return bad;
  return give_low(address, dptr);
}

CUresult cuMemAllocPitch(CUdeviceptr_v1* dptr, unsigned int* pPitch, unsigned int WidthInBytes,
                         unsigned int Height, unsigned int ElementSizeBytes) {
  CUdeviceptr address = 0;
  size_t pitch = 0;
  const CUresult bad = cuMemAllocPitch_v2(dptr ? &address : nullptr, pPitch ? &pitch : nullptr,
                                          WidthInBytes, Height, ElementSizeBytes);
  if (bad) return bad;
  *pPitch = clamp(pitch);  // rows in memory below 4 GiB fit
  return give_low(address, dptr);
}

CUresult cuMemFree(CUdeviceptr_v1 dptr) { return cuMemFree_v2(dptr); }

CUresult cuMemGetAddressRange(CUdeviceptr_v1* pbase, unsigned int* psize, CUdeviceptr_v1 dptr) {
  return find_low(pbase, psize, [&](CUdeviceptr* address, size_t* size) {
    return cuMemGetAddressRange_v2(address, size, dptr);
  });
}

CUresult cuMemAllocHost(void** pp, unsigned int bytesize) {
  return cuMemAllocHost_v2(pp, bytesize);
}

CUresult cuMemHostGetDevicePointer(CUdeviceptr_v1* pdptr, void* p, unsigned int Flags) {
  return find_low(pdptr, nullptr, [&](CUdeviceptr* address, size_t*) {
    return cuMemHostGetDevicePointer_v2(pdptr ? address : nullptr, p, Flags);
  });
}

CUresult cuArrayCreate(CUarray* pHandle, const CUDA_ARRAY_DESCRIPTOR_v1* pAllocateArray) {
  return widened(pAllocateArray, [&](const CUDA_ARRAY_DESCRIPTOR* wide) {
    return cuArrayCreate_v2(pHandle, wide);
  });
}

CUresult cuArray3DCreate(CUarray* pHandle, const CUDA_ARRAY3D_DESCRIPTOR_v1* pAllocateArray) {
  return widened(pAllocateArray, [&](const CUDA_ARRAY3D_DESCRIPTOR* wide) {
    return cuArray3DCreate_v2(pHandle, wide);
  });
}

CUresult cuArrayGetDescriptor(CUDA_ARRAY_DESCRIPTOR_v1* pArrayDescriptor, CUarray hArray) {
  CUDA_ARRAY_DESCRIPTOR found{};
  const CUresult bad = cuArrayGetDescriptor_v2(pArrayDescriptor ? &found : nullptr, hArray);
  if (bad) return bad;
  *pArrayDescriptor = {clamp(found.Width), clamp(found.Height), found.Format, found.NumChannels};
  return CUDA_SUCCESS;
}

CUresult cuArray3DGetDescriptor(CUDA_ARRAY3D_DESCRIPTOR_v1* pArrayDescriptor, CUarray hArray) {
  CUDA_ARRAY3D_DESCRIPTOR found{};
  const CUresult bad = cuArray3DGetDescriptor_v2(pArrayDescriptor ? &found : nullptr, hArray);
  if (bad) return bad;
  *pArrayDescriptor = {clamp(found.Width), clamp(found.Height), clamp(found.Depth),
                       found.Format,       found.NumChannels,   found.Flags};
  return CUDA_SUCCESS;
}

// --- copies ---

CUresult cuMemcpyHtoD(CUdeviceptr_v1 dstDevice, const void* srcHost, unsigned int ByteCount) {
  return cuMemcpyHtoD_v2(dstDevice, srcHost, ByteCount);
}
CUresult cuMemcpyDtoH(void* dstHost, CUdeviceptr_v1 srcDevice, unsigned int ByteCount) {
  return cuMemcpyDtoH_v2(dstHost, srcDevice, ByteCount);
}
CUresult cuMemcpyDtoD(CUdeviceptr_v1 dstDevice, CUdeviceptr_v1 srcDevice, unsigned int ByteCount) {
  return cuMemcpyDtoD_v2(dstDevice, srcDevice, ByteCount);
}
CUresult cuMemcpyDtoA(CUarray dstArray, unsigned int dstOffset, CUdeviceptr_v1 srcDevice,
                      unsigned int ByteCount) {
  return cuMemcpyDtoA_v2(dstArray, dstOffset, srcDevice, ByteCount);
}
CUresult cuMemcpyAtoD(CUdeviceptr_v1 dstDevice, CUarray srcArray, unsigned int srcOffset,
                      unsigned int ByteCount) {
  return cuMemcpyAtoD_v2(dstDevice, srcArray, srcOffset, ByteCount);
}
CUresult cuMemcpyHtoA(CUarray dstArray, unsigned int dstOffset, const void* srcHost,
                      unsigned int ByteCount) {
  return cuMemcpyHtoA_v2(dstArray, dstOffset, srcHost, ByteCount);
}
CUresult cuMemcpyAtoH(void* dstHost, CUarray srcArray, unsigned int srcOffset,
                      unsigned int ByteCount) {
  return cuMemcpyAtoH_v2(dstHost, srcArray, srcOffset, ByteCount);
}
CUresult cuMemcpyAtoA(CUarray dstArray, unsigned int dstOffset, CUarray srcArray,
                      unsigned int srcOffset, unsigned int ByteCount) {
  return cuMemcpyAtoA_v2(dstArray, dstOffset, srcArray, srcOffset, ByteCount);
}
CUresult cuMemcpyHtoDAsync(CUdeviceptr_v1 dstDevice, const void* srcHost, unsigned int ByteCount,
                           CUstream hStream) {
  return cuMemcpyHtoDAsync_v2(dstDevice, srcHost, ByteCount, hStream);
}
CUresult cuMemcpyDtoHAsync(void* dstHost, CUdeviceptr_v1 srcDevice, unsigned int ByteCount,
                           CUstream hStream) {
  return cuMemcpyDtoHAsync_v2(dstHost, srcDevice, ByteCount, hStream);
}
CUresult cuMemcpyDtoDAsync(CUdeviceptr_v1 dstDevice, CUdeviceptr_v1 srcDevice,
                           unsigned int ByteCount, CUstream hStream) {
  return cuMemcpyDtoDAsync_v2(dstDevice, srcDevice, ByteCount, hStream);
}
CUresult cuMemcpyHtoAAsync(CUarray dstArray, unsigned int dstOffset, const void* srcHost,
                           unsigned int ByteCount, CUstream hStream) {
  return cuMemcpyHtoAAsync_v2(dstArray, dstOffset, srcHost, ByteCount, hStream);
}
CUresult cuMemcpyAtoHAsync(void* dstHost, CUarray srcArray, unsigned int srcOffset,
                           unsigned int ByteCount, CUstream hStream) {
  return cuMemcpyAtoHAsync_v2(dstHost, srcArray, srcOffset, ByteCount, hStream);
}

CUresult cuMemcpy2D(const CUDA_MEMCPY2D_v1* pCopy) { return widened(pCopy, cuMemcpy2D_v2); }
CUresult cuMemcpy2DUnaligned(const CUDA_MEMCPY2D_v1* pCopy) {
  return widened(pCopy, cuMemcpy2DUnaligned_v2);
}
CUresult cuMemcpy3D(const CUDA_MEMCPY3D_v1* pCopy) { return widened(pCopy, cuMemcpy3D_v2); }
CUresult cuMemcpy2DAsync(const CUDA_MEMCPY2D_v1* pCopy, CUstream hStream) {
  return widened(pCopy,
                 [&](const CUDA_MEMCPY2D* wide) { return cuMemcpy2DAsync_v2(wide, hStream); });
}
CUresult cuMemcpy3DAsync(const CUDA_MEMCPY3D_v1* pCopy, CUstream hStream) {
  return widened(pCopy,
                 [&](const CUDA_MEMCPY3D* wide) { return cuMemcpy3DAsync_v2(wide, hStream); });
}

// --- memsets ---

CUresult cuMemsetD8(CUdeviceptr_v1 dstDevice, unsigned char uc, unsigned int N) {
  return cuMemsetD8_v2(dstDevice, uc, N);
}
CUresult cuMemsetD16(CUdeviceptr_v1 dstDevice, unsigned short us, unsigned int N) {
  return cuMemsetD16_v2(dstDevice, us, N);
}
CUresult cuMemsetD32(CUdeviceptr_v1 dstDevice, unsigned int ui, unsigned int N) {
  return cuMemsetD32_v2(dstDevice, ui, N);
}
CUresult cuMemsetD2D8(CUdeviceptr_v1 dstDevice, unsigned int dstPitch, unsigned char uc,
                      unsigned int Width, unsigned int Height) {
  return cuMemsetD2D8_v2(dstDevice, dstPitch, uc, Width, Height);
}
CUresult cuMemsetD2D16(CUdeviceptr_v1 dstDevice, unsigned int dstPitch, unsigned short us,
                       unsigned int Width, unsigned int Height) {
  return cuMemsetD2D16_v2(dstDevice, dstPitch, us, Width, Height);
}
CUresult cuMemsetD2D32(CUdeviceptr_v1 dstDevice, unsigned int dstPitch, unsigned int ui,
                       unsigned int Width, unsigned int Height) {
  return cuMemsetD2D32_v2(dstDevice, dstPitch, ui, Width, Height);
}

// --- texture references ---

CUresult cuTexRefSetAddress(unsigned int* ByteOffset, CUtexref hTexRef, CUdeviceptr_v1 dptr,
                            unsigned int bytes) {
  size_t offset = 0;  // less than the alignment of textures
  const CUresult bad = cuTexRefSetAddress_v2(ByteOffset ? &offset : nullptr, hTexRef, dptr, bytes);
  if (!bad && ByteOffset) *ByteOffset = static_cast<unsigned>(offset);
  return bad;
}

CUresult cuTexRefSetAddress2D(CUtexref hTexRef, const CUDA_ARRAY_DESCRIPTOR_v1* desc,
                              CUdeviceptr_v1 dptr, unsigned int Pitch) {
  return widened(desc, [&](const CUDA_ARRAY_DESCRIPTOR* wide) {
    return cuTexRefSetAddress2D_v3(hTexRef, wide, dptr, Pitch);
  });
}

CUresult cuTexRefGetAddress(CUdeviceptr_v1* pdptr, CUtexref hTexRef) {
  return find_low(pdptr, nullptr, [&](CUdeviceptr* address, size_t*) {
    return cuTexRefGetAddress_v2(pdptr ? address : nullptr, hTexRef);
  });
}
