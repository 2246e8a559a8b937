// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Allocation, copies, memsets, and attributes of pointers. Driver API 6.13, 6.17.
#include <chrono>
#include <cstring>
#include <numeric>
#include <vector>

#include "client.h"

namespace {

using testing::Each;
using testing::ElementsAre;

class MemoryTest : public InContext {
 protected:
  CUdeviceptr device_bytes(size_t bytes) {
    CUdeviceptr pointer = 0;
    EXPECT_OK(cuMemAlloc_v2(&pointer, bytes));
    return pointer;
  }
  template <class T>
  std::vector<T> read(CUdeviceptr from, size_t count) {
    std::vector<T> host(count);
    EXPECT_OK(cuMemcpyDtoH_v2(host.data(), from, count * sizeof(T)));
    return host;
  }
};

TEST_F(MemoryTest, ThereAndBack) {
  std::vector<int> host(1000);
  std::iota(host.begin(), host.end(), 0);
  const CUdeviceptr a = device_bytes(4000), b = device_bytes(4000);
  EXPECT_EQ(a % 256, 0u);
  EXPECT_OK(cuMemcpyHtoD_v2(a, host.data(), 4000));
  EXPECT_OK(cuMemcpyDtoD_v2(b, a, 4000));
  EXPECT_EQ(read<int>(b, 1000), host);
  EXPECT_EQ(read<int>(b + 400, 2), (std::vector<int>{100, 101}));
}

TEST_F(MemoryTest, BadSizesAndPointers) {
  CUdeviceptr p = 0;
  int host = 0;
  EXPECT_EQ(cuMemAlloc_v2(&p, 0), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuMemAlloc_v2(nullptr, 8), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuMemAlloc_v2(&p, size_t{1} << 60), CUDA_ERROR_OUT_OF_MEMORY);
  p = device_bytes(8);
  EXPECT_EQ(cuMemcpyHtoD_v2(p + 6, &host, 4), CUDA_ERROR_INVALID_VALUE) << "leaves the allocation";
  EXPECT_EQ(cuMemcpyDtoH_v2(&host, 0, 4), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuMemcpyHtoD_v2(reinterpret_cast<CUdeviceptr>(&host), &host, 4),
            CUDA_ERROR_INVALID_VALUE)
      << "not device memory";
  EXPECT_OK(cuMemcpyDtoH_v2(&host, 0, 0)) << "nothing to copy, nothing to check";
  EXPECT_OK(cuMemFree_v2(p));
  EXPECT_EQ(cuMemFree_v2(p), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuMemcpyHtoD_v2(p, &host, 4), CUDA_ERROR_INVALID_VALUE);
  EXPECT_OK(cuMemFree_v2(0));
}

TEST_F(MemoryTest, FreeOnlyWhereItBegan) {
  const CUdeviceptr p = device_bytes(64);
  EXPECT_EQ(cuMemFree_v2(p + 16), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuMemFreeHost(reinterpret_cast<void*>(p)), CUDA_ERROR_INVALID_VALUE);
  EXPECT_OK(cuMemFree_v2(p));
}

TEST_F(MemoryTest, InfoCounts) {
  size_t before = 0, during = 0, after = 0, total = 0;
  EXPECT_OK(cuMemGetInfo_v2(&before, &total));
  EXPECT_LE(before, total);
  const CUdeviceptr p = device_bytes(16 << 20);
  EXPECT_OK(cuMemGetInfo_v2(&during, &total));
  EXPECT_LE(during, before - (16 << 20));
  EXPECT_OK(cuMemFree_v2(p));
  EXPECT_OK(cuMemGetInfo_v2(&after, &total));
  EXPECT_EQ(after, before);
}

TEST_F(MemoryTest, AddressRange) {
  const CUdeviceptr p = device_bytes(100);
  CUdeviceptr base = 0;
  size_t size = 0;
  EXPECT_OK(cuMemGetAddressRange_v2(&base, &size, p + 99));
  EXPECT_EQ(base, p);
  EXPECT_EQ(size, 100u);
  EXPECT_OK(cuMemGetAddressRange_v2(nullptr, &size, p));
  EXPECT_OK(cuMemGetAddressRange_v2(&base, nullptr, p));
  EXPECT_EQ(cuMemGetAddressRange_v2(&base, &size, reinterpret_cast<CUdeviceptr>(&size)),
            CUDA_ERROR_NOT_FOUND);
}

TEST_F(MemoryTest, PinnedMemoryIsOnePointerForBoth) {
  void* a = nullptr;
  void* b = nullptr;
  CUdeviceptr device = 0;
  unsigned flags = 0;
  EXPECT_OK(cuMemAllocHost_v2(&a, 64));
  EXPECT_OK(cuMemHostAlloc(&b, 64, CU_MEMHOSTALLOC_PORTABLE | CU_MEMHOSTALLOC_DEVICEMAP));
  std::memset(a, 7, 64);
  EXPECT_OK(cuMemHostGetDevicePointer_v2(&device, b, 0));
  EXPECT_OK(cuMemcpyHtoD_v2(device, a, 64));
  EXPECT_EQ(static_cast<unsigned char*>(b)[63], 7);
  EXPECT_OK(cuMemHostGetFlags(&flags, b));
  EXPECT_EQ(flags, 3u);
  EXPECT_EQ(cuMemHostAlloc(&b, 64, 0x80), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuMemFree_v2(device), CUDA_ERROR_INVALID_VALUE) << "cuMemFreeHost frees it";
  EXPECT_OK(cuMemFreeHost(a));
  EXPECT_OK(cuMemFreeHost(b));
  EXPECT_EQ(cuMemHostGetDevicePointer_v2(&device, b, 0), CUDA_ERROR_INVALID_VALUE);
}

TEST_F(MemoryTest, ManagedMemoryIsReadByTheHost) {
  CUdeviceptr p = 0;
  EXPECT_OK(cuMemAllocManaged(&p, 16, CU_MEM_ATTACH_GLOBAL));
  EXPECT_OK(cuMemsetD32_v2(p, 42, 4));
  EXPECT_OK(cuCtxSynchronize());
  EXPECT_EQ(reinterpret_cast<int*>(p)[3], 42);
  EXPECT_EQ(cuMemAllocManaged(&p, 16, 0), CUDA_ERROR_INVALID_VALUE);
  EXPECT_OK(cuMemFree_v2(p));
}

TEST_F(MemoryTest, HintsAboutManagedMemory) {
  CUdeviceptr p = 0;
  ASSERT_OK(cuMemAllocManaged(&p, 4096, CU_MEM_ATTACH_GLOBAL));
  EXPECT_OK(cuMemPrefetchAsync(p, 4096, 0, nullptr));
  EXPECT_OK(cuMemPrefetchAsync(p, 100, CU_DEVICE_CPU, nullptr));
  EXPECT_OK(cuMemAdvise(p, 4096, CU_MEM_ADVISE_SET_READ_MOSTLY, 0));
  EXPECT_OK(cuMemAdvise(p, 4096, CU_MEM_ADVISE_SET_PREFERRED_LOCATION, CU_DEVICE_CPU));
  EXPECT_EQ(cuMemPrefetchAsync(p, 5000, 0, nullptr), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuMemPrefetchAsync(p, 4096, 3, nullptr), CUDA_ERROR_INVALID_DEVICE);
  EXPECT_EQ(cuMemPrefetchAsync(device_bytes(8), 8, 0, nullptr), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuMemAdvise(p, 4096, static_cast<CUmem_advise>(99), 0), CUDA_ERROR_INVALID_VALUE);
  EXPECT_OK(cuMemFree_v2(p));
}

TEST_F(MemoryTest, Sets) {
  const CUdeviceptr p = device_bytes(16);
  EXPECT_OK(cuMemsetD8_v2(p, 0xff, 16));
  EXPECT_OK(cuMemsetD16_v2(p + 2, 0x1234, 1));
  EXPECT_OK(cuMemsetD32_v2(p + 8, 0xabcd0123, 1));
  EXPECT_THAT(read<unsigned>(p, 4), ElementsAre(0x1234ffffu, ~0u, 0xabcd0123u, ~0u));
  EXPECT_EQ(cuMemsetD16_v2(p + 1, 0, 1), CUDA_ERROR_INVALID_VALUE) << "misaligned";
  EXPECT_EQ(cuMemsetD32_v2(p + 2, 0, 1), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuMemsetD8_v2(p, 0, 17), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuMemsetD32_v2(p, 0, SIZE_MAX / 2), CUDA_ERROR_INVALID_VALUE);
  EXPECT_OK(cuMemsetD8_v2(0, 0, 0));
}

TEST_F(MemoryTest, SetsOfRows) {
  const CUdeviceptr p = device_bytes(12);
  EXPECT_OK(cuMemsetD8_v2(p, 0, 12));
  EXPECT_OK(cuMemsetD2D8_v2(p, 4, 9, 2, 3));
  EXPECT_THAT(read<unsigned char>(p, 12), ElementsAre(9, 9, 0, 0, 9, 9, 0, 0, 9, 9, 0, 0));
  EXPECT_EQ(cuMemsetD2D8_v2(p, 1, 9, 2, 3), CUDA_ERROR_INVALID_VALUE) << "pitch below width";
  EXPECT_EQ(cuMemsetD2D32_v2(p, 8, 9, 2, 2), CUDA_ERROR_INVALID_VALUE) << "four bytes too far";
}

TEST_F(MemoryTest, PitchedAllocation) {
  CUdeviceptr p = 0;
  size_t pitch = 0;
  EXPECT_OK(cuMemAllocPitch_v2(&p, &pitch, 100, 3, 4));
  EXPECT_GE(pitch, 100u);
  EXPECT_EQ(pitch % 32, 0u);
  EXPECT_OK(cuMemsetD8_v2(p, 1, pitch * 3));
  EXPECT_EQ(cuMemAllocPitch_v2(&p, &pitch, 100, 3, 5), CUDA_ERROR_INVALID_VALUE);
}

TEST_F(MemoryTest, CopyOfRows) {
  const CUdeviceptr p = device_bytes(64);
  EXPECT_OK(cuMemsetD8_v2(p, 0, 64));
  const unsigned char host[] = {1, 2, 3, 4, 5, 6};
  CUDA_MEMCPY2D copy{};
  copy.srcMemoryType = CU_MEMORYTYPE_HOST;
  copy.srcHost = host;
  copy.srcPitch = 3;
  copy.srcXInBytes = 1;
  copy.dstMemoryType = CU_MEMORYTYPE_DEVICE;
  copy.dstDevice = p;
  copy.dstPitch = 4;
  copy.dstY = 1;
  copy.WidthInBytes = 2;
  copy.Height = 2;
  EXPECT_OK(cuMemcpy2D_v2(&copy));
  EXPECT_THAT(read<unsigned char>(p, 12), ElementsAre(0, 0, 0, 0, 2, 3, 0, 0, 5, 6, 0, 0));
  copy.dstY = 15;
  EXPECT_EQ(cuMemcpy2D_v2(&copy), CUDA_ERROR_INVALID_VALUE) << "leaves the allocation";
  copy.dstMemoryType = CU_MEMORYTYPE_ARRAY;
  EXPECT_EQ(cuMemcpy2D_v2(&copy), CUDA_ERROR_INVALID_VALUE) << "no such array";
  EXPECT_EQ(cuMemcpy2D_v2(nullptr), CUDA_ERROR_INVALID_VALUE);
}

// Sums and products of more than 64 bits are refused, instead of wrapping to another place.
TEST_F(MemoryTest, PlacesBeyondAllAddresses) {
  const CUdeviceptr a = device_bytes(4096), b = device_bytes(4096);
  CUDA_MEMCPY3D good{};
  good.srcMemoryType = good.dstMemoryType = CU_MEMORYTYPE_DEVICE;
  good.srcDevice = a + 2048;
  good.dstDevice = b;
  good.srcPitch = good.dstPitch = 16;
  good.srcHeight = good.dstHeight = 2;
  good.WidthInBytes = 8;
  good.Height = good.Depth = 2;
  EXPECT_OK(cuMemcpy3D_v2(&good));
  using Change = void (*)(CUDA_MEMCPY3D&);
  const Change changes[] = {
      [](CUDA_MEMCPY3D& p) { p.srcXInBytes = ~size_t{0} - 7; },
      [](CUDA_MEMCPY3D& p) { p.srcXInBytes = ~size_t{0} - 15, p.srcPitch = 0; },
      [](CUDA_MEMCPY3D& p) { p.srcY = ~size_t{0}, p.srcHeight = 0; },
      [](CUDA_MEMCPY3D& p) { p.srcY = (size_t{1} << 60) - 1; },
      [](CUDA_MEMCPY3D& p) { p.srcZ = (size_t{1} << 59) - 1; },
      [](CUDA_MEMCPY3D& p) { p.srcPitch = size_t{1} << 63; },
      [](CUDA_MEMCPY3D& p) { p.srcHeight = size_t{1} << 62; },
      [](CUDA_MEMCPY3D& p) { p.WidthInBytes = ~size_t{0}; },
      [](CUDA_MEMCPY3D& p) { p.Height = ~size_t{0}; },
      [](CUDA_MEMCPY3D& p) { p.Depth = ~size_t{0}; },
  };
  for (size_t i = 0; i < std::size(changes); ++i) {
    CUDA_MEMCPY3D wrong = good;
    changes[i](wrong);
    EXPECT_EQ(cuMemcpy3D_v2(&wrong), CUDA_ERROR_INVALID_VALUE) << i;
  }
}

TEST_F(MemoryTest, CopyOfSlices) {
  const CUdeviceptr p = device_bytes(64);
  EXPECT_OK(cuMemsetD8_v2(p, 0, 64));
  const unsigned char host[] = {1, 2, 3, 4, 5, 6, 7, 8};
  CUDA_MEMCPY3D copy{};
  copy.srcMemoryType = CU_MEMORYTYPE_HOST;
  copy.srcHost = host;
  copy.srcPitch = 2;
  copy.srcHeight = 2;
  copy.dstMemoryType = CU_MEMORYTYPE_UNIFIED;
  copy.dstDevice = p;
  copy.dstPitch = 4;
  copy.dstHeight = 3;
  copy.WidthInBytes = 2;
  copy.Height = 2;
  copy.Depth = 2;
  EXPECT_OK(cuMemcpy3D_v2(&copy));
  EXPECT_THAT(read<unsigned char>(p, 18),
              ElementsAre(1, 2, 0, 0, 3, 4, 0, 0, 0, 0, 0, 0, 5, 6, 0, 0, 7, 8));
}

TEST_F(MemoryTest, UnifiedCopyFindsOutTheDirection) {
  const CUdeviceptr p = device_bytes(8);
  long in = 77, out = 0;
  const auto address = [](long& value) { return reinterpret_cast<CUdeviceptr>(&value); };
  EXPECT_OK(cuMemcpy(p, address(in), 8));
  EXPECT_OK(cuMemcpy(address(out), p, 8));
  EXPECT_EQ(out, 77);
}

TEST_F(MemoryTest, PageableMemoryMayBeReusedAfterAnAsynchronousCopy) {
  CUstream stream = nullptr;
  EXPECT_OK(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
  const CUdeviceptr p = device_bytes(4);
  {
    Gate gate(stream);
    int host = 5;
    EXPECT_OK(cuMemcpyHtoDAsync_v2(p, &host, 4, stream));
    host = 6;
    EXPECT_EQ(cuStreamQuery(stream), CUDA_ERROR_NOT_READY);
  }
  EXPECT_OK(cuStreamSynchronize(stream));
  EXPECT_THAT(read<int>(p, 1), ElementsAre(5));
  EXPECT_OK(cuStreamDestroy_v2(stream));
}

// calls.txt has the table of calls that wait; this tests the effect of a flag of the context.
TEST_F(MemoryTest, ContextInWhichSynchronousFunctionsAlwaysWait) {
  const CUdeviceptr a = device_bytes(4), b = device_bytes(4);
  CUstream stream = nullptr;
  EXPECT_OK(cuStreamCreate(&stream, CU_STREAM_DEFAULT));
  ASSERT_OK(cuCtxSetFlags(CU_CTX_SYNC_MEMOPS));
  for (const bool sets : {false, true}) {
    Gate gate(stream);
    std::atomic<bool> opened{false};
    std::thread later([&] {
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
      opened = true;
      gate.open();
    });
    EXPECT_OK(sets ? cuMemsetD32_v2(a, 1, 1) : cuMemcpyDtoD_v2(a, b, 4));
    EXPECT_TRUE(opened) << sets;
    later.join();
  }
  EXPECT_OK(cuStreamDestroy_v2(stream));
}

TEST_F(MemoryTest, WhatAPointerIs) {
  const CUdeviceptr p = device_bytes(32);
  CUcontext owner = nullptr;
  unsigned type = 0, managed = 7;
  int ordinal = -1;
  CUdeviceptr start = 0;
  size_t size = 0;
  EXPECT_OK(cuPointerGetAttribute(&owner, CU_POINTER_ATTRIBUTE_CONTEXT, p + 3));
  EXPECT_EQ(owner, context);
  EXPECT_OK(cuPointerGetAttribute(&type, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, p));
  EXPECT_EQ(type, static_cast<unsigned>(CU_MEMORYTYPE_DEVICE));
  EXPECT_OK(cuPointerGetAttribute(&managed, CU_POINTER_ATTRIBUTE_IS_MANAGED, p));
  EXPECT_EQ(managed, 0u);
  EXPECT_OK(cuPointerGetAttribute(&ordinal, CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL, p));
  EXPECT_EQ(ordinal, 0);
  EXPECT_OK(cuPointerGetAttribute(&start, CU_POINTER_ATTRIBUTE_RANGE_START_ADDR, p + 31));
  EXPECT_EQ(start, p);
  EXPECT_OK(cuPointerGetAttribute(&size, CU_POINTER_ATTRIBUTE_RANGE_SIZE, p));
  EXPECT_EQ(size, 32u);

  const auto host = reinterpret_cast<CUdeviceptr>(&size);
  EXPECT_EQ(cuPointerGetAttribute(&type, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, host),
            CUDA_ERROR_INVALID_VALUE);
  CUpointer_attribute which[] = {CU_POINTER_ATTRIBUTE_MEMORY_TYPE,
                                 CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL};
  void* out[] = {&type, &ordinal};
  EXPECT_OK(cuPointerGetAttributes(2, which, out, host)) << "the list form has null values";
  EXPECT_EQ(type, 0u);
  EXPECT_EQ(ordinal, CU_DEVICE_INVALID);
}

}  // namespace
