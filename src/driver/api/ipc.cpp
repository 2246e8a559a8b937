// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Memory and events of other processes. Driver API 6.13 (cuIpc*).
#include "driver/core/memory/ipc.h"

#include <cstring>

#include "driver/api.h"
#include "driver/core/memory/allocation.h"
#include "driver/core/stream/in_stream.h"
#include "driver/core/stream/tables.h"

using namespace heddle::driver;

namespace {

template <class Handle>
Handle pack(const SharedHandle& from) {
  Handle handle{};
  std::memcpy(handle.reserved, &from, sizeof from);
  return handle;
}

template <class Handle>
SharedHandle unpack(const Handle& from) {
  SharedHandle handle;
  std::memcpy(&handle, from.reserved, sizeof handle);
  return handle;
}

CUresult open(CUdeviceptr* pdptr, const CUipcMemHandle& handle, unsigned flags) {
  return in_context([&](Context& context) -> CUresult {
    if (!pdptr || (flags & ~static_cast<unsigned>(CU_IPC_MEM_LAZY_ENABLE_PEER_ACCESS))) {
      return CUDA_ERROR_INVALID_VALUE;
    }
    heddle::u64 address = 0;
    const CUresult result = import_memory(unpack(handle), context.device(), address);
    if (result == CUDA_SUCCESS) *pdptr = address;
    return result;
  });
}

}  // namespace

CUresult cuIpcGetMemHandle(CUipcMemHandle* pHandle, CUdeviceptr dptr) {
  return in_context([&](Context&) -> CUresult {
    if (!pHandle) return CUDA_ERROR_INVALID_VALUE;
    const auto found = allocations().find(dptr);
    if (!found || found->pool) return CUDA_ERROR_INVALID_VALUE;
    // The handle stands for the whole allocation, also when `dptr` lies inside it.
    SharedHandle handle;
    if (const CUresult bad = export_memory(found->base, handle)) return bad;
    *pHandle = pack<CUipcMemHandle>(handle);
    return CUDA_SUCCESS;
  });
}

CUresult cuIpcOpenMemHandle(CUdeviceptr* pdptr, CUipcMemHandle handle, unsigned int Flags) {
  return open(pdptr, handle, Flags);
}
CUresult cuIpcOpenMemHandle_v2(CUdeviceptr* pdptr, CUipcMemHandle handle, unsigned int Flags) {
  return open(pdptr, handle, Flags);
}

CUresult cuIpcCloseMemHandle(CUdeviceptr dptr) {
  return in_context([&](Context& context) -> CUresult {
    if (const CUresult error = context.synchronize()) return error;
    return close_imported(dptr);
  });
}

CUresult cuIpcGetEventHandle(CUipcEventHandle* pHandle, CUevent event) {
  return in_context([&](Context&) -> CUresult {
    const auto found = stream_tables().events.find(event);
    if (!found) return CUDA_ERROR_INVALID_HANDLE;
    if (!pHandle || !found->shared()) return CUDA_ERROR_INVALID_VALUE;
    *pHandle = pack<CUipcEventHandle>(found->shared()->handle());
    return CUDA_SUCCESS;
  });
}

CUresult cuIpcOpenEventHandle(CUevent* phEvent, CUipcEventHandle handle) {
  return in_context([&](Context& context) -> CUresult {
    if (!phEvent) return CUDA_ERROR_INVALID_VALUE;
    auto shared = SharedMark::import(unpack(handle));
    if (!shared) return CUDA_ERROR_INVALID_HANDLE;
    constexpr unsigned kFlags = CU_EVENT_INTERPROCESS | CU_EVENT_DISABLE_TIMING;
    *phEvent =
        stream_tables().events.add(std::make_shared<Event>(&context, kFlags, std::move(shared)));
    return CUDA_SUCCESS;
  });
}
