// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Copies. Driver API 6.13. The synchronous functions work in the default stream.
#include "driver/core/memory/copy.h"
#include "driver/api.h"
#include "driver/core/context/context.h"
#include "driver/core/stream/in_stream.h"

using namespace heddle::driver;

namespace {

/// Describes the copy, then does `go(context, stream, task)`.
template <class Go>
CUresult copy(CUstream handle, const CUDA_MEMCPY3D& params, Go go) {
  return in_stream(handle, [&](Context& context, Stream& stream) -> CUresult {
    CopyTask task{context.shared_from_this(), params, {}};
    if (const CUresult bad = make_copy(params, task.copy)) return bad;
    return go(context, stream, std::move(task));
  });
}

CUresult copy_now(const CUDA_MEMCPY3D& params, const std::vector<ContextPtr>& peers = {}) {
  return copy(nullptr, params, [&](Context& context, Stream& stream, CopyTask task) -> CUresult {
    if (const CUresult bad = refuse_unsafe()) return bad;
    return copy_and_wait(context, stream, std::move(task), peers);
  });
}

CUresult copy_later(const CUDA_MEMCPY3D& params, CUstream stream) {
  return copy(stream, params, copy_async);
}

CUresult missing() {
  return in_context([](Context&) { return CUDA_ERROR_INVALID_VALUE; });
}

/// Whether the contexts of a copy between peers exist.
CUresult check_peers(CUcontext to, CUcontext from) {
  return in_context([&](Context&) -> CUresult {
    return find_context(to) && find_context(from) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_CONTEXT;
  });
}

CUresult check_peers(const CUDA_MEMCPY3D_PEER* params) {
  if (!params) return missing();
  const auto bad = [](CUmemorytype type, CUcontext context) {
    return type == CU_MEMORYTYPE_DEVICE && context && !find_context(context);
  };
  return bad(params->srcMemoryType, params->srcContext) ||
                 bad(params->dstMemoryType, params->dstContext)
             ? CUDA_ERROR_INVALID_CONTEXT
             : CUDA_SUCCESS;
}

}  // namespace

CUresult cuMemcpy(CUdeviceptr dst, CUdeviceptr src, size_t ByteCount) {
  return copy_now(linear_copy(anywhere(dst), anywhere(src), ByteCount));
}
CUresult cuMemcpyHtoD_v2(CUdeviceptr dstDevice, const void* srcHost, size_t ByteCount) {
  return copy_now(linear_copy(on_device(dstDevice), on_host(srcHost), ByteCount));
}
CUresult cuMemcpyDtoH_v2(void* dstHost, CUdeviceptr srcDevice, size_t ByteCount) {
  return copy_now(linear_copy(on_host(dstHost), on_device(srcDevice), ByteCount));
}
CUresult cuMemcpyDtoD_v2(CUdeviceptr dstDevice, CUdeviceptr srcDevice, size_t ByteCount) {
  return copy_now(linear_copy(on_device(dstDevice), on_device(srcDevice), ByteCount));
}
CUresult cuMemcpyPeer(CUdeviceptr dstDevice, CUcontext dstContext, CUdeviceptr srcDevice,
                      CUcontext srcContext, size_t ByteCount) {
  if (const CUresult bad = check_peers(dstContext, srcContext)) return bad;
  // The copy is ordered with the work of all three contexts.
  return copy_now(linear_copy(on_device(dstDevice), on_device(srcDevice), ByteCount),
                  {find_context(dstContext), find_context(srcContext)});
}

CUresult cuMemcpyAsync(CUdeviceptr dst, CUdeviceptr src, size_t ByteCount, CUstream hStream) {
  return copy_later(linear_copy(anywhere(dst), anywhere(src), ByteCount), hStream);
}
CUresult cuMemcpyHtoDAsync_v2(CUdeviceptr dstDevice, const void* srcHost, size_t ByteCount,
                              CUstream hStream) {
  return copy_later(linear_copy(on_device(dstDevice), on_host(srcHost), ByteCount), hStream);
}
CUresult cuMemcpyDtoHAsync_v2(void* dstHost, CUdeviceptr srcDevice, size_t ByteCount,
                              CUstream hStream) {
  return copy_later(linear_copy(on_host(dstHost), on_device(srcDevice), ByteCount), hStream);
}
CUresult cuMemcpyDtoDAsync_v2(CUdeviceptr dstDevice, CUdeviceptr srcDevice, size_t ByteCount,
                              CUstream hStream) {
  return copy_later(linear_copy(on_device(dstDevice), on_device(srcDevice), ByteCount), hStream);
}
CUresult cuMemcpyPeerAsync(CUdeviceptr dstDevice, CUcontext dstContext, CUdeviceptr srcDevice,
                           CUcontext srcContext, size_t ByteCount, CUstream hStream) {
  if (const CUresult bad = check_peers(dstContext, srcContext)) return bad;
  return copy_later(linear_copy(on_device(dstDevice), on_device(srcDevice), ByteCount), hStream);
}

