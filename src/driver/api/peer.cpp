// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Access between devices. Driver API 6.31. All device memory lies in one address space, so every
// device can reach every other. Which accesses are enabled is kept for queries only.
#include "driver/api.h"
#include "driver/core/context/call.h"
#include "driver/core/context/device.h"

using namespace heddle::driver;

CUresult cuDeviceCanAccessPeer(int* canAccessPeer, CUdevice dev, CUdevice peerDev) {
  return with_device(dev, [&](Device& device) {
    return with_device(peerDev, [&](Device& peer) -> CUresult {
      if (!canAccessPeer) return CUDA_ERROR_INVALID_VALUE;
      *canAccessPeer = &device != &peer;
      return CUDA_SUCCESS;
    });
  });
}

CUresult cuDeviceGetP2PAttribute(int* value, CUdevice_P2PAttribute attrib, CUdevice srcDevice,
                                 CUdevice dstDevice) {
  return with_device(srcDevice, [&](Device& source) {
    return with_device(dstDevice, [&](Device& target) -> CUresult {
      if (&source == &target) return CUDA_ERROR_INVALID_DEVICE;
      if (!value) return CUDA_ERROR_INVALID_VALUE;
      switch (attrib) {
        case CU_DEVICE_P2P_ATTRIBUTE_ACCESS_SUPPORTED:
        case CU_DEVICE_P2P_ATTRIBUTE_NATIVE_ATOMIC_SUPPORTED:
          *value = 1;
          return CUDA_SUCCESS;
        case CU_DEVICE_P2P_ATTRIBUTE_PERFORMANCE_RANK:
        case CU_DEVICE_P2P_ATTRIBUTE_CUDA_ARRAY_ACCESS_SUPPORTED:
        case CU_DEVICE_P2P_ATTRIBUTE_ONLY_PARTIAL_NATIVE_ATOMIC_SUPPORTED:
          *value = 0;
          return CUDA_SUCCESS;
        default:
          return CUDA_ERROR_INVALID_VALUE;
      }
    });
  });
}

CUresult cuCtxEnablePeerAccess(CUcontext peerContext, unsigned int Flags) {
  return in_context([&](Context& context) -> CUresult {
    const auto peer = find_context(peerContext);
    if (!peer || peer.get() == &context) return CUDA_ERROR_INVALID_CONTEXT;
    if (Flags) return CUDA_ERROR_INVALID_VALUE;
    if (&peer->device() == &context.device()) return CUDA_ERROR_PEER_ACCESS_UNSUPPORTED;
    const bool added =
        context.settings([&](auto& settings) { return settings.peers.insert(peer.get()).second; });
    return added ? CUDA_SUCCESS : CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED;
  });
}

CUresult cuCtxDisablePeerAccess(CUcontext peerContext) {
  return in_context([&](Context& context) -> CUresult {
    const auto peer = find_context(peerContext);
    if (!peer) return CUDA_ERROR_INVALID_CONTEXT;
    const bool removed =
        context.settings([&](auto& settings) { return settings.peers.erase(peer.get()) > 0; });
    return removed ? CUDA_SUCCESS : CUDA_ERROR_PEER_ACCESS_NOT_ENABLED;
  });
}
