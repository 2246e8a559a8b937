// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Virtual memory management: ranges, memory, mappings, access, sharing. Driver API 6.14.
#include <fcntl.h>
#include <unistd.h>

#include <vector>

#include "client.h"
#include "kernels.h"

namespace {

class Virtual : public InContext {
 protected:
  void SetUp() override {
    InContext::SetUp();
    properties.type = CU_MEM_ALLOCATION_TYPE_PINNED;
    properties.location = {CU_MEM_LOCATION_TYPE_DEVICE, device};
    properties.requestedHandleTypes = CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR;
    access.location = properties.location;
    access.flags = CU_MEM_ACCESS_FLAGS_PROT_READWRITE;
    ASSERT_OK(cuMemGetAllocationGranularity(&unit, &properties, CU_MEM_ALLOC_GRANULARITY_MINIMUM));
  }
  CUmemGenericAllocationHandle create(size_t units = 1) {
    CUmemGenericAllocationHandle handle = 0;
    EXPECT_OK(cuMemCreate(&handle, units * unit, &properties, 0));
    return handle;
  }
  CUdeviceptr reserve(size_t units) {
    CUdeviceptr range = 0;
    EXPECT_OK(cuMemAddressReserve(&range, units * unit, 0, 0, 0));
    return range;
  }
  unsigned read(CUdeviceptr at) {
    unsigned got = 0;
    EXPECT_OK(cuMemcpyDtoH_v2(&got, at, 4));
    return got;
  }