CUresult cuMemcpy2D_v2(const CUDA_MEMCPY2D* pCopy) {
  return pCopy ? copy_now(as_3d(*pCopy)) : missing();
}
CUresult cuMemcpy2DUnaligned_v2(const CUDA_MEMCPY2D* pCopy) { return cuMemcpy2D_v2(pCopy); }
CUresult cuMemcpy2DAsync_v2(const CUDA_MEMCPY2D* pCopy, CUstream hStream) {
  return pCopy ? copy_later(as_3d(*pCopy), hStream) : missing();
}
CUresult cuMemcpy3D_v2(const CUDA_MEMCPY3D* pCopy) { return pCopy ? copy_now(*pCopy) : missing(); }
CUresult cuMemcpy3DAsync_v2(const CUDA_MEMCPY3D* pCopy, CUstream hStream) {
  return pCopy ? copy_later(*pCopy, hStream) : missing();
}
CUresult cuMemcpy3DPeer(const CUDA_MEMCPY3D_PEER* pCopy) {
  if (const CUresult bad = check_peers(pCopy)) return bad;
  return copy_now(as_3d(*pCopy));
}
CUresult cuMemcpy3DPeerAsync(const CUDA_MEMCPY3D_PEER* pCopy, CUstream hStream) {
  if (const CUresult bad = check_peers(pCopy)) return bad;
  return copy_later(as_3d(*pCopy), hStream);
}

// --- one-dimensional arrays ---

namespace {

CUDA_MEMCPY3D with_array_target(CUDA_MEMCPY3D params, CUarray array, size_t offset) {
  params.dstMemoryType = CU_MEMORYTYPE_ARRAY;
  params.dstArray = array;
  params.dstXInBytes = offset;
  return params;
}

CUDA_MEMCPY3D with_array_source(CUDA_MEMCPY3D params, CUarray array, size_t offset) {
  params.srcMemoryType = CU_MEMORYTYPE_ARRAY;
  params.srcArray = array;
  params.srcXInBytes = offset;
  return params;
}

const CopyAddress kNoAddress = on_device(0);

}  // namespace

CUresult cuMemcpyDtoA_v2(CUarray dstArray, size_t dstOffset, CUdeviceptr srcDevice,
                         size_t ByteCount) {
  return copy_now(with_array_target(linear_copy(kNoAddress, on_device(srcDevice), ByteCount),
                                    dstArray, dstOffset));
}
CUresult cuMemcpyAtoD_v2(CUdeviceptr dstDevice, CUarray srcArray, size_t srcOffset,
                         size_t ByteCount) {
  return copy_now(with_array_source(linear_copy(on_device(dstDevice), kNoAddress, ByteCount),
                                    srcArray, srcOffset));
}
CUresult cuMemcpyHtoA_v2(CUarray dstArray, size_t dstOffset, const void* srcHost,
                         size_t ByteCount) {
  return copy_now(
      with_array_target(linear_copy(kNoAddress, on_host(srcHost), ByteCount), dstArray, dstOffset));
}
CUresult cuMemcpyAtoH_v2(void* dstHost, CUarray srcArray, size_t srcOffset, size_t ByteCount) {
  return copy_now(
      with_array_source(linear_copy(on_host(dstHost), kNoAddress, ByteCount), srcArray, srcOffset));
}
CUresult cuMemcpyAtoA_v2(CUarray dstArray, size_t dstOffset, CUarray srcArray, size_t srcOffset,
                         size_t ByteCount) {
  const auto params = linear_copy(kNoAddress, kNoAddress, ByteCount);
  return copy_now(
      with_array_source(with_array_target(params, dstArray, dstOffset), srcArray, srcOffset));
}
CUresult cuMemcpyHtoAAsync_v2(CUarray dstArray, size_t dstOffset, const void* srcHost,
                              size_t ByteCount, CUstream hStream) {
  return copy_later(
      with_array_target(linear_copy(kNoAddress, on_host(srcHost), ByteCount), dstArray, dstOffset),
      hStream);
}
CUresult cuMemcpyAtoHAsync_v2(void* dstHost, CUarray srcArray, size_t srcOffset, size_t ByteCount,
                              CUstream hStream) {
  return copy_later(
      with_array_source(linear_copy(on_host(dstHost), kNoAddress, ByteCount), srcArray, srcOffset),
      hStream);
}
