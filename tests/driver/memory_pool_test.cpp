// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The stream-ordered allocator. Driver API 6.15.
#include "client.h"

namespace {

class Pools : public InContext {
 protected:
  static cuuint64_t used(CUmemoryPool pool,
                         CUmemPool_attribute which = CU_MEMPOOL_ATTR_USED_MEM_CURRENT) {
    cuuint64_t value = ~cuuint64_t{0};
    EXPECT_OK(cuMemPoolGetAttribute(pool, which, &value));
    return value;
  }
};

TEST_F(Pools, FreedWhenTheStreamGetsThere) {
  CUmemoryPool pool = nullptr;
  CUstream stream = nullptr;
  CUdeviceptr p = 0;
  ASSERT_OK(cuDeviceGetDefaultMemPool(&pool, 0));
  ASSERT_OK(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
  const auto before = used(pool);
  {
    Gate gate(stream);
    ASSERT_OK(cuMemAllocAsync(&p, 1000, stream));
    EXPECT_OK(cuMemsetD8Async(p, 1, 1000, stream));
    EXPECT_OK(cuMemFreeAsync(p, stream));
    EXPECT_EQ(used(pool), before + 1000);
  }
  EXPECT_OK(cuStreamSynchronize(stream));
  EXPECT_EQ(used(pool), before);
  EXPECT_GE(used(pool, CU_MEMPOOL_ATTR_USED_MEM_HIGH), before + 1000);
  EXPECT_EQ(cuMemFreeAsync(p, stream), CUDA_ERROR_INVALID_VALUE);
}

TEST_F(Pools, OwnPoolWithALimit) {
  CUmemPoolProps properties{};
  properties.allocType = CU_MEM_ALLOCATION_TYPE_PINNED;
  properties.location = {CU_MEM_LOCATION_TYPE_DEVICE, 0};
  properties.maxSize = 4096;
  CUmemoryPool pool = nullptr, current = nullptr, standard = nullptr, of_pointer = nullptr;
  CUdeviceptr p = 0, q = 0;
  ASSERT_OK(cuMemPoolCreate(&pool, &properties));
  EXPECT_OK(cuMemAllocFromPoolAsync(&p, 4000, pool, nullptr));
  EXPECT_EQ(cuMemAllocFromPoolAsync(&q, 200, pool, nullptr), CUDA_ERROR_OUT_OF_MEMORY);
  EXPECT_OK(cuPointerGetAttribute(&of_pointer, CU_POINTER_ATTRIBUTE_MEMPOOL_HANDLE, p));
  EXPECT_EQ(of_pointer, pool);

  ASSERT_OK(cuDeviceGetDefaultMemPool(&standard, 0));
  EXPECT_OK(cuDeviceSetMemPool(0, pool));
  EXPECT_OK(cuDeviceGetMemPool(&current, 0));
  EXPECT_EQ(current, pool);
  EXPECT_EQ(cuMemAllocAsync(&q, 200, nullptr), CUDA_ERROR_OUT_OF_MEMORY);
  EXPECT_OK(cuMemPoolDestroy(pool));
  EXPECT_OK(cuDeviceGetMemPool(&current, 0));
  EXPECT_EQ(current, standard);
  EXPECT_OK(cuMemsetD8_v2(p, 0, 4000)) << "what was allocated lives on";
  EXPECT_OK(cuMemFree_v2(p));
  EXPECT_EQ(cuMemPoolDestroy(standard), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuMemAllocFromPoolAsync(&p, 8, pool, nullptr), CUDA_ERROR_INVALID_VALUE);
}

TEST_F(Pools, Attributes) {
  CUmemoryPool pool = nullptr;
  ASSERT_OK(cuDeviceGetMemPool(&pool, 0));
  cuuint64_t threshold = 12345, one = 1, zero = 0;
  int flag = 0, value = 7;
  EXPECT_OK(cuMemPoolSetAttribute(pool, CU_MEMPOOL_ATTR_RELEASE_THRESHOLD, &threshold));
  EXPECT_EQ(used(pool, CU_MEMPOOL_ATTR_RELEASE_THRESHOLD), threshold);
  EXPECT_OK(cuMemPoolSetAttribute(pool, CU_MEMPOOL_ATTR_REUSE_ALLOW_OPPORTUNISTIC, &flag));
  EXPECT_OK(cuMemPoolGetAttribute(pool, CU_MEMPOOL_ATTR_REUSE_ALLOW_OPPORTUNISTIC, &value));
  EXPECT_EQ(value, 0);
  EXPECT_OK(cuMemPoolSetAttribute(pool, CU_MEMPOOL_ATTR_USED_MEM_HIGH, &zero));
  EXPECT_EQ(cuMemPoolSetAttribute(pool, CU_MEMPOOL_ATTR_USED_MEM_HIGH, &one),
            CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuMemPoolSetAttribute(pool, CU_MEMPOOL_ATTR_USED_MEM_CURRENT, &one),
            CUDA_ERROR_INVALID_VALUE);
  EXPECT_OK(cuMemPoolTrimTo(pool, 0));
}

TEST_F(Pools, OutlivesTheContext) {
  CUcontext other = nullptr;
  CUdeviceptr p = 0;
  ASSERT_OK(cuCtxCreate_v2(&other, 0, 0));
  ASSERT_OK(cuMemAllocAsync(&p, 64, nullptr));
  ASSERT_OK(cuCtxDestroy_v2(other));
  EXPECT_OK(cuMemsetD8_v2(p, 0, 64));
  EXPECT_OK(cuMemFree_v2(p));
}

// Host memory, on a NUMA node or on any.
TEST_F(Pools, OfTheHost) {
  int supported = 0;
  EXPECT_OK(cuDeviceGetAttribute(&supported, CU_DEVICE_ATTRIBUTE_HOST_MEMORY_POOLS_SUPPORTED, 0));
  EXPECT_EQ(supported, 1);
  CUmemPoolProps properties{};
  properties.allocType = CU_MEM_ALLOCATION_TYPE_PINNED;
  properties.location = {CU_MEM_LOCATION_TYPE_HOST, 77};  // the number means nothing
  properties.maxSize = 4096;
  CUmemoryPool pool = nullptr, standard = nullptr, of_node = nullptr, current = nullptr;
  ASSERT_OK(cuMemPoolCreate(&pool, &properties));
  CUdeviceptr p = 0, q = 0;
  size_t free_before = 0, free_after = 0, total = 0;
  EXPECT_OK(cuMemGetInfo_v2(&free_before, &total));
  ASSERT_OK(cuMemAllocFromPoolAsync(&p, 4000, pool, nullptr));
  EXPECT_OK(cuMemGetInfo_v2(&free_after, &total));
  EXPECT_EQ(free_before, free_after) << "it is none of the device's";
  EXPECT_EQ(cuMemAllocFromPoolAsync(&q, 200, pool, nullptr), CUDA_ERROR_OUT_OF_MEMORY);
  unsigned type = 0;
  EXPECT_OK(cuPointerGetAttribute(&type, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, p));
  EXPECT_EQ(type, static_cast<unsigned>(CU_MEMORYTYPE_HOST));
  EXPECT_OK(cuMemsetD32_v2(p, 5, 1000));
  EXPECT_OK(cuCtxSynchronize());
  EXPECT_EQ(reinterpret_cast<const unsigned*>(p)[999], 5u);
  EXPECT_OK(cuMemFreeAsync(p, nullptr));
  EXPECT_OK(cuCtxSynchronize());
  EXPECT_EQ(used(pool), 0u);

  CUmemLocation host{CU_MEM_LOCATION_TYPE_HOST, 0}, node{CU_MEM_LOCATION_TYPE_HOST_NUMA, 0};
  CUmemAccess_flags flags{};
  EXPECT_OK(cuMemPoolGetAccess(&flags, pool, &host));
  EXPECT_EQ(flags, CU_MEM_ACCESS_FLAGS_PROT_READWRITE);
  CUmemAccessDesc none{host, CU_MEM_ACCESS_FLAGS_PROT_NONE};
  EXPECT_EQ(cuMemPoolSetAccess(pool, &none, 1), CUDA_ERROR_INVALID_VALUE);
  const auto pinned = CU_MEM_ALLOCATION_TYPE_PINNED;
  EXPECT_OK(cuMemGetDefaultMemPool(&standard, &host, pinned));
  EXPECT_OK(cuMemGetDefaultMemPool(&of_node, &node, pinned));
  EXPECT_NE(standard, of_node);
  EXPECT_OK(cuMemSetMemPool(&host, pinned, pool));
  EXPECT_OK(cuMemGetMemPool(&current, &host, pinned));
  EXPECT_EQ(current, pool);
  EXPECT_EQ(cuMemSetMemPool(&node, pinned, pool), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuDeviceSetMemPool(0, pool), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuMemPoolDestroy(standard), CUDA_ERROR_INVALID_VALUE);
  EXPECT_OK(cuMemPoolDestroy(pool));

  properties.handleTypes = CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR;
  EXPECT_EQ(cuMemPoolCreate(&pool, &properties), CUDA_ERROR_INVALID_VALUE);
  properties.handleTypes = CU_MEM_HANDLE_TYPE_NONE;
  properties.location.type = CU_MEM_LOCATION_TYPE_HOST_NUMA_CURRENT;
  EXPECT_EQ(cuMemPoolCreate(&pool, &properties), CUDA_ERROR_INVALID_VALUE);
}

// Managed memory, whose preferred location is that of the pool.
TEST_F(Pools, OfManagedMemory) {
  const CUmemLocation places[] = {{CU_MEM_LOCATION_TYPE_DEVICE, 0},
                                  {CU_MEM_LOCATION_TYPE_HOST, 0},
                                  {CU_MEM_LOCATION_TYPE_HOST_NUMA, 1},
                                  {CU_MEM_LOCATION_TYPE_NONE, 0}};
  const auto managed = CU_MEM_ALLOCATION_TYPE_MANAGED;
  CUmemPoolProps properties{};
  properties.allocType = managed;
  for (CUmemLocation place : places) {
    SCOPED_TRACE(place.type);
    properties.location = place;
    CUmemoryPool pool = nullptr, standard = nullptr, current = nullptr, of_pointer = nullptr;
    CUdeviceptr p = 0;
    ASSERT_OK(cuMemPoolCreate(&pool, &properties));
    ASSERT_OK(cuMemAllocFromPoolAsync(&p, 4000, pool, nullptr));
    EXPECT_OK(cuMemsetD32Async(p, 5, 1000, nullptr));
    EXPECT_OK(cuCtxSynchronize());
    EXPECT_EQ(reinterpret_cast<const unsigned*>(p)[999], 5u) << "the host reaches it";
    EXPECT_OK(cuPointerGetAttribute(&of_pointer, CU_POINTER_ATTRIBUTE_MEMPOOL_HANDLE, p));
    EXPECT_EQ(of_pointer, pool);
    unsigned is_managed = 0, type = 0;
    EXPECT_OK(cuPointerGetAttribute(&is_managed, CU_POINTER_ATTRIBUTE_IS_MANAGED, p));
    EXPECT_EQ(is_managed, 1u);
    EXPECT_OK(cuPointerGetAttribute(&type, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, p));
    EXPECT_EQ(type, static_cast<unsigned>(CU_MEMORYTYPE_DEVICE));
    int preferred = -1;
    EXPECT_OK(cuMemRangeGetAttribute(&preferred, sizeof preferred,
                                     CU_MEM_RANGE_ATTRIBUTE_PREFERRED_LOCATION_TYPE, p, 4000));
    EXPECT_EQ(preferred, place.type);
    EXPECT_OK(cuMemAdvise_v2(p, 4000, CU_MEM_ADVISE_SET_READ_MOSTLY, place));

    CUmemLocation host{CU_MEM_LOCATION_TYPE_HOST, 0}, of_device{CU_MEM_LOCATION_TYPE_DEVICE, 0};
    for (CUmemLocation* accessor : {&host, &of_device}) {
      CUmemAccess_flags flags{};
      EXPECT_OK(cuMemPoolGetAccess(&flags, pool, accessor));
      EXPECT_EQ(flags, CU_MEM_ACCESS_FLAGS_PROT_READWRITE);
      const CUmemAccessDesc none{*accessor, CU_MEM_ACCESS_FLAGS_PROT_NONE};
      EXPECT_EQ(cuMemPoolSetAccess(pool, &none, 1), CUDA_ERROR_INVALID_VALUE);
    }

    ASSERT_OK(cuMemGetDefaultMemPool(&standard, &place, managed));
    EXPECT_OK(cuMemGetMemPool(&current, &place, managed));
    EXPECT_EQ(current, standard);
    EXPECT_OK(cuMemSetMemPool(&place, managed, pool));
    EXPECT_OK(cuMemGetMemPool(&current, &place, managed));
    EXPECT_EQ(current, pool);
    const auto pinned = CU_MEM_ALLOCATION_TYPE_PINNED;
    EXPECT_EQ(cuMemSetMemPool(&place, pinned, pool), CUDA_ERROR_INVALID_VALUE) << "another kind";
    EXPECT_EQ(cuDeviceSetMemPool(0, pool), CUDA_ERROR_INVALID_VALUE);
    EXPECT_EQ(cuMemPoolDestroy(standard), CUDA_ERROR_INVALID_VALUE);
    EXPECT_EQ(used(pool), 4000u);
    EXPECT_OK(cuMemFreeAsync(p, nullptr));
    EXPECT_OK(cuCtxSynchronize());
    EXPECT_EQ(used(pool), 0u);
    EXPECT_OK(cuMemPoolDestroy(pool));
    EXPECT_OK(cuMemGetMemPool(&current, &place, managed));
    EXPECT_EQ(current, standard);
  }
}

TEST_F(Pools, ThatCannotBe) {
  const auto pinned = CU_MEM_ALLOCATION_TYPE_PINNED, managed = CU_MEM_ALLOCATION_TYPE_MANAGED;
  const CUmemLocation here{CU_MEM_LOCATION_TYPE_DEVICE, 0}, nowhere{CU_MEM_LOCATION_TYPE_NONE, 0};
  struct Row {
    const char* what;
    CUmemAllocationType type;
    CUmemLocation location;
    CUmemAllocationHandleType handles;
    size_t max_size;
    unsigned short usage;
    CUresult result;
  };
  const auto no_handle = CU_MEM_HANDLE_TYPE_NONE;
  const Row rows[] = {
      {"no kind", CU_MEM_ALLOCATION_TYPE_INVALID, here, no_handle, 0, 0, CUDA_ERROR_INVALID_VALUE},
      {"pinned nowhere", pinned, nowhere, no_handle, 0, 0, CUDA_ERROR_INVALID_VALUE},
      {"no such device",
       pinned,
       {CU_MEM_LOCATION_TYPE_DEVICE, 99},
       no_handle,
       0,
       0,
       CUDA_ERROR_INVALID_DEVICE},
      {"on whatever node",
       managed,
       {CU_MEM_LOCATION_TYPE_HOST_NUMA_CURRENT, 0},
       no_handle,
       0,
       0,
       CUDA_ERROR_INVALID_VALUE},
      {"managed and shared", managed, here, CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR, 0, 0,
       CUDA_ERROR_INVALID_VALUE},
      {"managed with a limit", managed, here, no_handle, 4096, 0, CUDA_ERROR_INVALID_VALUE},
      {"managed for decompression", managed, here, no_handle, 0, 2, CUDA_ERROR_INVALID_VALUE},
      {"for decompression", pinned, here, no_handle, 0, 2, CUDA_ERROR_NOT_SUPPORTED},
  };
  for (const Row& row : rows) {
    CUmemPoolProps properties{};
    properties.allocType = row.type;
    properties.location = row.location;
    properties.handleTypes = row.handles;
    properties.maxSize = row.max_size;
    properties.usage = row.usage;
    CUmemoryPool pool = nullptr;
    EXPECT_EQ(cuMemPoolCreate(&pool, &properties), row.result) << row.what;
  }
}

// In a capture, an allocation becomes a node of the graph, of the same kind as its pool.
TEST_F(Pools, CapturedAllocations) {
  struct Row {
    const char* what;
    CUmemAllocationType type;
    CUmemLocation location;
    unsigned memory_type, is_managed;
  };
  const Row rows[] = {
      {"device",
       CU_MEM_ALLOCATION_TYPE_PINNED,
       {CU_MEM_LOCATION_TYPE_DEVICE, 0},
       CU_MEMORYTYPE_DEVICE,
       0},
      {"host",
       CU_MEM_ALLOCATION_TYPE_PINNED,
       {CU_MEM_LOCATION_TYPE_HOST, 0},
       CU_MEMORYTYPE_HOST,
       0},
      {"node",
       CU_MEM_ALLOCATION_TYPE_PINNED,
       {CU_MEM_LOCATION_TYPE_HOST_NUMA, 0},
       CU_MEMORYTYPE_HOST,
       0},
      {"managed",
       CU_MEM_ALLOCATION_TYPE_MANAGED,
       {CU_MEM_LOCATION_TYPE_DEVICE, 0},
       CU_MEMORYTYPE_DEVICE,
       1},
      {"managed anywhere",
       CU_MEM_ALLOCATION_TYPE_MANAGED,
       {CU_MEM_LOCATION_TYPE_NONE, 0},
       CU_MEMORYTYPE_DEVICE,
       1},
  };
  CUstream stream = nullptr;
  ASSERT_OK(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
  for (const Row& row : rows) {
    SCOPED_TRACE(row.what);
    CUmemPoolProps properties{};
    properties.allocType = row.type;
    properties.location = row.location;
    CUmemoryPool pool = nullptr;
    CUgraph graph = nullptr;
    CUgraphExec exec = nullptr;
    CUgraphNode node = nullptr;
    CUdeviceptr p = 0;
    size_t one = 1;
    ASSERT_OK(cuMemPoolCreate(&pool, &properties));
    ASSERT_OK(cuStreamBeginCapture_v2(stream, CU_STREAM_CAPTURE_MODE_GLOBAL));
    EXPECT_OK(cuMemAllocFromPoolAsync(&p, 400, pool, stream));
    EXPECT_OK(cuMemsetD32Async(p, 7, 100, stream));
    ASSERT_OK(cuStreamEndCapture(stream, &graph));
    EXPECT_EQ(used(pool), 0u) << "it is the graph's";

    CUDA_MEM_ALLOC_NODE_PARAMS params{};
    ASSERT_OK(cuGraphGetRootNodes(graph, &node, &one));
    EXPECT_OK(cuGraphMemAllocNodeGetParams(node, &params));
    EXPECT_EQ(params.poolProps.allocType, row.type);
    EXPECT_EQ(params.poolProps.location.type, row.location.type);
    ASSERT_OK(cuGraphInstantiateWithFlags(&exec, graph, 0));
    ASSERT_OK(cuGraphLaunch(exec, stream));
    ASSERT_OK(cuStreamSynchronize(stream));
    unsigned memory_type = 0, is_managed = 2, word = 0;
    EXPECT_OK(cuPointerGetAttribute(&memory_type, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, p));
    EXPECT_EQ(memory_type, row.memory_type);
    EXPECT_OK(cuPointerGetAttribute(&is_managed, CU_POINTER_ATTRIBUTE_IS_MANAGED, p));
    EXPECT_EQ(is_managed, row.is_managed);
    EXPECT_OK(cuMemcpyDtoH_v2(&word, p + 396, 4));
    EXPECT_EQ(word, 7u);
    EXPECT_OK(cuMemFreeAsync(p, stream));
    EXPECT_OK(cuGraphLaunch(exec, stream)) << "it was free";
    EXPECT_OK(cuMemFreeAsync(p, stream));
    EXPECT_OK(cuStreamSynchronize(stream));
    EXPECT_OK(cuGraphExecDestroy(exec));
    EXPECT_OK(cuGraphDestroy(graph));
    EXPECT_OK(cuMemPoolDestroy(pool));
  }
  EXPECT_OK(cuStreamDestroy_v2(stream));
}

}  // namespace
