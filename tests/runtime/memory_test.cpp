// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Allocation, copies of every shape and kind, symbols, pools. Runtime API 6.11 to 6.13.
#include <numeric>

#include "../driver/kernels.h"
#include "program.h"

namespace {

using testing::ElementsAre;

TEST(Allocation, NothingIsNoMistake) {
  void* memory = &memory;
  EXPECT_OK(cudaMalloc(&memory, 0));
  EXPECT_EQ(memory, nullptr);
  EXPECT_OK(cudaMallocHost(&memory, 0));
  EXPECT_OK(cudaFree(nullptr));
  EXPECT_OK(cudaFreeHost(nullptr));
  EXPECT_EQ(cudaMalloc(nullptr, 4), cudaErrorInvalidValue);
  EXPECT_EQ(cudaFree(&memory), cudaErrorInvalidValue);
  EXPECT_EQ(cudaMalloc(&memory, size_t{1} << 60), cudaErrorMemoryAllocation);
}

TEST(Allocation, PointersKnowWhatTheyAre) {
  void *device = nullptr, *pinned = nullptr, *managed = nullptr;
  int local = 0;
  ASSERT_OK(cudaMalloc(&device, 64));
  ASSERT_OK(cudaHostAlloc(&pinned, 64, cudaHostAllocMapped));
  ASSERT_OK(cudaMallocManaged(&managed, 64, cudaMemAttachGlobal));
  const struct {
    void* pointer;
    cudaMemoryType type;
    int device;
    bool on_host, on_device;
  } cases[] = {{device, cudaMemoryTypeDevice, 0, false, true},
               {pinned, cudaMemoryTypeHost, 0, true, true},
               {managed, cudaMemoryTypeManaged, 0, true, true},
               {&local, cudaMemoryTypeUnregistered, cudaInvalidDeviceId, true, false}};
  for (const auto& each : cases) {
    cudaPointerAttributes found;
    EXPECT_OK(cudaPointerGetAttributes(&found, each.pointer));
    EXPECT_EQ(found.type, each.type);
    EXPECT_EQ(found.device, each.device);
    EXPECT_EQ(found.hostPointer, each.on_host ? each.pointer : nullptr);
    EXPECT_EQ(found.devicePointer, each.on_device ? each.pointer : nullptr);
  }
  void* mapped = nullptr;
  EXPECT_OK(cudaHostGetDevicePointer(&mapped, pinned, 0));
  EXPECT_EQ(mapped, pinned);
  EXPECT_OK(cudaFree(device));
  EXPECT_OK(cudaFree(managed));
  EXPECT_OK(cudaFreeHost(pinned));
}

TEST(Copies, EveryKind) {
  int from[] = {1, 2, 3}, to[3] = {};
  void *a = nullptr, *b = nullptr;
  ASSERT_OK(cudaMalloc(&a, 12));
  ASSERT_OK(cudaMalloc(&b, 12));
  EXPECT_OK(cudaMemcpy(a, from, 12, cudaMemcpyHostToDevice));
  EXPECT_OK(cudaMemcpy(b, a, 12, cudaMemcpyDeviceToDevice));
  EXPECT_OK(cudaMemcpy(to, b, 12, cudaMemcpyDeviceToHost));
  EXPECT_THAT(to, ElementsAre(1, 2, 3));
  from[0] = 9;
  EXPECT_OK(cudaMemcpy(to, from, 12, cudaMemcpyHostToHost));
  EXPECT_THAT(to, ElementsAre(9, 2, 3));
  EXPECT_OK(cudaMemcpy(to, b, 12, cudaMemcpyDefault));
  EXPECT_THAT(to, ElementsAre(1, 2, 3));
  EXPECT_OK(cudaMemcpyPeer(a, 0, b, 0, 12));
  EXPECT_EQ(cudaMemcpy(from, to, 12, cudaMemcpyHostToDevice), cudaErrorInvalidValue)
      << "the destination is no device memory";
  EXPECT_OK(cudaMemsetAsync(a, 7, 12, nullptr));
  EXPECT_OK(cudaMemcpyAsync(to, a, 12, cudaMemcpyDeviceToHost, nullptr));
  EXPECT_OK(cudaStreamSynchronize(nullptr));
  EXPECT_THAT(to, ElementsAre(0x07070707, 0x07070707, 0x07070707));
  EXPECT_OK(cudaFree(a));
  EXPECT_OK(cudaFree(b));
}

TEST(Copies, TwoDimensions) {
  void* memory = nullptr;
  size_t pitch = 0;
  ASSERT_OK(cudaMallocPitch(&memory, &pitch, 10, 3));
  EXPECT_GE(pitch, 10u);
  char from[3][12], to[3][10];
  std::iota(&from[0][0], &from[0][0] + sizeof from, 0);
  EXPECT_OK(cudaMemcpy2D(memory, pitch, from, 12, 10, 3, cudaMemcpyHostToDevice));
  EXPECT_OK(cudaMemset2D(static_cast<char*>(memory) + pitch, pitch, 99, 2, 2));
  EXPECT_OK(cudaMemcpy2DAsync(to, 10, memory, pitch, 10, 3, cudaMemcpyDefault, nullptr));
  EXPECT_OK(cudaDeviceSynchronize());
  EXPECT_THAT(to[0], ElementsAre(0, 1, 2, 3, 4, 5, 6, 7, 8, 9));
  EXPECT_THAT(to[1], ElementsAre(99, 99, 14, 15, 16, 17, 18, 19, 20, 21));
  EXPECT_THAT(to[2], ElementsAre(99, 99, 26, 27, 28, 29, 30, 31, 32, 33));
  EXPECT_EQ(cudaMemcpy2D(to, 9, memory, pitch, 10, 3, cudaMemcpyDefault),
            cudaErrorInvalidPitchValue);
  EXPECT_OK(cudaFree(memory));
}

TEST(Copies, ThreeDimensions) {
  cudaPitchedPtr memory{};
  const cudaExtent all = {8, 3, 2};
  ASSERT_OK(cudaMalloc3D(&memory, all));
  EXPECT_EQ(memory.xsize, 8u);
  EXPECT_EQ(memory.ysize, 3u);
  EXPECT_OK(cudaMemset3D(memory, 1, all));
  EXPECT_OK(cudaMemset3DAsync(memory, 2, {4, 2, 2}, nullptr));
  char to[2][3][8];
  cudaMemcpy3DParms copy{};
  copy.srcPtr = memory;
  copy.dstPtr = {to, 8, 8, 3};
  copy.extent = all;
  copy.kind = cudaMemcpyDeviceToHost;
  EXPECT_OK(cudaMemcpy3D(&copy));
  for (const auto& slice : to) {
    EXPECT_THAT(slice[0], ElementsAre(2, 2, 2, 2, 1, 1, 1, 1));
    EXPECT_THAT(slice[1], ElementsAre(2, 2, 2, 2, 1, 1, 1, 1));
    EXPECT_THAT(slice[2], ElementsAre(1, 1, 1, 1, 1, 1, 1, 1));
  }
  copy.srcPos = {4, 0, 1};
  copy.extent = {4, 1, 1};
  std::memset(to, 0, sizeof to);
  EXPECT_OK(cudaMemcpy3DAsync(&copy, nullptr));
  EXPECT_OK(cudaDeviceSynchronize());
  EXPECT_THAT(to[0][0], ElementsAre(1, 1, 1, 1, 0, 0, 0, 0));
  copy.srcArray = reinterpret_cast<cudaArray_t>(&copy);
  EXPECT_EQ(cudaMemcpy3D(&copy), cudaErrorInvalidValue) << "both an array and a pointer";
  EXPECT_OK(cudaFree(memory.ptr));
}

TEST(Copies, Symbols) {
  Program program(kKernels);
  const void* counter = program.variable("counter", 4);
  const void* table = program.variable("table", 24);
  size_t size = 0;
  EXPECT_OK(cudaGetSymbolSize(&size, table));
  EXPECT_EQ(size, 24u);
  int value = 17;
  EXPECT_OK(cudaMemcpyToSymbol(counter, &value, 4, 0, cudaMemcpyHostToDevice));
  value = 0;
  EXPECT_OK(cudaMemcpyFromSymbolAsync(&value, counter, 4, 0, cudaMemcpyDefault, nullptr));
  EXPECT_OK(cudaDeviceSynchronize());
  EXPECT_EQ(value, 17);
  long long entries[2] = {};
  EXPECT_OK(cudaMemcpyFromSymbol(entries, table, 16, 8, cudaMemcpyDeviceToHost));
  EXPECT_THAT(entries, ElementsAre(20, 30));
  EXPECT_EQ(cudaMemcpyFromSymbol(entries, table, 16, 16, cudaMemcpyDeviceToHost),
            cudaErrorInvalidValue);
  EXPECT_EQ(cudaMemcpyToSymbol(counter, &value, 4, 0, cudaMemcpyDeviceToHost),
            cudaErrorInvalidMemcpyDirection);
}

TEST(Managed, HintsAndPrefetch) {
  void* managed = nullptr;
  ASSERT_OK(cudaMallocManaged(&managed, 4096, cudaMemAttachGlobal));
  const cudaMemLocation here = {cudaMemLocationTypeDevice, 0};
  EXPECT_OK(cudaMemAdvise(managed, 4096, cudaMemAdviseSetPreferredLocation, here));
  EXPECT_OK(cudaMemPrefetchAsync(managed, 4096, here, 0, nullptr));
  static_cast<int*>(managed)[3] = 5;
  EXPECT_OK(cudaMemset(managed, 0, 8));
  EXPECT_OK(cudaDeviceSynchronize());
  EXPECT_EQ(static_cast<int*>(managed)[3], 5);
  EXPECT_OK(cudaFree(managed));
}

TEST(Pools, AllocationInStreamOrder) {
  cudaMemPool_t pool = nullptr, own = nullptr;
  void *memory = nullptr, *other = nullptr;
  EXPECT_OK(cudaDeviceGetDefaultMemPool(&pool, 0));
  cudaMemPoolProps properties{};
  properties.allocType = cudaMemAllocationTypePinned;
  properties.location = {cudaMemLocationTypeDevice, 0};
  ASSERT_OK(cudaMemPoolCreate(&own, &properties));
  unsigned long long threshold = 1 << 20;
  EXPECT_OK(cudaMemPoolSetAttribute(own, cudaMemPoolAttrReleaseThreshold, &threshold));
  ASSERT_OK(cudaMallocAsync(&memory, 64, nullptr));
  ASSERT_OK(cudaMallocFromPoolAsync(&other, 64, own, nullptr));
  EXPECT_OK(cudaMemsetAsync(memory, 3, 64, nullptr));
  EXPECT_OK(cudaMemcpyAsync(other, memory, 64, cudaMemcpyDeviceToDevice, nullptr));
  EXPECT_EQ(host_ints(other, 1)[0], 0x03030303);
  EXPECT_OK(cudaFreeAsync(memory, nullptr));
  EXPECT_OK(cudaFreeAsync(other, nullptr));
  EXPECT_OK(cudaDeviceSynchronize());
  EXPECT_OK(cudaMemPoolTrimTo(own, 0));
  EXPECT_OK(cudaMemPoolDestroy(own));
}

TEST(Memory, HowMuchThereIs) {
  void* memory = nullptr;
  size_t free = 0, total = 0, less = 0;
  EXPECT_OK(cudaMemGetInfo(&free, &total));
  EXPECT_OK(cudaMalloc(&memory, 1 << 20));
  EXPECT_OK(cudaMemGetInfo(&less, &total));
  EXPECT_GE(total, free);
  EXPECT_LE(less, free - (1 << 20));
  EXPECT_OK(cudaFree(memory));
}

}  // namespace