  CUmemAllocationProp properties{};
  CUmemAccessDesc access{};
  size_t unit = 0;
};

TEST_F(Virtual, MemoryIsReachedWhereItIsMapped) {
  const auto range = reserve(4);
  const auto handle = create();
  EXPECT_EQ(cuMemsetD32_v2(range, 1, 1), CUDA_ERROR_INVALID_VALUE) << "nothing is mapped";
  EXPECT_OK(cuMemMap(range + unit, unit, 0, handle, 0));
  EXPECT_EQ(cuMemsetD32_v2(range + unit, 1, 1), CUDA_ERROR_INVALID_VALUE) << "no access";
  EXPECT_OK(cuMemSetAccess(range + unit, unit, &access, 1));
  EXPECT_OK(cuMemsetD32_v2(range + unit, 17, unit / 4));
  EXPECT_EQ(cuMemsetD32_v2(range + unit, 17, unit / 4 + 1), CUDA_ERROR_INVALID_VALUE);
  // The same memory in a second place.
  EXPECT_OK(cuMemMap(range + 3 * unit, unit, 0, handle, 0));
  EXPECT_OK(cuMemSetAccess(range + 3 * unit, unit, &access, 1));
  EXPECT_EQ(read(range + 4 * unit - 4), 17u);
  // The memory outlives its handle, and keeps its contents.
  EXPECT_OK(cuMemRelease(handle));
  EXPECT_EQ(cuMemRelease(handle), CUDA_ERROR_INVALID_VALUE);
  EXPECT_OK(cuMemUnmap(range + unit, unit));
  EXPECT_EQ(cuMemsetD32_v2(range + unit, 1, 1), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(read(range + 3 * unit), 17u);
  EXPECT_EQ(cuMemAddressFree(range, 4 * unit), CUDA_ERROR_INVALID_VALUE) << "something is mapped";
  EXPECT_OK(cuMemUnmap(range + 3 * unit, unit));
  EXPECT_EQ(cuMemAddressFree(range, unit), CUDA_ERROR_INVALID_VALUE);
  EXPECT_OK(cuMemAddressFree(range, 4 * unit));
}

// PyTorch and other programs grow an allocation in place in this way.
TEST_F(Virtual, NeighbouringMappingsAreOneRange) {
  const auto range = reserve(3);
  const auto first = create(), second = create(2);
  EXPECT_OK(cuMemMap(range, unit, 0, first, 0));
  EXPECT_OK(cuMemMap(range + unit, 2 * unit, 0, second, 0));
  EXPECT_OK(cuMemSetAccess(range, 3 * unit, &access, 1));
  EXPECT_OK(cuMemsetD32_v2(range, 5, 3 * unit / 4));
  EXPECT_EQ(read(range + 3 * unit - 4), 5u);
  CUdeviceptr base = 0;
  size_t size = 0;
  EXPECT_OK(cuMemGetAddressRange_v2(&base, &size, range + unit + 8));
  EXPECT_EQ(base, range + unit);
  EXPECT_EQ(size, 2 * unit);
  EXPECT_EQ(cuMemUnmap(range, 2 * unit), CUDA_ERROR_INVALID_VALUE) << "part of a mapping";
  EXPECT_OK(cuMemUnmap(range, 3 * unit));
  EXPECT_OK(cuMemAddressFree(range, 3 * unit));
  EXPECT_OK(cuMemRelease(first));
  EXPECT_OK(cuMemRelease(second));
}

TEST_F(Virtual, KernelsUseItAndAreStoppedWithoutAccess) {
  const auto range = reserve(1);
  const auto handle = create();
  CUmodule module = nullptr;
  CUfunction store = nullptr;
  ASSERT_OK(cuModuleLoadData(&module, kKernels));
  ASSERT_OK(cuModuleGetFunction(&store, module, "store_far"));
  ASSERT_OK(cuMemMap(range, unit, 0, handle, 0));
  ASSERT_OK(cuMemSetAccess(range, unit, &access, 1));
  CUdeviceptr to = range;
  void* params[] = {&to};
  EXPECT_OK(cuLaunchKernel(store, 1, 1, 1, 1, 1, 1, 0, nullptr, params, nullptr));
  EXPECT_EQ(read(range), 1u);
  access.flags = CU_MEM_ACCESS_FLAGS_PROT_READ;
  EXPECT_OK(cuMemSetAccess(range, unit, &access, 1));
  unsigned long long flags = 0;
  EXPECT_OK(cuMemGetAccess(&flags, &access.location, range));
  EXPECT_EQ(flags, static_cast<unsigned long long>(CU_MEM_ACCESS_FLAGS_PROT_READ));
  EXPECT_EQ(read(range), 1u);
  EXPECT_EQ(cuMemsetD32_v2(range, 1, 1), CUDA_ERROR_INVALID_VALUE);
  testing::internal::CaptureStderr();
  EXPECT_OK(cuLaunchKernel(store, 1, 1, 1, 1, 1, 1, 0, nullptr, params, nullptr));
  EXPECT_EQ(cuCtxSynchronize(), CUDA_ERROR_ILLEGAL_ADDRESS);
  testing::internal::GetCapturedStderr();
  EXPECT_OK(cuMemUnmap(range, unit));
  EXPECT_OK(cuMemRelease(handle));
  EXPECT_OK(cuMemAddressFree(range, unit));
}

TEST_F(Virtual, HandlesAreSharedAsFiles) {
  const auto range = reserve(2);
  const auto handle = create();
  ASSERT_OK(cuMemMap(range, unit, 0, handle, 0));
  ASSERT_OK(cuMemSetAccess(range, unit, &access, 1));
  EXPECT_OK(cuMemsetD32_v2(range, 99, 1));
  int file = -1;
  ASSERT_OK(
      cuMemExportToShareableHandle(&file, handle, CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR, 0));
  CUmemGenericAllocationHandle imported = 0;
  ASSERT_OK(cuMemImportFromShareableHandle(&imported, reinterpret_cast<void*>(intptr_t{file}),
                                           CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR));
  close(file);
  ASSERT_OK(cuMemMap(range + unit, unit, 0, imported, 0));
  ASSERT_OK(cuMemSetAccess(range + unit, unit, &access, 1));
  EXPECT_EQ(read(range + unit), 99u);
  EXPECT_EQ(cuMemExportToShareableHandle(&file, handle, CU_MEM_HANDLE_TYPE_FABRIC, 0),
            CUDA_ERROR_NOT_SUPPORTED);
  const int other = open("/dev/null", O_RDWR);
  EXPECT_EQ(cuMemImportFromShareableHandle(&imported, reinterpret_cast<void*>(intptr_t{other}),
                                           CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR),
            CUDA_ERROR_INVALID_VALUE);
  close(other);
}

TEST_F(Virtual, RetainedHandle) {
  const auto range = reserve(1);
  const auto handle = create();
  ASSERT_OK(cuMemMap(range, unit, 0, handle, 0));
  CUmemGenericAllocationHandle again = 0;
  EXPECT_OK(cuMemRetainAllocationHandle(&again, reinterpret_cast<void*>(range + 4)));
  EXPECT_EQ(again, handle);
  EXPECT_OK(cuMemRelease(handle));
  EXPECT_OK(cuMemRelease(handle)) << "as often as it was retained";
  EXPECT_EQ(cuMemRelease(handle), CUDA_ERROR_INVALID_VALUE);
  CUmemAllocationProp read_back{};
  EXPECT_EQ(cuMemGetAllocationPropertiesFromHandle(&read_back, handle), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuMemRetainAllocationHandle(&again, &read_back), CUDA_ERROR_INVALID_VALUE);
}

TEST_F(Virtual, Errors) {
  CUdeviceptr range = 0;
  CUmemGenericAllocationHandle handle = 0;
  EXPECT_EQ(cuMemAddressReserve(&range, 100, 0, 0, 0), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuMemAddressReserve(&range, unit, 3, 0, 0), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuMemAddressReserve(&range, unit, 0, 0, 1), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuMemAddressReserve(nullptr, unit, 0, 0, 0), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuMemCreate(&handle, unit + 4096, &properties, 0), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuMemCreate(&handle, unit, nullptr, 0), CUDA_ERROR_INVALID_VALUE);
  properties.location.id = 99;
  EXPECT_EQ(cuMemCreate(&handle, unit, &properties, 0), CUDA_ERROR_INVALID_DEVICE);
  properties.location.id = device;
  size_t total = 0;
  ASSERT_OK(cuDeviceTotalMem_v2(&total, device));
  EXPECT_EQ(cuMemCreate(&handle, (total / unit + 1) * unit, &properties, 0),
            CUDA_ERROR_OUT_OF_MEMORY);
  handle = create();
  range = reserve(2);
  EXPECT_EQ(cuMemMap(range, 2 * unit, 0, handle, 0), CUDA_ERROR_INVALID_VALUE) << "too long";
  EXPECT_EQ(cuMemMap(range + 4096, unit, 0, handle, 0), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuMemMap(range - 16 * unit, unit, 0, handle, 0), CUDA_ERROR_INVALID_VALUE);
  EXPECT_OK(cuMemMap(range, unit, 0, handle, 0));
  EXPECT_EQ(cuMemMap(range, unit, 0, handle, 0), CUDA_ERROR_INVALID_VALUE) << "twice";
  EXPECT_EQ(cuMemSetAccess(range, 2 * unit, &access, 1), CUDA_ERROR_INVALID_VALUE) << "a gap";
  access.location.id = 7;
  EXPECT_EQ(cuMemSetAccess(range, unit, &access, 1), CUDA_ERROR_INVALID_DEVICE);
  EXPECT_EQ(cuMemUnmap(range + unit, unit), CUDA_ERROR_INVALID_VALUE);
}

// Programs reserve the largest range that they may ever map: 32 GiB for a pool, 9/8 of the memory
// for each stream.
TEST_F(Virtual, ReservingCostsNothing) {
  size_t before = 0, after = 0, total = 0;
  ASSERT_OK(cuMemGetInfo_v2(&before, &total));
  const size_t large = size_t{1} << 40;
  const size_t sizes[] = {
      size_t{32} << 30, total / 8 / unit * unit * 9, large, large, large, large};
  std::vector<CUdeviceptr> ranges;
  for (const size_t size : sizes) {
    CUdeviceptr range = 0;
    ASSERT_OK(cuMemAddressReserve(&range, size, 0, 0, 0)) << size;
    ranges.push_back(range);
  }
  ASSERT_OK(cuMemGetInfo_v2(&after, &total));
  EXPECT_EQ(before, after);
  // Memory can be mapped far inside of the range, for copies and for kernels.
  const auto at = ranges.back() + large / 2;
  const auto handle = create();
  EXPECT_OK(cuMemMap(at, unit, 0, handle, 0));
  EXPECT_OK(cuMemSetAccess(at, unit, &access, 1));
  CUmodule module = nullptr;
  CUfunction function = nullptr;
  ASSERT_OK(cuModuleLoadData(&module, kKernels));
  ASSERT_OK(cuModuleGetFunction(&function, module, "store_far"));
  CUdeviceptr last = at + unit - 4;
  void* params[] = {&last};
  EXPECT_OK(cuLaunchKernel(function, 1, 1, 1, 1, 1, 1, 0, nullptr, params, nullptr));
  EXPECT_EQ(read(last), 1u);
  EXPECT_OK(cuMemUnmap(at, unit));
  EXPECT_OK(cuMemRelease(handle));
  // The hint lets a range grow at its end.
  CUdeviceptr next = 0;
  EXPECT_OK(cuMemAddressReserve(&next, unit, 0, ranges.back() + large, 0));
  EXPECT_EQ(next, ranges.back() + large);
  EXPECT_OK(cuMemAddressFree(next, unit));
  for (size_t i = 0; i < ranges.size(); ++i) EXPECT_OK(cuMemAddressFree(ranges[i], sizes[i]));
  EXPECT_EQ(cuMemAddressReserve(&next, ~(unit - 1), 0, 0, 0), CUDA_ERROR_OUT_OF_MEMORY);
  EXPECT_EQ(cuMemAddressReserve(&next, unit, size_t{1} << 63, 0, 0), CUDA_ERROR_OUT_OF_MEMORY);
}

TEST_F(Virtual, CountsAsUsed) {
  size_t before = 0, after = 0, total = 0;
  ASSERT_OK(cuMemGetInfo_v2(&before, &total));
  const auto handle = create(3);
  ASSERT_OK(cuMemGetInfo_v2(&after, &total));
  EXPECT_EQ(before - after, 3 * unit);
  EXPECT_OK(cuMemRelease(handle));
  ASSERT_OK(cuMemGetInfo_v2(&after, &total));
  EXPECT_EQ(before, after);
}

}  // namespace
