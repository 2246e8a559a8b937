// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Waiting for and writing a word of memory as work of a stream. Driver API 6.21.
#include <atomic>
#include <thread>

#include "driver/api.h"
#include "driver/core/call.h"

using namespace heddle::driver;

namespace {

template <class T>
bool holds(T now, T value, unsigned condition) {
  switch (condition) {
    case CU_STREAM_WAIT_VALUE_GEQ:
      return static_cast<std::make_signed_t<T>>(now - value) >= 0;
    case CU_STREAM_WAIT_VALUE_EQ:
      return now == value;
    case CU_STREAM_WAIT_VALUE_AND:
      return (now & value) != 0;
    default:
      return ~(now | value) != 0;  // CU_STREAM_WAIT_VALUE_NOR
  }
}

template <class T>
CUresult with_word(CUstream handle, CUdeviceptr address, heddle::driver::Stream::Work work) {
  return in_context([&](Context& context) -> CUresult {
    const auto stream = context.stream(handle);
    if (!stream) return CUDA_ERROR_INVALID_HANDLE;
    if (address % sizeof(T) || !is_device_range(address, sizeof(T)))
      return CUDA_ERROR_INVALID_VALUE;
    context.enqueue(*stream, std::move(work));
    return CUDA_SUCCESS;
  });
}

template <class T>
std::atomic_ref<T> word(CUdeviceptr address) {
  return std::atomic_ref<T>(*reinterpret_cast<T*>(address));
}

// Flushing remote writes (CU_STREAM_WAIT_VALUE_FLUSH) has nothing to do: there is one memory.
template <class T>
CUresult wait_for(CUstream stream, CUdeviceptr address, T value, unsigned flags) {
  const unsigned condition = flags & ~static_cast<unsigned>(CU_STREAM_WAIT_VALUE_FLUSH);
  if (condition > CU_STREAM_WAIT_VALUE_NOR) {
    return in_context([](Context&) { return CUDA_ERROR_INVALID_VALUE; });
  }
  return with_word<T>(stream, address, [=] {
    while (!holds(word<T>(address).load(), value, condition) && !state().exiting) {
      std::this_thread::yield();
    }
  });
}

template <class T>
CUresult write(CUstream stream, CUdeviceptr address, T value, unsigned flags) {
  if (flags & ~static_cast<unsigned>(CU_STREAM_WRITE_VALUE_NO_MEMORY_BARRIER)) {
    return in_context([](Context&) { return CUDA_ERROR_INVALID_VALUE; });
  }
  return with_word<T>(stream, address, [=] { word<T>(address).store(value); });
}

}  // namespace

CUresult cuStreamWaitValue32(CUstream stream, CUdeviceptr addr, cuuint32_t value,
                             unsigned int flags) {
  return wait_for(stream, addr, value, flags);
}
CUresult cuStreamWaitValue32_v2(CUstream stream, CUdeviceptr addr, cuuint32_t value,
                                unsigned int flags) {
  return wait_for(stream, addr, value, flags);
}
CUresult cuStreamWaitValue64(CUstream stream, CUdeviceptr addr, cuuint64_t value,
                             unsigned int flags) {
  return wait_for(stream, addr, value, flags);
}
CUresult cuStreamWaitValue64_v2(CUstream stream, CUdeviceptr addr, cuuint64_t value,
                                unsigned int flags) {
  return wait_for(stream, addr, value, flags);
}
CUresult cuStreamWriteValue32(CUstream stream, CUdeviceptr addr, cuuint32_t value,
                              unsigned int flags) {
  return write(stream, addr, value, flags);
}
CUresult cuStreamWriteValue32_v2(CUstream stream, CUdeviceptr addr, cuuint32_t value,
                                 unsigned int flags) {
  return write(stream, addr, value, flags);
}
CUresult cuStreamWriteValue64(CUstream stream, CUdeviceptr addr, cuuint64_t value,
                              unsigned int flags) {
  return write(stream, addr, value, flags);
}
CUresult cuStreamWriteValue64_v2(CUstream stream, CUdeviceptr addr, cuuint64_t value,
                                 unsigned int flags) {
  return write(stream, addr, value, flags);
}
