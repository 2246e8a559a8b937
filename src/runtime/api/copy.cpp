// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Linear copies, and copies between devices. Runtime API 6.11.
#include "runtime/core/copy.h"
#include "driver/api.h"
#include "runtime/bodies.h"
#include "runtime/core/context.h"
#include "runtime/core/default_stream.h"

namespace heddle::runtime {
namespace {

CUdeviceptr device(const void* pointer) { return reinterpret_cast<CUdeviceptr>(pointer); }

/// Runs `copy(to context, from context)`.
template <class Body>
cudaError_t between_devices(int to, int from, Body copy) {
  CUcontext to_context = nullptr, from_context = nullptr;
  if (const cudaError_t error = primary_context(to, to_context)) return error;
  if (const cudaError_t error = primary_context(from, from_context)) return error;
  return in_context([&] { return copy(to_context, from_context); });
}

}  // namespace

cudaError_t cudaMemcpy(void* dst, const void* src, size_t count, enum cudaMemcpyKind kind) {
  switch (kind) {
    case cudaMemcpyHostToDevice:
      return in_context([&] {
        return in_default_stream<cuMemcpyHtoD_v2, cuMemcpyHtoD_v2_ptds>(device(dst), src, count);
      });
    case cudaMemcpyDeviceToHost:
      return in_context([&] {
        return in_default_stream<cuMemcpyDtoH_v2, cuMemcpyDtoH_v2_ptds>(dst, device(src), count);
      });
    case cudaMemcpyDeviceToDevice:
      return in_context([&] {
        return in_default_stream<cuMemcpyDtoD_v2, cuMemcpyDtoD_v2_ptds>(device(dst), device(src),
                                                                        count);
      });
    case cudaMemcpyHostToHost:
    case cudaMemcpyDefault:
      return in_context([&] {
        return in_default_stream<cuMemcpy, cuMemcpy_ptds>(device(dst), device(src), count);
      });
    default:
      return cudaErrorInvalidMemcpyDirection;
  }
}

cudaError_t cudaMemcpyAsync(void* dst, const void* src, size_t count, enum cudaMemcpyKind kind,
                            cudaStream_t stream) {
  const CUstream where = stream_of(stream);
  switch (kind) {
    case cudaMemcpyHostToDevice:
      return in_context([&] { return cuMemcpyHtoDAsync_v2(device(dst), src, count, where); });
    case cudaMemcpyDeviceToHost:
      return in_context([&] { return cuMemcpyDtoHAsync_v2(dst, device(src), count, where); });
    case cudaMemcpyDeviceToDevice:
      return in_context(
          [&] { return cuMemcpyDtoDAsync_v2(device(dst), device(src), count, where); });
    case cudaMemcpyHostToHost:
    case cudaMemcpyDefault:
      return in_context([&] { return cuMemcpyAsync(device(dst), device(src), count, where); });
    default:
      return cudaErrorInvalidMemcpyDirection;
  }
}

cudaError_t cudaMemcpyPeer(void* dst, int dstDevice, const void* src, int srcDevice, size_t count) {
  return between_devices(dstDevice, srcDevice, [&](CUcontext to, CUcontext from) {
    return cuMemcpyPeer(device(dst), to, device(src), from, count);
  });
}

cudaError_t cudaMemcpyPeerAsync(void* dst, int dstDevice, const void* src, int srcDevice,
                                size_t count, cudaStream_t stream) {
  return between_devices(dstDevice, srcDevice, [&](CUcontext to, CUcontext from) {
    return cuMemcpyPeerAsync(device(dst), to, device(src), from, count, stream_of(stream));
  });
}

}  // namespace heddle::runtime
