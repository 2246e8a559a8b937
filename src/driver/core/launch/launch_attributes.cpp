// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See launch_attributes.h.
#include "driver/core/launch/launch_attributes.h"

#include "driver/core/log.h"

namespace heddle::driver {
namespace {

// A device need not use the preferred cluster size, and Heddle's never do. Hints about scheduling
// and caches change no result: a dependent launch may begin early, but need not. An event that a
// launch may record early is recorded when the kernel is done.
CUresult read(const CUlaunchAttribute& attribute, LaunchOptions& out) {
  switch (attribute.id) {
    case CU_LAUNCH_ATTRIBUTE_IGNORE:
    case CU_LAUNCH_ATTRIBUTE_PREFERRED_CLUSTER_DIMENSION:
    case CU_LAUNCH_ATTRIBUTE_ACCESS_POLICY_WINDOW:
    case CU_LAUNCH_ATTRIBUTE_SYNCHRONIZATION_POLICY:
    case CU_LAUNCH_ATTRIBUTE_CLUSTER_SCHEDULING_POLICY_PREFERENCE:
    case CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION:
    case CU_LAUNCH_ATTRIBUTE_MEM_SYNC_DOMAIN_MAP:
    case CU_LAUNCH_ATTRIBUTE_MEM_SYNC_DOMAIN:
    case CU_LAUNCH_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT:
    case CU_LAUNCH_ATTRIBUTE_NVLINK_UTIL_CENTRIC_SCHEDULING:
      return CUDA_SUCCESS;
    case CU_LAUNCH_ATTRIBUTE_PRIORITY:
      out.priority = attribute.value.priority;
      return CUDA_SUCCESS;
    case CU_LAUNCH_ATTRIBUTE_COOPERATIVE:
      out.cooperative = attribute.value.cooperative != 0;
      return CUDA_SUCCESS;
    case CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION: {
      const auto& size = attribute.value.clusterDim;
      out.cluster = {size.x, size.y, size.z};
      return CUDA_SUCCESS;
    }
    case CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_EVENT:
      out.event = attribute.value.programmaticEvent.event;
      return CUDA_SUCCESS;
    case CU_LAUNCH_ATTRIBUTE_LAUNCH_COMPLETION_EVENT:
      out.event = attribute.value.launchCompletionEvent.event;
      return CUDA_SUCCESS;
    case CU_LAUNCH_ATTRIBUTE_DEVICE_UPDATABLE_KERNEL_NODE:
      return attribute.value.deviceUpdatableKernelNode.deviceUpdatable ? CUDA_ERROR_NOT_SUPPORTED
                                                                       : CUDA_SUCCESS;
    default:
      return CUDA_ERROR_INVALID_VALUE;
  }
}

}  // namespace

CUresult read_attributes(std::span<const CUlaunchAttribute> attributes, LaunchOptions& out) {
  for (const auto& attribute : attributes) {
    const CUresult bad = read(attribute, out);
    if (!bad) continue;
    say_once("launch attribute {} {}", static_cast<int>(attribute.id),
             bad == CUDA_ERROR_NOT_SUPPORTED ? "with this value is not supported" : "is not known");
    return bad;
  }
  return CUDA_SUCCESS;
}

}  // namespace heddle::driver
