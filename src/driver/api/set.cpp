// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Memsets: 8, 16 and 32-bit values, in one row or in rows with a pitch. Driver API 6.13.
#include <algorithm>
#include <cstdint>

#include "driver/api.h"
#include "driver/core/call.h"

using namespace heddle::driver;

namespace {

template <class T>
struct Fill {
  CUdeviceptr base;
  size_t pitch;  // bytes
  T value;
  size_t width;  // elements
  size_t height;

  bool is_good() const {
    if (base % sizeof(T) || width > SIZE_MAX / sizeof(T)) return false;
    if (height > 1 && (pitch < width * sizeof(T) || pitch % sizeof(T))) return false;
    heddle::u64 bytes = 0;
    if (__builtin_mul_overflow(height - 1, pitch, &bytes) ||
        __builtin_add_overflow(bytes, width * sizeof(T), &bytes)) {
      return false;
    }
    return is_device_range(base, bytes);
  }

  void execute() const {
    for (size_t y = 0; y < height; ++y) {
      std::fill_n(reinterpret_cast<T*>(base + y * pitch), width, value);
    }
  }
};

template <class T>
CUresult fill(const Fill<T>& what, CUstream handle) {
  return in_context([&](Context& context) -> CUresult {
    const auto stream = context.stream(handle);
    if (!stream) return CUDA_ERROR_INVALID_HANDLE;
    if (!what.width || !what.height) return CUDA_SUCCESS;
    if (!what.is_good()) return CUDA_ERROR_INVALID_VALUE;
    context.enqueue(*stream, [what] { what.execute(); });
    return CUDA_SUCCESS;
  });
}

template <class T>
CUresult row(CUdeviceptr to, T value, size_t count, CUstream stream) {
  return fill(Fill<T>{to, 0, value, count, 1}, stream);
}

template <class T>
CUresult rows(CUdeviceptr to, size_t pitch, T value, size_t width, size_t height, CUstream stream) {
  return fill(Fill<T>{to, pitch, value, width, height}, stream);
}

}  // namespace

CUresult cuMemsetD8_v2(CUdeviceptr dstDevice, unsigned char uc, size_t N) {
  return row(dstDevice, uc, N, nullptr);
}
CUresult cuMemsetD16_v2(CUdeviceptr dstDevice, unsigned short us, size_t N) {
  return row(dstDevice, us, N, nullptr);
}
CUresult cuMemsetD32_v2(CUdeviceptr dstDevice, unsigned int ui, size_t N) {
  return row(dstDevice, ui, N, nullptr);
}
CUresult cuMemsetD2D8_v2(CUdeviceptr dstDevice, size_t dstPitch, unsigned char uc, size_t Width,
                         size_t Height) {
  return rows(dstDevice, dstPitch, uc, Width, Height, nullptr);
}
CUresult cuMemsetD2D16_v2(CUdeviceptr dstDevice, size_t dstPitch, unsigned short us, size_t Width,
                          size_t Height) {
  return rows(dstDevice, dstPitch, us, Width, Height, nullptr);
}
CUresult cuMemsetD2D32_v2(CUdeviceptr dstDevice, size_t dstPitch, unsigned int ui, size_t Width,
                          size_t Height) {
  return rows(dstDevice, dstPitch, ui, Width, Height, nullptr);
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
