// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The properties structure, with the layouts of CUDA 13 and of CUDA 12. Runtime API 6.1. Nearly
// every member is a device attribute under another name.
#include "driver/api.h"
#include "runtime/bodies.h"
#include "runtime/core/context.h"

namespace heddle::runtime {
namespace {

/// Reads attributes into members and keeps the first error.
class Reader {
 public:
  explicit Reader(CUdevice device) : device_(device) {}

  template <class T>
  void operator()(T& member, CUdevice_attribute attribute) {
    int value = 0;
    check(cuDeviceGetAttribute(&value, attribute, device_));
    member = static_cast<T>(value);
  }
  template <class... Attributes>
  void operator()(int (&members)[sizeof...(Attributes)], Attributes... attributes) {
    int i = 0;
    ((*this)(members[i++], attributes), ...);
  }
  void check(CUresult result) {
    if (!result_) result_ = result;
  }
  CUresult result() const { return result_; }

 private:
  CUdevice device_;
  CUresult result_ = CUDA_SUCCESS;
};

// Reads a member that only one of the two structures has.
#define HEDDLE_READ_IF_THERE(member, attribute)               \
  if constexpr (requires { properties.member; }) {            \
    read(properties.member, CU_DEVICE_ATTRIBUTE_##attribute); \
  }

template <class Properties>
cudaError_t get(Properties* out, int device) {
  if (!out) return cudaErrorInvalidValue;
  if (const cudaError_t error = use_driver()) return error;
  Properties properties{};
  if (const CUresult result = cuDeviceGetName(properties.name, sizeof properties.name, device)) {
    return from_driver(result);
  }
  Reader read(device);
  read.check(cuDeviceGetUuid_v2(&properties.uuid, device));
  read.check(cuDeviceTotalMem_v2(&properties.totalGlobalMem, device));
  read(properties.sharedMemPerBlock, CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK);
  read(properties.regsPerBlock, CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_BLOCK);
  read(properties.warpSize, CU_DEVICE_ATTRIBUTE_WARP_SIZE);
  read(properties.memPitch, CU_DEVICE_ATTRIBUTE_MAX_PITCH);
  read(properties.maxThreadsPerBlock, CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK);
  read(properties.maxThreadsDim, CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_X,
       CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Y, CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Z);
  read(properties.maxGridSize, CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_X,
       CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Y, CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Z);
  HEDDLE_READ_IF_THERE(clockRate, CLOCK_RATE)
  read(properties.totalConstMem, CU_DEVICE_ATTRIBUTE_TOTAL_CONSTANT_MEMORY);
  read(properties.major, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR);
  read(properties.minor, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR);
  read(properties.textureAlignment, CU_DEVICE_ATTRIBUTE_TEXTURE_ALIGNMENT);
  read(properties.texturePitchAlignment, CU_DEVICE_ATTRIBUTE_TEXTURE_PITCH_ALIGNMENT);
  HEDDLE_READ_IF_THERE(deviceOverlap, GPU_OVERLAP)
  read(properties.multiProcessorCount, CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT);
  HEDDLE_READ_IF_THERE(kernelExecTimeoutEnabled, KERNEL_EXEC_TIMEOUT)
  read(properties.integrated, CU_DEVICE_ATTRIBUTE_INTEGRATED);
  read(properties.canMapHostMemory, CU_DEVICE_ATTRIBUTE_CAN_MAP_HOST_MEMORY);
  HEDDLE_READ_IF_THERE(computeMode, COMPUTE_MODE)
  read(properties.maxTexture1D, CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE1D_WIDTH);
  read(properties.maxTexture1DMipmap, CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE1D_MIPMAPPED_WIDTH);
  HEDDLE_READ_IF_THERE(maxTexture1DLinear, MAXIMUM_TEXTURE1D_LINEAR_WIDTH)
  read(properties.maxTexture2D, CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE2D_WIDTH,
       CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE2D_HEIGHT);
  read(properties.maxTexture2DMipmap, CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE2D_MIPMAPPED_WIDTH,
       CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE2D_MIPMAPPED_HEIGHT);
  read(properties.maxTexture2DLinear, CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE2D_LINEAR_WIDTH,
       CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE2D_LINEAR_HEIGHT,
       CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE2D_LINEAR_PITCH);
  read(properties.maxTexture2DGather, CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE2D_GATHER_WIDTH,
       CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE2D_GATHER_HEIGHT);
  read(properties.maxTexture3D, CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE3D_WIDTH,
       CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE3D_HEIGHT, CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE3D_DEPTH);
  read(properties.maxTexture3DAlt, CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE3D_WIDTH_ALTERNATE,
       CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE3D_HEIGHT_ALTERNATE,
       CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE3D_DEPTH_ALTERNATE);
  read(properties.maxTextureCubemap, CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURECUBEMAP_WIDTH);
  read(properties.maxTexture1DLayered, CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE1D_LAYERED_WIDTH,
       CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE1D_LAYERED_LAYERS);
  read(properties.maxTexture2DLayered, CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE2D_LAYERED_WIDTH,
       CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE2D_LAYERED_HEIGHT,
       CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE2D_LAYERED_LAYERS);
  read(properties.maxTextureCubemapLayered,
       CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURECUBEMAP_LAYERED_WIDTH,
       CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURECUBEMAP_LAYERED_LAYERS);
  read(properties.maxSurface1D, CU_DEVICE_ATTRIBUTE_MAXIMUM_SURFACE1D_WIDTH);
  read(properties.maxSurface2D, CU_DEVICE_ATTRIBUTE_MAXIMUM_SURFACE2D_WIDTH,
       CU_DEVICE_ATTRIBUTE_MAXIMUM_SURFACE2D_HEIGHT);
  read(properties.maxSurface3D, CU_DEVICE_ATTRIBUTE_MAXIMUM_SURFACE3D_WIDTH,
       CU_DEVICE_ATTRIBUTE_MAXIMUM_SURFACE3D_HEIGHT, CU_DEVICE_ATTRIBUTE_MAXIMUM_SURFACE3D_DEPTH);
  read(properties.maxSurface1DLayered, CU_DEVICE_ATTRIBUTE_MAXIMUM_SURFACE1D_LAYERED_WIDTH,
       CU_DEVICE_ATTRIBUTE_MAXIMUM_SURFACE1D_LAYERED_LAYERS);
  read(properties.maxSurface2DLayered, CU_DEVICE_ATTRIBUTE_MAXIMUM_SURFACE2D_LAYERED_WIDTH,
       CU_DEVICE_ATTRIBUTE_MAXIMUM_SURFACE2D_LAYERED_HEIGHT,
       CU_DEVICE_ATTRIBUTE_MAXIMUM_SURFACE2D_LAYERED_LAYERS);
  read(properties.maxSurfaceCubemap, CU_DEVICE_ATTRIBUTE_MAXIMUM_SURFACECUBEMAP_WIDTH);
  read(properties.maxSurfaceCubemapLayered,
       CU_DEVICE_ATTRIBUTE_MAXIMUM_SURFACECUBEMAP_LAYERED_WIDTH,
       CU_DEVICE_ATTRIBUTE_MAXIMUM_SURFACECUBEMAP_LAYERED_LAYERS);
  read(properties.surfaceAlignment, CU_DEVICE_ATTRIBUTE_SURFACE_ALIGNMENT);
  read(properties.concurrentKernels, CU_DEVICE_ATTRIBUTE_CONCURRENT_KERNELS);
  read(properties.ECCEnabled, CU_DEVICE_ATTRIBUTE_ECC_ENABLED);
  read(properties.pciBusID, CU_DEVICE_ATTRIBUTE_PCI_BUS_ID);
  read(properties.pciDeviceID, CU_DEVICE_ATTRIBUTE_PCI_DEVICE_ID);
  read(properties.pciDomainID, CU_DEVICE_ATTRIBUTE_PCI_DOMAIN_ID);
  read(properties.tccDriver, CU_DEVICE_ATTRIBUTE_TCC_DRIVER);
  read(properties.asyncEngineCount, CU_DEVICE_ATTRIBUTE_ASYNC_ENGINE_COUNT);
  read(properties.unifiedAddressing, CU_DEVICE_ATTRIBUTE_UNIFIED_ADDRESSING);
  HEDDLE_READ_IF_THERE(memoryClockRate, MEMORY_CLOCK_RATE)
  read(properties.memoryBusWidth, CU_DEVICE_ATTRIBUTE_GLOBAL_MEMORY_BUS_WIDTH);
  read(properties.l2CacheSize, CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE);
  read(properties.persistingL2CacheMaxSize, CU_DEVICE_ATTRIBUTE_MAX_PERSISTING_L2_CACHE_SIZE);
  read(properties.maxThreadsPerMultiProcessor, CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR);
  read(properties.streamPrioritiesSupported, CU_DEVICE_ATTRIBUTE_STREAM_PRIORITIES_SUPPORTED);
  read(properties.globalL1CacheSupported, CU_DEVICE_ATTRIBUTE_GLOBAL_L1_CACHE_SUPPORTED);
  read(properties.localL1CacheSupported, CU_DEVICE_ATTRIBUTE_LOCAL_L1_CACHE_SUPPORTED);
  read(properties.sharedMemPerMultiprocessor,
       CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_MULTIPROCESSOR);
  read(properties.regsPerMultiprocessor, CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_MULTIPROCESSOR);
  read(properties.managedMemory, CU_DEVICE_ATTRIBUTE_MANAGED_MEMORY);
  read(properties.isMultiGpuBoard, CU_DEVICE_ATTRIBUTE_MULTI_GPU_BOARD);
  read(properties.multiGpuBoardGroupID, CU_DEVICE_ATTRIBUTE_MULTI_GPU_BOARD_GROUP_ID);
  read(properties.hostNativeAtomicSupported, CU_DEVICE_ATTRIBUTE_HOST_NATIVE_ATOMIC_SUPPORTED);
  HEDDLE_READ_IF_THERE(singleToDoublePrecisionPerfRatio, SINGLE_TO_DOUBLE_PRECISION_PERF_RATIO)
  read(properties.pageableMemoryAccess, CU_DEVICE_ATTRIBUTE_PAGEABLE_MEMORY_ACCESS);
  read(properties.concurrentManagedAccess, CU_DEVICE_ATTRIBUTE_CONCURRENT_MANAGED_ACCESS);
  read(properties.computePreemptionSupported, CU_DEVICE_ATTRIBUTE_COMPUTE_PREEMPTION_SUPPORTED);
  read(properties.canUseHostPointerForRegisteredMem,
       CU_DEVICE_ATTRIBUTE_CAN_USE_HOST_POINTER_FOR_REGISTERED_MEM);
  read(properties.cooperativeLaunch, CU_DEVICE_ATTRIBUTE_COOPERATIVE_LAUNCH);
  HEDDLE_READ_IF_THERE(cooperativeMultiDeviceLaunch, COOPERATIVE_MULTI_DEVICE_LAUNCH)
  read(properties.sharedMemPerBlockOptin, CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN);
  read(properties.pageableMemoryAccessUsesHostPageTables,
       CU_DEVICE_ATTRIBUTE_PAGEABLE_MEMORY_ACCESS_USES_HOST_PAGE_TABLES);
  read(properties.directManagedMemAccessFromHost,
       CU_DEVICE_ATTRIBUTE_DIRECT_MANAGED_MEM_ACCESS_FROM_HOST);
  read(properties.maxBlocksPerMultiProcessor, CU_DEVICE_ATTRIBUTE_MAX_BLOCKS_PER_MULTIPROCESSOR);
  read(properties.accessPolicyMaxWindowSize, CU_DEVICE_ATTRIBUTE_MAX_ACCESS_POLICY_WINDOW_SIZE);
  read(properties.reservedSharedMemPerBlock, CU_DEVICE_ATTRIBUTE_RESERVED_SHARED_MEMORY_PER_BLOCK);
  read(properties.hostRegisterSupported, CU_DEVICE_ATTRIBUTE_HOST_REGISTER_SUPPORTED);
  read(properties.sparseCudaArraySupported, CU_DEVICE_ATTRIBUTE_SPARSE_CUDA_ARRAY_SUPPORTED);
  read(properties.hostRegisterReadOnlySupported,
       CU_DEVICE_ATTRIBUTE_READ_ONLY_HOST_REGISTER_SUPPORTED);
  read(properties.timelineSemaphoreInteropSupported,
       CU_DEVICE_ATTRIBUTE_TIMELINE_SEMAPHORE_INTEROP_SUPPORTED);
  read(properties.memoryPoolsSupported, CU_DEVICE_ATTRIBUTE_MEMORY_POOLS_SUPPORTED);
  read(properties.gpuDirectRDMASupported, CU_DEVICE_ATTRIBUTE_GPU_DIRECT_RDMA_SUPPORTED);
  read(properties.gpuDirectRDMAFlushWritesOptions,
       CU_DEVICE_ATTRIBUTE_GPU_DIRECT_RDMA_FLUSH_WRITES_OPTIONS);
  read(properties.gpuDirectRDMAWritesOrdering, CU_DEVICE_ATTRIBUTE_GPU_DIRECT_RDMA_WRITES_ORDERING);
  read(properties.memoryPoolSupportedHandleTypes,
       CU_DEVICE_ATTRIBUTE_MEMPOOL_SUPPORTED_HANDLE_TYPES);
  read(properties.deferredMappingCudaArraySupported,
       CU_DEVICE_ATTRIBUTE_DEFERRED_MAPPING_CUDA_ARRAY_SUPPORTED);
  read(properties.ipcEventSupported, CU_DEVICE_ATTRIBUTE_IPC_EVENT_SUPPORTED);
  read(properties.clusterLaunch, CU_DEVICE_ATTRIBUTE_CLUSTER_LAUNCH);
  read(properties.unifiedFunctionPointers, CU_DEVICE_ATTRIBUTE_UNIFIED_FUNCTION_POINTERS);
  HEDDLE_READ_IF_THERE(deviceNumaConfig, NUMA_CONFIG)
  HEDDLE_READ_IF_THERE(deviceNumaId, NUMA_ID)
  HEDDLE_READ_IF_THERE(mpsEnabled, MPS_ENABLED)
  HEDDLE_READ_IF_THERE(hostNumaId, HOST_NUMA_ID)
  HEDDLE_READ_IF_THERE(gpuPciDeviceID, GPU_PCI_DEVICE_ID)
  HEDDLE_READ_IF_THERE(gpuPciSubsystemID, GPU_PCI_SUBSYSTEM_ID)
  HEDDLE_READ_IF_THERE(hostNumaMultinodeIpcSupported, HOST_NUMA_MULTINODE_IPC_SUPPORTED)
  if (const CUresult result = read.result()) return from_driver(result);
  *out = properties;
  return cudaSuccess;
}

// All devices are of one kind, so the first one matches best.
template <class Properties>
cudaError_t choose(int* device, const Properties* properties) {
  int count = 0;
  if (!device || !properties) return cudaErrorInvalidValue;
  if (const cudaError_t error = cudaGetDeviceCount(&count)) return error;
  *device = 0;
  return cudaSuccess;
}

}  // namespace

cudaError_t cudaGetDeviceProperties(struct cudaDeviceProp* prop, int device) {
  return get(prop, device);
}
cudaError_t cudaGetDeviceProperties(struct cudaDeviceProp12* prop, int device) {
  return get(prop, device);
}

cudaError_t cudaChooseDevice(int* device, const struct cudaDeviceProp* prop) {
  return choose(device, prop);
}
cudaError_t cudaChooseDevice(int* device, const struct cudaDeviceProp12* prop) {
  return choose(device, prop);
}

}  // namespace heddle::runtime
