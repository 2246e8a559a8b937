// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Managed and registered memory: stored hints, attributes of ranges, the program's memory in
// kernels; copies in batches. Driver API 6.13, 6.17.
#include <cstdlib>
#include <vector>

#include "client.h"
#include "kernels.h"

namespace {

using testing::Each;
using testing::ElementsAre;

constexpr const char* kManaged = R"ptx(
.version 7.8
.target sm_75
.address_size 64
.visible .global .attribute(.managed) .align 4 .u32 shared_word = 3;
.visible .global .align 4 .u32 plain_word = 4;
)ptx";

class Managed : public InContext {
 protected:
  void SetUp() override {
    InContext::SetUp();
    ASSERT_OK(cuMemAllocManaged(&memory, kBytes, CU_MEM_ATTACH_GLOBAL));
    ASSERT_OK(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
  }
  int attribute(CUmem_range_attribute which, size_t from = 0, size_t bytes = kBytes) {
    int got = 77;
    EXPECT_OK(cuMemRangeGetAttribute(&got, sizeof got, which, memory + from, bytes));
    return got;
  }
  static constexpr size_t kBytes = 65536;
  const CUmemLocation here{CU_MEM_LOCATION_TYPE_DEVICE, 0}, host{CU_MEM_LOCATION_TYPE_HOST, 0};
  CUdeviceptr memory = 0;
  CUstream stream = nullptr;
};

TEST_F(Managed, HintsAreKeptByRange) {
  EXPECT_EQ(attribute(CU_MEM_RANGE_ATTRIBUTE_READ_MOSTLY), 0);
  EXPECT_EQ(attribute(CU_MEM_RANGE_ATTRIBUTE_PREFERRED_LOCATION), CU_DEVICE_INVALID);
  EXPECT_OK(cuMemAdvise_v2(memory, 4096, CU_MEM_ADVISE_SET_READ_MOSTLY, here));
  EXPECT_EQ(attribute(CU_MEM_RANGE_ATTRIBUTE_READ_MOSTLY, 0, 4096), 1);
  EXPECT_EQ(attribute(CU_MEM_RANGE_ATTRIBUTE_READ_MOSTLY), 0) << "not all of it";
  EXPECT_OK(cuMemAdvise_v2(memory, kBytes, CU_MEM_ADVISE_SET_PREFERRED_LOCATION, host));
  EXPECT_EQ(attribute(CU_MEM_RANGE_ATTRIBUTE_PREFERRED_LOCATION), CU_DEVICE_CPU);
  EXPECT_EQ(attribute(CU_MEM_RANGE_ATTRIBUTE_PREFERRED_LOCATION_TYPE), CU_MEM_LOCATION_TYPE_HOST);
  EXPECT_OK(cuMemAdvise(memory + 8192, 4096, CU_MEM_ADVISE_SET_PREFERRED_LOCATION, 0));
  EXPECT_EQ(attribute(CU_MEM_RANGE_ATTRIBUTE_PREFERRED_LOCATION), CU_DEVICE_INVALID) << "mixed";
  EXPECT_OK(cuMemAdvise(memory, kBytes, CU_MEM_ADVISE_SET_ACCESSED_BY, 0));
  EXPECT_OK(cuMemAdvise(memory, kBytes, CU_MEM_ADVISE_SET_ACCESSED_BY, CU_DEVICE_CPU));
  int devices[3];
  EXPECT_OK(cuMemRangeGetAttribute(devices, sizeof devices, CU_MEM_RANGE_ATTRIBUTE_ACCESSED_BY,
                                   memory, kBytes));
  EXPECT_THAT(devices, ElementsAre(CU_DEVICE_CPU, 0, CU_DEVICE_INVALID));
}

TEST_F(Managed, PrefetchIsRemembered) {
  EXPECT_EQ(attribute(CU_MEM_RANGE_ATTRIBUTE_LAST_PREFETCH_LOCATION), CU_DEVICE_INVALID);
  EXPECT_OK(cuMemPrefetchAsync_v2(memory, kBytes, here, 0, stream));
  EXPECT_OK(cuStreamSynchronize(stream));
  EXPECT_EQ(attribute(CU_MEM_RANGE_ATTRIBUTE_LAST_PREFETCH_LOCATION), 0);
  CUdeviceptr parts[] = {memory, memory + 4096};
  size_t sizes[] = {4096, 4096}, firsts[] = {0, 1};
  CUmemLocation locations[] = {host, here};
  EXPECT_OK(cuMemPrefetchBatchAsync(parts, sizes, 2, locations, firsts, 2, 0, stream));
  EXPECT_OK(cuStreamSynchronize(stream));
  EXPECT_EQ(attribute(CU_MEM_RANGE_ATTRIBUTE_LAST_PREFETCH_LOCATION, 0, 4096), CU_DEVICE_CPU);
  EXPECT_EQ(attribute(CU_MEM_RANGE_ATTRIBUTE_LAST_PREFETCH_LOCATION, 4096, 4096), 0);
  EXPECT_OK(cuMemDiscardBatchAsync(parts, sizes, 2, 0, stream));
  firsts[1] = 0;
  EXPECT_EQ(cuMemPrefetchBatchAsync(parts, sizes, 2, locations, firsts, 2, 0, stream),
            CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuMemDiscardBatchAsync(parts, sizes, 2, 0, nullptr), CUDA_ERROR_INVALID_VALUE);
}

TEST_F(Managed, FreedMemoryIsForgotten) {
  EXPECT_OK(cuMemAdvise_v2(memory, kBytes, CU_MEM_ADVISE_SET_READ_MOSTLY, here));
  EXPECT_OK(cuMemFree_v2(memory));
  ASSERT_OK(cuMemAllocManaged(&memory, kBytes, CU_MEM_ATTACH_GLOBAL));
  EXPECT_EQ(attribute(CU_MEM_RANGE_ATTRIBUTE_READ_MOSTLY), 0);
}

TEST_F(Managed, VariablesOfModules) {
  CUmodule module = nullptr;
  CUdeviceptr shared = 0, plain = 0;
  ASSERT_OK(cuModuleLoadData(&module, kManaged));
  ASSERT_OK(cuModuleGetGlobal_v2(&shared, nullptr, module, "shared_word"));
  ASSERT_OK(cuModuleGetGlobal_v2(&plain, nullptr, module, "plain_word"));
  unsigned is_managed = 9, type = 9;
  size_t size = 0;
  EXPECT_OK(cuPointerGetAttribute(&is_managed, CU_POINTER_ATTRIBUTE_IS_MANAGED, shared));
  EXPECT_EQ(is_managed, 1u);
  EXPECT_OK(cuPointerGetAttribute(&is_managed, CU_POINTER_ATTRIBUTE_IS_MANAGED, plain));
  EXPECT_EQ(is_managed, 0u);
  EXPECT_OK(cuPointerGetAttribute(&type, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, plain));
  EXPECT_EQ(type, static_cast<unsigned>(CU_MEMORYTYPE_DEVICE));
  EXPECT_OK(cuPointerGetAttribute(&size, CU_POINTER_ATTRIBUTE_RANGE_SIZE, plain));
  EXPECT_EQ(size, 4u);
  EXPECT_OK(cuMemAdvise(shared, 4, CU_MEM_ADVISE_SET_READ_MOSTLY, 0));
  EXPECT_EQ(cuMemAdvise(plain, 4, CU_MEM_ADVISE_SET_READ_MOSTLY, 0), CUDA_ERROR_INVALID_VALUE);
  CUlibrary library = nullptr;
  ASSERT_OK(cuLibraryLoadData(&library, kManaged, nullptr, nullptr, 0, nullptr, nullptr, 0));
  EXPECT_OK(cuLibraryGetManaged(&shared, &size, library, "shared_word"));
  EXPECT_EQ(*reinterpret_cast<unsigned*>(shared), 3u);
  EXPECT_EQ(cuLibraryGetManaged(&shared, &size, library, "plain_word"), CUDA_ERROR_NOT_FOUND);
  void* function = nullptr;
  EXPECT_EQ(cuLibraryGetUnifiedFunction(&function, library, "x"), CUDA_ERROR_NOT_FOUND);
}

TEST_F(Managed, Errors) {
  CUdeviceptr plain = 0;
  int got = 0;
  ASSERT_OK(cuMemAlloc_v2(&plain, 64));
  EXPECT_EQ(cuMemRangeGetAttribute(&got, 4, CU_MEM_RANGE_ATTRIBUTE_READ_MOSTLY, plain, 64),
            CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuMemRangeGetAttribute(&got, 3, CU_MEM_RANGE_ATTRIBUTE_READ_MOSTLY, memory, 64),
            CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuMemRangeGetAttribute(&got, 4, static_cast<CUmem_range_attribute>(99), memory, 64),
            CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuMemAdvise_v2(memory, kBytes + 1, CU_MEM_ADVISE_SET_READ_MOSTLY, here),
            CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuMemAdvise(memory, kBytes, CU_MEM_ADVISE_SET_ACCESSED_BY, 9),
            CUDA_ERROR_INVALID_DEVICE);
}

class Registered : public InContext {};

TEST_F(Registered, KernelsReachTheProgramsMemory) {
  std::vector<unsigned> mine(1000, 5);
  auto* base = mine.data();
  ASSERT_OK(cuMemHostRegister_v2(base, mine.size() * 4, CU_MEMHOSTREGISTER_DEVICEMAP));
  EXPECT_EQ(cuMemHostRegister_v2(base + 10, 4, 0), CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED);
  CUdeviceptr on_device = 0;
  unsigned flags = 0, type = 0;
  EXPECT_OK(cuMemHostGetDevicePointer_v2(&on_device, base, 0));
  EXPECT_OK(cuMemHostGetFlags(&flags, base));
  EXPECT_EQ(flags, static_cast<unsigned>(CU_MEMHOSTREGISTER_DEVICEMAP));
  EXPECT_OK(cuPointerGetAttribute(&type, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, on_device));
  EXPECT_EQ(type, static_cast<unsigned>(CU_MEMORYTYPE_HOST));
  CUmodule module = nullptr;
  CUfunction add_to = nullptr;
  ASSERT_OK(cuModuleLoadData(&module, kKernels));
  ASSERT_OK(cuModuleGetFunction(&add_to, module, "add_to"));
  unsigned count = 1000;
  unsigned char addend = 2;
  void* params[] = {&on_device, &on_device, &count, &addend};
  EXPECT_OK(cuLaunchKernel(add_to, 8, 1, 1, 128, 1, 1, 0, nullptr, params, nullptr));
  EXPECT_OK(cuCtxSynchronize());
  EXPECT_THAT(mine, Each(7u));
  EXPECT_OK(cuMemsetD32_v2(on_device, 1, count));
  EXPECT_OK(cuMemHostUnregister(base)) << "waits for what uses it";
  EXPECT_THAT(mine, Each(1u));
  EXPECT_EQ(cuMemHostUnregister(base), CUDA_ERROR_HOST_MEMORY_NOT_REGISTERED);
  EXPECT_EQ(cuMemHostGetDevicePointer_v2(&on_device, base, 0), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuMemHostRegister_v2(nullptr, 4, 0), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuMemHostRegister_v2(base, 0, 0), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuMemHostRegister_v2(base, 4, 0x100), CUDA_ERROR_INVALID_VALUE);
}

TEST_F(Registered, AsynchronousCopiesDoNotWait) {
  std::vector<unsigned char> mine(1 << 20, 3);
  CUdeviceptr memory = 0;
  CUstream stream = nullptr;
  ASSERT_OK(cuMemAlloc_v2(&memory, mine.size()));
  ASSERT_OK(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
  ASSERT_OK(cuMemHostRegister_v2(mine.data(), mine.size(), 0));
  {
    Gate gate(stream);
    EXPECT_OK(cuMemcpyHtoDAsync_v2(memory, mine.data(), mine.size(), stream));
    mine.back() = 4;  // the copy has not begun
  }
  EXPECT_OK(cuStreamSynchronize(stream));
  unsigned char last = 0;
  EXPECT_OK(cuMemcpyDtoH_v2(&last, memory + mine.size() - 1, 1));
  EXPECT_EQ(last, 4);
  EXPECT_OK(cuMemHostUnregister(mine.data()));
}

TEST_F(Registered, SyncMemopsAttribute) {
  CUdeviceptr memory = 0;
  unsigned value = 1, read = 0;
  ASSERT_OK(cuMemAlloc_v2(&memory, 64));
  EXPECT_OK(cuPointerSetAttribute(&value, CU_POINTER_ATTRIBUTE_SYNC_MEMOPS, memory));
  EXPECT_OK(cuPointerGetAttribute(&read, CU_POINTER_ATTRIBUTE_SYNC_MEMOPS, memory));
  EXPECT_EQ(read, 1u);
  EXPECT_EQ(cuPointerSetAttribute(&value, CU_POINTER_ATTRIBUTE_CONTEXT, memory),
            CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuPointerSetAttribute(&value, CU_POINTER_ATTRIBUTE_SYNC_MEMOPS, 16),
            CUDA_ERROR_INVALID_VALUE);
}

TEST_F(Registered, BatchOfCopies) {
  CUdeviceptr memory = 0;
  CUstream stream = nullptr;
  ASSERT_OK(cuMemAlloc_v2(&memory, 64));
  ASSERT_OK(cuStreamCreate(&stream, 0));
  int in[2] = {11, 22}, out[2] = {};
  CUdeviceptr to[] = {memory, memory + 4}, from[] = {reinterpret_cast<CUdeviceptr>(&in[0]),
                                                     reinterpret_cast<CUdeviceptr>(&in[1])};
  size_t sizes[] = {4, 4}, first = 0, failed = 0;
  CUmemcpyAttributes attributes{};
  attributes.srcAccessOrder = CU_MEMCPY_SRC_ACCESS_ORDER_DURING_API_CALL;
  EXPECT_OK(cuMemcpyBatchAsync_v2(to, from, sizes, 2, &attributes, &first, 1, stream));
  EXPECT_OK(cuStreamSynchronize(stream));
  EXPECT_OK(cuMemcpyDtoH_v2(out, memory, 8));
  EXPECT_THAT(out, ElementsAre(11, 22));
  sizes[1] = 100;
  EXPECT_EQ(cuMemcpyBatchAsync(to, from, sizes, 2, &attributes, &first, 1, &failed, stream),
            CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(failed, 1u);
  attributes.srcAccessOrder = CU_MEMCPY_SRC_ACCESS_ORDER_INVALID;
  EXPECT_EQ(cuMemcpyBatchAsync(to, from, sizes, 2, &attributes, &first, 1, &failed, stream),
            CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(failed, SIZE_MAX);
}

}  // namespace
