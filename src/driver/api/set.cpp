// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Memsets: 8, 16 and 32-bit values, in one row or in rows with a pitch. Driver API 6.13.
#include <optional>

#include "driver/api.h"
#include "driver/core/memory/host_sync.h"
#include "driver/core/stream/in_stream.h"

using namespace heddle::driver;

namespace {

CUresult fill(const CUDA_MEMSET_NODE_PARAMS& params, std::optional<CUstream> handle) {
  return in_stream(handle.value_or(nullptr), [&](Context& context, Stream& stream) -> CUresult {
    FillTask task{context.shared_from_this(), params};
    if (const CUresult bad = check(task)) return bad;
    if (!params.width || !params.height) return CUDA_SUCCESS;
    if (handle || !waits_for(context, params.dst)) return submit(context, stream, std::move(task));
    if (const CUresult bad = refuse_unsafe()) return bad;
    return submit_and_wait(context, stream, std::move(task));
  });
}

// Without a stream, the memset is synchronous.

template <class T>
CUresult row(CUdeviceptr to, T value, size_t count, std::optional<CUstream> stream = {}) {
  return fill({to, 0, value, sizeof(T), count, 1}, stream);
}

template <class T>
CUresult rows(CUdeviceptr to, size_t pitch, T value, size_t width, size_t height,
              std::optional<CUstream> stream = {}) {
  return fill({to, pitch, value, sizeof(T), width, height}, stream);
}

}  // namespace

CUresult cuMemsetD8_v2(CUdeviceptr dstDevice, unsigned char uc, size_t N) {
  return row(dstDevice, uc, N);
}
CUresult cuMemsetD16_v2(CUdeviceptr dstDevice, unsigned short us, size_t N) {
  return row(dstDevice, us, N);
}
CUresult cuMemsetD32_v2(CUdeviceptr dstDevice, unsigned int ui, size_t N) {
  return row(dstDevice, ui, N);
}
CUresult cuMemsetD2D8_v2(CUdeviceptr dstDevice, size_t dstPitch, unsigned char uc, size_t Width,
                         size_t Height) {
  return rows(dstDevice, dstPitch, uc, Width, Height);
}
CUresult cuMemsetD2D16_v2(CUdeviceptr dstDevice, size_t dstPitch, unsigned short us, size_t Width,
                          size_t Height) {
  return rows(dstDevice, dstPitch, us, Width, Height);
}
CUresult cuMemsetD2D32_v2(CUdeviceptr dstDevice, size_t dstPitch, unsigned int ui, size_t Width,
                          size_t Height) {
  return rows(dstDevice, dstPitch, ui, Width, Height);
}
CUresult cuMemsetD8Async(CUdeviceptr dstDevice, unsigned char uc, size_t N, CUstream hStream) {
  return row(dstDevice, uc, N, hStream);
}
CUresult cuMemsetD16Async(CUdeviceptr dstDevice, unsigned short us, size_t N, CUstream hStream) {
  return row(dstDevice, us, N, hStream);
}
CUresult cuMemsetD32Async(CUdeviceptr dstDevice, unsigned int ui, size_t N, CUstream hStream) {
  return row(dstDevice, ui, N, hStream);
}
CUresult cuMemsetD2D8Async(CUdeviceptr dstDevice, size_t dstPitch, unsigned char uc, size_t Width,
                           size_t Height, CUstream hStream) {
  return rows(dstDevice, dstPitch, uc, Width, Height, hStream);
}
CUresult cuMemsetD2D16Async(CUdeviceptr dstDevice, size_t dstPitch, unsigned short us, size_t Width,
                            size_t Height, CUstream hStream) {
  return rows(dstDevice, dstPitch, us, Width, Height, hStream);
}
CUresult cuMemsetD2D32Async(CUdeviceptr dstDevice, size_t dstPitch, unsigned int ui, size_t Width,
                            size_t Height, CUstream hStream) {
  return rows(dstDevice, dstPitch, ui, Width, Height, hStream);
}
