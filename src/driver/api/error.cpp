// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Names and texts of error codes. Driver API 6.2. Programs print and sometimes compare these texts,
// so they say what the rest of the CUDA world says for the same code.
#include "driver/api.h"

namespace heddle::driver {
namespace {

struct ErrorText {
  const char* name;
  const char* text;
};

// A code without a case does not compile.
#pragma GCC diagnostic error "-Wswitch"

#define HEDDLE_ERROR(code, text) \
  case code:                     \
    return {#code, text};

ErrorText error_text(CUresult code) {
  switch (code) {
    HEDDLE_ERROR(CUDA_SUCCESS, "no error")
    HEDDLE_ERROR(CUDA_ERROR_INVALID_VALUE, "invalid argument")
    HEDDLE_ERROR(CUDA_ERROR_OUT_OF_MEMORY, "out of memory")
    HEDDLE_ERROR(CUDA_ERROR_NOT_INITIALIZED, "initialization error")
    HEDDLE_ERROR(CUDA_ERROR_DEINITIALIZED, "driver shutting down")
    HEDDLE_ERROR(CUDA_ERROR_PROFILER_DISABLED,
                 "profiler disabled while using external profiling tool")
    HEDDLE_ERROR(CUDA_ERROR_PROFILER_NOT_INITIALIZED, "profiler not initialized")
    HEDDLE_ERROR(CUDA_ERROR_PROFILER_ALREADY_STARTED, "profiler already started")
    HEDDLE_ERROR(CUDA_ERROR_PROFILER_ALREADY_STOPPED, "profiler already stopped")
    HEDDLE_ERROR(CUDA_ERROR_STUB_LIBRARY, "CUDA driver is a stub library")
    HEDDLE_ERROR(CUDA_ERROR_CALL_REQUIRES_NEWER_DRIVER, "API call requires a newer CUDA driver")
    HEDDLE_ERROR(CUDA_ERROR_DEVICE_UNAVAILABLE, "CUDA-capable device(s) is/are busy or unavailable")
    HEDDLE_ERROR(CUDA_ERROR_NO_DEVICE, "no CUDA-capable device is detected")
    HEDDLE_ERROR(CUDA_ERROR_INVALID_DEVICE, "invalid device ordinal")
    HEDDLE_ERROR(CUDA_ERROR_DEVICE_NOT_LICENSED, "device has no valid license")
    HEDDLE_ERROR(CUDA_ERROR_INVALID_IMAGE, "device kernel image is invalid")
    HEDDLE_ERROR(CUDA_ERROR_INVALID_CONTEXT, "invalid device context")
    HEDDLE_ERROR(CUDA_ERROR_CONTEXT_ALREADY_CURRENT, "context already current")
    HEDDLE_ERROR(CUDA_ERROR_MAP_FAILED, "mapping of buffer object failed")
    HEDDLE_ERROR(CUDA_ERROR_UNMAP_FAILED, "unmapping of buffer object failed")
    HEDDLE_ERROR(CUDA_ERROR_ARRAY_IS_MAPPED, "array is mapped")
    HEDDLE_ERROR(CUDA_ERROR_ALREADY_MAPPED, "resource already mapped")
    HEDDLE_ERROR(CUDA_ERROR_NO_BINARY_FOR_GPU,
                 "no kernel image is available for execution on the device")
    HEDDLE_ERROR(CUDA_ERROR_ALREADY_ACQUIRED, "resource already acquired")
    HEDDLE_ERROR(CUDA_ERROR_NOT_MAPPED, "resource not mapped")
    HEDDLE_ERROR(CUDA_ERROR_NOT_MAPPED_AS_ARRAY, "resource not mapped as array")
    HEDDLE_ERROR(CUDA_ERROR_NOT_MAPPED_AS_POINTER, "resource not mapped as pointer")
    HEDDLE_ERROR(CUDA_ERROR_ECC_UNCORRECTABLE, "uncorrectable ECC error encountered")
    HEDDLE_ERROR(CUDA_ERROR_UNSUPPORTED_LIMIT, "limit is not supported on this architecture")
    HEDDLE_ERROR(CUDA_ERROR_CONTEXT_ALREADY_IN_USE,
                 "exclusive-thread device already in use by a different thread")
    HEDDLE_ERROR(CUDA_ERROR_PEER_ACCESS_UNSUPPORTED,
                 "peer access is not supported between these two devices")
    HEDDLE_ERROR(CUDA_ERROR_INVALID_PTX, "a PTX JIT compilation failed")
    HEDDLE_ERROR(CUDA_ERROR_INVALID_GRAPHICS_CONTEXT, "invalid OpenGL or DirectX context")
    HEDDLE_ERROR(CUDA_ERROR_NVLINK_UNCORRECTABLE, "uncorrectable NVLink error detected")
    HEDDLE_ERROR(CUDA_ERROR_JIT_COMPILER_NOT_FOUND, "PTX JIT compiler library not found")
    HEDDLE_ERROR(CUDA_ERROR_UNSUPPORTED_PTX_VERSION,
                 "the provided PTX was compiled with an unsupported toolchain.")
    HEDDLE_ERROR(CUDA_ERROR_JIT_COMPILATION_DISABLED, "PTX JIT compilation was disabled")
    HEDDLE_ERROR(CUDA_ERROR_UNSUPPORTED_EXEC_AFFINITY,
                 "the provided execution affinity is not supported")
    HEDDLE_ERROR(CUDA_ERROR_UNSUPPORTED_DEVSIDE_SYNC,
                 "the provided PTX contains unsupported call to cudaDeviceSynchronize")
    HEDDLE_ERROR(CUDA_ERROR_CONTAINED, "the error was contained to the faulting context")
    HEDDLE_ERROR(CUDA_ERROR_INVALID_SOURCE, "device kernel image is invalid")
    HEDDLE_ERROR(CUDA_ERROR_FILE_NOT_FOUND, "file not found")
    HEDDLE_ERROR(CUDA_ERROR_SHARED_OBJECT_SYMBOL_NOT_FOUND, "shared object symbol not found")
    HEDDLE_ERROR(CUDA_ERROR_SHARED_OBJECT_INIT_FAILED, "shared object initialization failed")
    HEDDLE_ERROR(CUDA_ERROR_OPERATING_SYSTEM,
                 "OS call failed or operation not supported on this OS")
    HEDDLE_ERROR(CUDA_ERROR_INVALID_HANDLE, "invalid resource handle")
    HEDDLE_ERROR(CUDA_ERROR_ILLEGAL_STATE, "the operation cannot be performed in the present state")
    HEDDLE_ERROR(CUDA_ERROR_LOSSY_QUERY, "the query would lose information in this API version")
    HEDDLE_ERROR(CUDA_ERROR_NOT_FOUND, "named symbol not found")
    HEDDLE_ERROR(CUDA_ERROR_NOT_READY, "device not ready")
    HEDDLE_ERROR(CUDA_ERROR_ILLEGAL_ADDRESS, "an illegal memory access was encountered")
    HEDDLE_ERROR(CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES, "too many resources requested for launch")
    HEDDLE_ERROR(CUDA_ERROR_LAUNCH_TIMEOUT, "the launch timed out and was terminated")
    HEDDLE_ERROR(CUDA_ERROR_LAUNCH_INCOMPATIBLE_TEXTURING,
                 "launch uses incompatible texturing mode")
    HEDDLE_ERROR(CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED, "peer access is already enabled")
    HEDDLE_ERROR(CUDA_ERROR_PEER_ACCESS_NOT_ENABLED, "peer access has not been enabled")
    HEDDLE_ERROR(CUDA_ERROR_PRIMARY_CONTEXT_ACTIVE,
                 "the primary context of the device has already been initialized")
    HEDDLE_ERROR(CUDA_ERROR_CONTEXT_IS_DESTROYED, "context is destroyed")
    HEDDLE_ERROR(CUDA_ERROR_ASSERT, "device-side assert triggered")
    HEDDLE_ERROR(CUDA_ERROR_TOO_MANY_PEERS, "peer mapping resources exhausted")
    HEDDLE_ERROR(CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED,
                 "part or all of the requested memory range is already mapped")
    HEDDLE_ERROR(CUDA_ERROR_HOST_MEMORY_NOT_REGISTERED,
                 "pointer does not correspond to a registered memory region")
    HEDDLE_ERROR(CUDA_ERROR_HARDWARE_STACK_ERROR, "hardware stack error")
    HEDDLE_ERROR(CUDA_ERROR_ILLEGAL_INSTRUCTION, "an illegal instruction was encountered")
    HEDDLE_ERROR(CUDA_ERROR_MISALIGNED_ADDRESS, "misaligned address")
    HEDDLE_ERROR(CUDA_ERROR_INVALID_ADDRESS_SPACE,
                 "operation not supported on global/shared address space")
    HEDDLE_ERROR(CUDA_ERROR_INVALID_PC, "invalid program counter")
    HEDDLE_ERROR(CUDA_ERROR_LAUNCH_FAILED, "unspecified launch failure")
    HEDDLE_ERROR(CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE, "too many blocks in cooperative launch")
    HEDDLE_ERROR(CUDA_ERROR_TENSOR_MEMORY_LEAK, "tensor memory was not completely freed")
    HEDDLE_ERROR(CUDA_ERROR_NOT_PERMITTED, "operation not permitted")
    HEDDLE_ERROR(CUDA_ERROR_NOT_SUPPORTED, "operation not supported")
    HEDDLE_ERROR(CUDA_ERROR_SYSTEM_NOT_READY, "system not yet initialized")
    HEDDLE_ERROR(CUDA_ERROR_SYSTEM_DRIVER_MISMATCH,
                 "system has unsupported display driver / cuda driver combination")
    HEDDLE_ERROR(CUDA_ERROR_COMPAT_NOT_SUPPORTED_ON_DEVICE,
                 "forward compatibility was attempted on non supported HW")
    HEDDLE_ERROR(CUDA_ERROR_MPS_CONNECTION_FAILED, "MPS client failed to connect to the MPS server")
    HEDDLE_ERROR(CUDA_ERROR_MPS_RPC_FAILURE, "remote procedure call to the MPS server failed")
    HEDDLE_ERROR(CUDA_ERROR_MPS_SERVER_NOT_READY, "MPS server is not ready to accept new clients")
    HEDDLE_ERROR(CUDA_ERROR_MPS_MAX_CLIENTS_REACHED, "too many MPS clients")
    HEDDLE_ERROR(CUDA_ERROR_MPS_MAX_CONNECTIONS_REACHED, "too many MPS device connections")
    HEDDLE_ERROR(CUDA_ERROR_MPS_CLIENT_TERMINATED, "MPS client was terminated by the server")
    HEDDLE_ERROR(CUDA_ERROR_CDP_NOT_SUPPORTED, "the module needs CUDA Dynamic Parallelism")
    HEDDLE_ERROR(CUDA_ERROR_CDP_VERSION_MISMATCH,
                 "modules use incompatible versions of CUDA Dynamic Parallelism")
    HEDDLE_ERROR(CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED,
                 "operation not permitted when stream is capturing")
    HEDDLE_ERROR(CUDA_ERROR_STREAM_CAPTURE_INVALIDATED,
                 "operation failed due to a previous error during capture")
    HEDDLE_ERROR(CUDA_ERROR_STREAM_CAPTURE_MERGE,
                 "operation would result in a merge of separate capture sequences")
    HEDDLE_ERROR(CUDA_ERROR_STREAM_CAPTURE_UNMATCHED,
                 "capture was not ended in the same stream as it began")
    HEDDLE_ERROR(CUDA_ERROR_STREAM_CAPTURE_UNJOINED, "capturing stream has unjoined work")
    HEDDLE_ERROR(CUDA_ERROR_STREAM_CAPTURE_ISOLATION,
                 "dependency created on uncaptured work in another stream")
    HEDDLE_ERROR(CUDA_ERROR_STREAM_CAPTURE_IMPLICIT,
                 "operation would make the legacy stream depend on a capturing blocking stream")
    HEDDLE_ERROR(CUDA_ERROR_CAPTURED_EVENT,
                 "operation not permitted on an event last recorded in a capturing stream")
    HEDDLE_ERROR(CUDA_ERROR_STREAM_CAPTURE_WRONG_THREAD,
                 "attempt to terminate a thread-local capture sequence from another thread")
    HEDDLE_ERROR(CUDA_ERROR_TIMEOUT, "wait operation timed out")
    HEDDLE_ERROR(CUDA_ERROR_GRAPH_EXEC_UPDATE_FAILURE,
                 "the graph update was not performed because it included changes which violated "
                 "constraints specific to instantiated graph update")
    HEDDLE_ERROR(CUDA_ERROR_EXTERNAL_DEVICE, "an error in an external device made the work fail")
    HEDDLE_ERROR(CUDA_ERROR_INVALID_CLUSTER_SIZE, "cluster misconfiguration")
    HEDDLE_ERROR(CUDA_ERROR_FUNCTION_NOT_LOADED, "function handle not loaded")
    HEDDLE_ERROR(CUDA_ERROR_INVALID_RESOURCE_TYPE, "resource type is not valid for the operation")
    HEDDLE_ERROR(CUDA_ERROR_INVALID_RESOURCE_CONFIGURATION,
                 "resource configuration is insufficient or not valid")
    HEDDLE_ERROR(CUDA_ERROR_KEY_ROTATION, "key rotation is in progress")
    HEDDLE_ERROR(CUDA_ERROR_UNKNOWN, "unknown error")
  }
  return {nullptr, nullptr};
}

CUresult answer(const char* text, const char** out) {
  if (!out) return CUDA_ERROR_INVALID_VALUE;
  *out = text;
  return text ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

}  // namespace
}  // namespace heddle::driver

CUresult cuGetErrorName(CUresult error, const char** pStr) {
  return heddle::driver::answer(heddle::driver::error_text(error).name, pStr);
}

CUresult cuGetErrorString(CUresult error, const char** pStr) {
  return heddle::driver::answer(heddle::driver::error_text(error).text, pStr);
}
