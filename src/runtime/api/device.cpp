// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Devices: their list, the current device of a thread, flags. Runtime API 6.1.
#include "driver/api.h"
#include "runtime/bodies.h"
#include "runtime/core/context.h"

namespace heddle::runtime {
namespace {

/// The number of devices; a failure also when there are none.
cudaError_t count_devices(int& count) {
  count = 0;
  if (const cudaError_t error = use_driver()) return error;
  if (const CUresult result = cuDeviceGetCount(&count)) return from_driver(result);
  return count ? cudaSuccess : cudaErrorNoDevice;
}

cudaError_t check(int device) {
  int count = 0;
  if (const cudaError_t error = count_devices(count)) return error;
  return device >= 0 && device < count ? cudaSuccess : cudaErrorInvalidDevice;
}

}  // namespace

cudaError_t cudaGetDeviceCount(int* count) {
  return count ? count_devices(*count) : cudaErrorInvalidValue;
}

cudaError_t cudaSetDevice(int device) {
  if (const cudaError_t error = check(device)) return error;
  return choose_device(device);
}

cudaError_t cudaGetDevice(int* device) {
  return device ? current_device(*device) : cudaErrorInvalidValue;
}

// The runtime tries the devices in this order and takes the first free one; in Heddle that is
// always the first.
cudaError_t cudaSetValidDevices(int* device_arr, int len) {
  if (len < 0 || (len && !device_arr)) return cudaErrorInvalidValue;
  for (int i = 0; i < len; ++i) {
    if (const cudaError_t error = check(device_arr[i])) return error;
  }
  prefer_device(len ? device_arr[0] : 0);
  return cudaSuccess;
}

cudaError_t cudaInitDevice(int device, unsigned int deviceFlags, unsigned int flags) {
  if (flags & ~static_cast<unsigned>(cudaInitDeviceFlagsAreValid)) return cudaErrorInvalidValue;
  if (const cudaError_t error = check(device)) return error;
  if (flags) {
    if (const CUresult result = cuDevicePrimaryCtxSetFlags_v2(device, deviceFlags)) {
      return from_driver(result);
    }
  }
  CUcontext context = nullptr;
  return primary_context(device, context);
}

// Destroys the contents of the device; the context's handle stays valid: the driver resets the
// context.
cudaError_t cudaDeviceReset(void) {
  int device = 0;
  if (const cudaError_t error = current_device(device)) return error;
  clear_last_error();
  return from_driver(cuDevicePrimaryCtxReset_v2(device));
}

cudaError_t cudaThreadExit(void) { return cudaDeviceReset(); }

cudaError_t cudaSetDeviceFlags(unsigned int flags) {
  int device = 0;
  if (const cudaError_t error = current_device(device)) return error;
  return from_driver(cuDevicePrimaryCtxSetFlags_v2(device, flags));
}

// Mapping of pinned memory is always on in the runtime.
cudaError_t cudaGetDeviceFlags(unsigned int* flags) {
  if (!flags) return cudaErrorInvalidValue;
  int device = 0, active = 0;
  if (const cudaError_t error = current_device(device)) return error;
  const CUresult result = cuDevicePrimaryCtxGetState(device, flags, &active);
  *flags |= cudaDeviceMapHost;
  return from_driver(result);
}

// These two functions are for devices without double precision, which do not exist any more.
cudaError_t cudaSetDoubleForDevice(double*) { return cudaSuccess; }
cudaError_t cudaSetDoubleForHost(double*) { return cudaSuccess; }

cudaError_t cudaDeviceEnablePeerAccess(int peerDevice, unsigned int flags) {
  if (const cudaError_t error = check(peerDevice)) return error;
  CUcontext peer = nullptr;
  if (const cudaError_t error = primary_context(peerDevice, peer)) return error;
  int device = 0;
  if (const cudaError_t error = current_device(device)) return error;
  if (device == peerDevice) return cudaErrorInvalidDevice;
  return in_context([&] { return cuCtxEnablePeerAccess(peer, flags); });
}

cudaError_t cudaDeviceDisablePeerAccess(int peerDevice) {
  if (const cudaError_t error = check(peerDevice)) return error;
  CUcontext peer = nullptr;
  if (const cudaError_t error = primary_context(peerDevice, peer)) return error;
  return in_context([&] { return cuCtxDisablePeerAccess(peer); });
}

}  // namespace heddle::runtime
