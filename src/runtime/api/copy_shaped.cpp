// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Copies in two and three dimensions, of memory and of arrays. Runtime API 6.11.
#include "driver/api.h"
#include "runtime/bodies.h"
#include "runtime/core/context.h"
#include "runtime/core/convert.h"
#include "runtime/core/copy.h"
#include "runtime/core/default_stream.h"

namespace heddle::runtime {
namespace {

CopySide pitched(const void* pointer, size_t pitch) { return {.pointer = pointer, .pitch = pitch}; }

CopySide in_array(cudaArray_const_t array, size_t x, size_t y) {
  return {.array = as<CUarray>(array), .x = x, .y = y};
}

cudaError_t now(const CopySide& to, const CopySide& from, size_t width, size_t height,
                cudaMemcpyKind kind) {
  CUDA_MEMCPY3D copy;
  const cudaError_t error = describe(to, from, {width, height, 1}, kind, copy);
  return error ? error : copy_now(copy);
}

cudaError_t later(const CopySide& to, const CopySide& from, size_t width, size_t height,
                  cudaMemcpyKind kind, cudaStream_t stream) {
  CUDA_MEMCPY3D copy;
  const cudaError_t error = describe(to, from, {width, height, 1}, kind, copy);
  return error ? error : copy_later(copy, stream);
}

}  // namespace

cudaError_t cudaMemcpy2D(void* dst, size_t dpitch, const void* src, size_t spitch, size_t width,
                         size_t height, enum cudaMemcpyKind kind) {
  return now(pitched(dst, dpitch), pitched(src, spitch), width, height, kind);
}

cudaError_t cudaMemcpy2DAsync(void* dst, size_t dpitch, const void* src, size_t spitch,
                              size_t width, size_t height, enum cudaMemcpyKind kind,
                              cudaStream_t stream) {
  return later(pitched(dst, dpitch), pitched(src, spitch), width, height, kind, stream);
}

cudaError_t cudaMemcpy2DToArray(cudaArray_t dst, size_t wOffset, size_t hOffset, const void* src,
                                size_t spitch, size_t width, size_t height,
                                enum cudaMemcpyKind kind) {
  return now(in_array(dst, wOffset, hOffset), pitched(src, spitch), width, height, kind);
}

cudaError_t cudaMemcpy2DToArrayAsync(cudaArray_t dst, size_t wOffset, size_t hOffset,
                                     const void* src, size_t spitch, size_t width, size_t height,
                                     enum cudaMemcpyKind kind, cudaStream_t stream) {
  return later(in_array(dst, wOffset, hOffset), pitched(src, spitch), width, height, kind, stream);
}

cudaError_t cudaMemcpy2DFromArray(void* dst, size_t dpitch, cudaArray_const_t src, size_t wOffset,
                                  size_t hOffset, size_t width, size_t height,
                                  enum cudaMemcpyKind kind) {
  return now(pitched(dst, dpitch), in_array(src, wOffset, hOffset), width, height, kind);
}

cudaError_t cudaMemcpy2DFromArrayAsync(void* dst, size_t dpitch, cudaArray_const_t src,
                                       size_t wOffset, size_t hOffset, size_t width, size_t height,
                                       enum cudaMemcpyKind kind, cudaStream_t stream) {
  return later(pitched(dst, dpitch), in_array(src, wOffset, hOffset), width, height, kind, stream);
}

cudaError_t cudaMemcpy2DArrayToArray(cudaArray_t dst, size_t wOffsetDst, size_t hOffsetDst,
                                     cudaArray_const_t src, size_t wOffsetSrc, size_t hOffsetSrc,
                                     size_t width, size_t height, enum cudaMemcpyKind kind) {
  return now(in_array(dst, wOffsetDst, hOffsetDst), in_array(src, wOffsetSrc, hOffsetSrc), width,
             height, kind);
}

cudaError_t cudaMemcpy3D(const struct cudaMemcpy3DParms* p) {
  if (!p) return cudaErrorInvalidValue;
  CUDA_MEMCPY3D copy;
  const cudaError_t error = describe(*p, copy);
  return error ? error : copy_now(copy);
}

cudaError_t cudaMemcpy3DAsync(const struct cudaMemcpy3DParms* p, cudaStream_t stream) {
  if (!p) return cudaErrorInvalidValue;
  CUDA_MEMCPY3D copy;
  const cudaError_t error = describe(*p, copy);
  return error ? error : copy_later(copy, stream);
}

cudaError_t cudaMemcpy3DPeer(const struct cudaMemcpy3DPeerParms* p) {
  if (!p) return cudaErrorInvalidValue;
  CUDA_MEMCPY3D_PEER copy;
  if (const cudaError_t error = describe(*p, copy)) return error;
  return in_context([&] { return in_default_stream<cuMemcpy3DPeer, cuMemcpy3DPeer_ptds>(&copy); });
}

cudaError_t cudaMemcpy3DPeerAsync(const struct cudaMemcpy3DPeerParms* p, cudaStream_t stream) {
  if (!p) return cudaErrorInvalidValue;
  CUDA_MEMCPY3D_PEER copy;
  if (const cudaError_t error = describe(*p, copy)) return error;
  return in_context([&] { return cuMemcpy3DPeerAsync(&copy, stream_of(stream)); });
}

}  // namespace heddle::runtime
