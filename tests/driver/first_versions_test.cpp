// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The first versions of functions, whose addresses and sizes have 32 bits: for programs of CUDA 3.1
// and before, and for programs that ask cuGetProcAddress for that version. Driver API 6.5, 6.10,
// 6.13.
#include <array>
#include <cstring>
#include <limits>
#include <numeric>

#include "client.h"
#include "kernels.h"

namespace {

constexpr const char* kNarrow = R"ptx(
.version 3.2
.target sm_20
.address_size 32

// p[i] = p[i] + 1
.visible .entry increment(.param .u32 p)
{
  .reg .b32 %a, %i, %v;
  ld.param.u32 %a, [p];
  mov.u32 %i, %tid.x;
  mad.lo.u32 %a, %i, 4, %a;
  ld.global.u32 %v, [%a];
  add.u32 %v, %v, 1;
  st.global.u32 [%a], %v;
  ret;
}
)ptx";

constexpr unsigned kWords = 64, kBytes = 4 * kWords;
using Words = std::array<unsigned, kWords>;

class FirstVersions : public InContext {
 protected:
  void SetUp() override {
    InContext::SetUp();
    ASSERT_OK(cuMemAlloc(&device_memory, kBytes));
    ASSERT_OK(cuMemAlloc(&other, kBytes));
    std::iota(counted.begin(), counted.end(), 100);
  }
  void TearDown() override {
    EXPECT_OK(cuMemFree(device_memory));
    EXPECT_OK(cuMemFree(other));
    InContext::TearDown();
  }
  Words read(CUdeviceptr_v1 from) {
    Words out{};
    EXPECT_OK(cuMemcpyDtoH(out.data(), from, kBytes));
    return out;
  }

  CUdeviceptr_v1 device_memory = 0, other = 0;
  Words counted{};
};

TEST_F(FirstVersions, AreOneMemoryWithTheLaterOnes) {
  EXPECT_OK(cuMemcpyHtoD_v2(device_memory, counted.data(), kBytes));
  EXPECT_EQ(read(device_memory), counted);
  CUdeviceptr_v1 base = 0;
  unsigned size = 0;
  EXPECT_OK(cuMemGetAddressRange(&base, &size, device_memory + 8));
  EXPECT_EQ(base, device_memory);
  EXPECT_EQ(size, kBytes);
  EXPECT_OK(cuMemGetAddressRange(nullptr, &size, device_memory));
  EXPECT_EQ(cuMemGetAddressRange(&base, &size, 8), CUDA_ERROR_NOT_FOUND);
  EXPECT_EQ(cuMemFree(device_memory + 8), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuMemAlloc(nullptr, 8), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuMemAlloc(&base, 0), CUDA_ERROR_INVALID_VALUE);
}

TEST_F(FirstVersions, KernelsOf32Bits) {
  CUmodule module = nullptr;
  CUfunction increment = nullptr;
  ASSERT_OK(cuModuleLoadData(&module, kNarrow));
  ASSERT_OK(cuModuleGetFunction(&increment, module, "increment"));
  EXPECT_OK(cuMemcpyHtoD(device_memory, counted.data(), kBytes));
  void* params[] = {&device_memory};
  ASSERT_OK(cuLaunchKernel(increment, 1, 1, 1, kWords, 1, 1, 0, nullptr, params, nullptr));
  for (unsigned& word : counted) ++word;
  EXPECT_EQ(read(device_memory), counted);
}

TEST_F(FirstVersions, VariablesOfModules) {
  CUmodule module = nullptr;
  CUdeviceptr_v1 address = 0;
  unsigned bytes = 0, value = 0;
  ASSERT_OK(cuModuleLoadData(&module, kKernels));
  EXPECT_OK(cuModuleGetGlobal(&address, &bytes, module, "counter"));
  EXPECT_EQ(bytes, 4u);
  EXPECT_OK(cuMemcpyDtoH(&value, address, 4));
  EXPECT_EQ(value, 5u);
  EXPECT_OK(cuModuleGetGlobal(nullptr, &bytes, module, "table"));
  EXPECT_EQ(bytes, 24u);
  EXPECT_EQ(cuModuleGetGlobal(&address, &bytes, module, "nothing"), CUDA_ERROR_NOT_FOUND);
}

// A size of more than 32 bits is reported as 2^32 - 1.
TEST_F(FirstVersions, AmountsOfMemory) {
  constexpr size_t kMost = std::numeric_limits<unsigned>::max();
  unsigned total = 0, free = 0, whole = 0;
  size_t total_now = 0, free_now = 0;
  EXPECT_OK(cuDeviceTotalMem(&whole, device));
  EXPECT_OK(cuMemGetInfo(&free, &total));
  EXPECT_OK(cuMemGetInfo_v2(&free_now, &total_now));
  EXPECT_EQ(total, std::min(kMost, total_now));
  EXPECT_EQ(free, std::min(kMost, free_now));
  EXPECT_EQ(whole, total);
  EXPECT_EQ(cuDeviceTotalMem(nullptr, device), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuDeviceTotalMem(&whole, 99), CUDA_ERROR_INVALID_DEVICE);
  EXPECT_EQ(cuMemGetInfo(nullptr, &total), CUDA_ERROR_INVALID_VALUE);
}

// The memory below 4 GiB is exhausted before that of a large device.
TEST_F(FirstVersions, NoMoreThan32BitsReach) {
  constexpr unsigned kPiece = 512u << 20;
  std::vector<CUdeviceptr_v1> pieces;
  CUresult result = CUDA_SUCCESS;
  while (pieces.size() < 8 && result == CUDA_SUCCESS) {
    CUdeviceptr_v1 piece = 0;
    result = cuMemAlloc(&piece, kPiece);
    if (result == CUDA_SUCCESS) pieces.push_back(piece);
  }
  EXPECT_EQ(result, CUDA_ERROR_OUT_OF_MEMORY);
  for (const auto piece : pieces) EXPECT_OK(cuMemFree(piece));
}

TEST_F(FirstVersions, PinnedMemory) {
  void* host = nullptr;
  CUdeviceptr_v1 address = 0;
  ASSERT_OK(cuMemAllocHost(&host, kBytes));
  EXPECT_OK(cuMemHostGetDevicePointer(&address, host, 0));
  EXPECT_EQ(address, reinterpret_cast<uintptr_t>(host));
  EXPECT_OK(cuMemcpyDtoD(address, device_memory, kBytes));
  EXPECT_EQ(cuMemHostGetDevicePointer(nullptr, host, 0), CUDA_ERROR_INVALID_VALUE);
  EXPECT_OK(cuMemFreeHost(host));
  // The program's memory lies above 4 GiB.
  Words own{};
  ASSERT_OK(cuMemHostRegister_v2(own.data(), kBytes, 0));
  EXPECT_EQ(cuMemHostGetDevicePointer(&address, own.data(), 0), CUDA_ERROR_INVALID_VALUE);
  EXPECT_OK(cuMemHostUnregister(own.data()));
}

TEST_F(FirstVersions, Copies) {
  const Words zeros{};
  struct Row {
    const char* name;
    std::function<CUresult(CUdeviceptr_v1 to, CUdeviceptr_v1 from, Words& back)> copy;
  };
  const Row rows[] = {
      {"synchronous",
       [&](auto to, auto from, Words& back) {
         if (const auto bad = cuMemcpyHtoD(from, counted.data(), kBytes)) return bad;
         if (const auto bad = cuMemcpyDtoD(to, from, kBytes)) return bad;
         return cuMemcpyDtoH(back.data(), to, kBytes);
       }},
      {"asynchronous",
       [&](auto to, auto from, Words& back) {
         if (const auto bad = cuMemcpyHtoDAsync(from, counted.data(), kBytes, nullptr)) return bad;
         if (const auto bad = cuMemcpyDtoDAsync(to, from, kBytes, nullptr)) return bad;
         return cuMemcpyDtoHAsync(back.data(), to, kBytes, nullptr);
       }},
  };
  for (const Row& row : rows) {
    SCOPED_TRACE(row.name);
    EXPECT_OK(cuMemcpyHtoD(other, zeros.data(), kBytes));
    Words back{};
    EXPECT_OK(row.copy(other, device_memory, back));
    EXPECT_OK(cuCtxSynchronize());
    EXPECT_EQ(back, counted);
  }
  EXPECT_EQ(cuMemcpyHtoD(8, counted.data(), kBytes), CUDA_ERROR_INVALID_VALUE);
}

TEST_F(FirstVersions, CopiesOfRows) {
  using Copy2D = CUresult (*)(const CUDA_MEMCPY2D_v1*);
  const std::pair<const char*, Copy2D> all[] = {
      {"2D", [](const auto* p) { return cuMemcpy2D(p); }},
      {"2DUnaligned", [](const auto* p) { return cuMemcpy2DUnaligned(p); }},
      {"2DAsync", [](const auto* p) { return cuMemcpy2DAsync(p, nullptr); }},
      {"3D",
       [](const auto* p) {
         CUDA_MEMCPY3D_v1 q{};
         q.srcXInBytes = p->srcXInBytes, q.srcY = p->srcY, q.srcMemoryType = p->srcMemoryType;
         q.srcHost = p->srcHost, q.srcPitch = p->srcPitch, q.dstXInBytes = p->dstXInBytes;
         q.dstY = p->dstY, q.dstMemoryType = p->dstMemoryType, q.dstDevice = p->dstDevice;
         q.dstPitch = p->dstPitch, q.WidthInBytes = p->WidthInBytes, q.Height = p->Height;
         q.Depth = 1;
         return cuMemcpy3D(&q);
       }},
      {"3DAsync",
       [](const auto* p) {
         CUDA_MEMCPY3D_v1 q{};
         // The same in slices of one row.
         q.srcXInBytes = p->srcXInBytes, q.srcZ = p->srcY, q.srcMemoryType = p->srcMemoryType;
         q.srcHost = p->srcHost, q.srcPitch = p->srcPitch, q.dstXInBytes = p->dstXInBytes;
         q.dstZ = p->dstY, q.dstMemoryType = p->dstMemoryType, q.dstDevice = p->dstDevice;
         q.dstPitch = p->dstPitch, q.WidthInBytes = p->WidthInBytes, q.Depth = p->Height;
         q.srcHeight = q.dstHeight = q.Height = 1;
         return cuMemcpy3DAsync(&q, nullptr);
       }},
  };
  // A block of 2 x 3 words from rows of 8 into rows of 16.
  CUDA_MEMCPY2D_v1 params{};
  params.srcXInBytes = 4, params.srcY = 1, params.srcMemoryType = CU_MEMORYTYPE_HOST;
  params.srcHost = counted.data(), params.srcPitch = 32;
  params.dstXInBytes = 8, params.dstY = 1, params.dstMemoryType = CU_MEMORYTYPE_DEVICE;
  params.dstDevice = device_memory, params.dstPitch = 64;
  params.WidthInBytes = 8, params.Height = 3;
  Words expected{};
  for (unsigned y = 0; y < 3; ++y) {
    for (unsigned x = 0; x < 2; ++x) expected[16 * (y + 1) + 2 + x] = counted[8 * (y + 1) + 1 + x];
  }
  for (const auto& [name, copy] : all) {
    SCOPED_TRACE(name);
    EXPECT_OK(cuMemsetD8(device_memory, 0, kBytes));
    EXPECT_OK(copy(&params));
    EXPECT_OK(cuCtxSynchronize());
    EXPECT_EQ(read(device_memory), expected);
  }
  EXPECT_EQ(cuMemcpy2D(nullptr), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuMemcpy3D(nullptr), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuMemcpy2DAsync(nullptr, nullptr), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuMemcpy3DAsync(nullptr, nullptr), CUDA_ERROR_INVALID_VALUE);
}

TEST_F(FirstVersions, Memsets) {
  EXPECT_OK(cuMemsetD32(device_memory, 0x01020304, kWords));
  EXPECT_OK(cuMemsetD16(device_memory + 4, 0xABCD, 2));
  EXPECT_OK(cuMemsetD8(device_memory + 8, 0xEE, 1));
  EXPECT_OK(cuMemsetD2D32(device_memory + 16, 16, 7, 1, 2));
  EXPECT_OK(cuMemsetD2D16(device_memory + 48, 16, 8, 1, 2));
  EXPECT_OK(cuMemsetD2D8(device_memory + 80, 16, 9, 1, 2));
  const Words found = read(device_memory);
  const std::pair<unsigned, unsigned> words[] = {
      {0, 0x01020304},  {1, 0xABCDABCD},  {2, 0x010203EE},  {3, 0x01020304},
      {4, 7},           {5, 0x01020304},  {8, 7},           {12, 0x01020008},
      {16, 0x01020008}, {20, 0x01020309}, {24, 0x01020309}, {63, 0x01020304}};
  for (const auto& [at, value] : words) EXPECT_EQ(found[at], value) << at;
}

TEST_F(FirstVersions, Pitch) {
  CUdeviceptr_v1 rows = 0;
  unsigned pitch = 0;
  ASSERT_OK(cuMemAllocPitch(&rows, &pitch, 100, 3, 4));
  EXPECT_GE(pitch, 100u);
  EXPECT_OK(cuMemsetD2D8(rows, pitch, 1, 100, 3));
  EXPECT_OK(cuMemFree(rows));
  EXPECT_EQ(cuMemAllocPitch(&rows, nullptr, 100, 3, 4), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuMemAllocPitch(&rows, &pitch, 100, 3, 5), CUDA_ERROR_INVALID_VALUE);
}

TEST_F(FirstVersions, Arrays) {
  const CUDA_ARRAY_DESCRIPTOR_v1 line{kWords, 0, CU_AD_FORMAT_UNSIGNED_INT32, 1};
  const CUDA_ARRAY3D_DESCRIPTOR_v1 block{8, 4, 2, CU_AD_FORMAT_FLOAT, 2, 0};
  CUarray a = nullptr, b = nullptr, c = nullptr;
  ASSERT_OK(cuArrayCreate(&a, &line));
  ASSERT_OK(cuArrayCreate(&b, &line));
  ASSERT_OK(cuArray3DCreate(&c, &block));
  CUDA_ARRAY_DESCRIPTOR_v1 line_back{};
  CUDA_ARRAY3D_DESCRIPTOR_v1 block_back{};
  EXPECT_OK(cuArrayGetDescriptor(&line_back, a));
  EXPECT_OK(cuArray3DGetDescriptor(&block_back, c));
  EXPECT_EQ(std::memcmp(&line, &line_back, sizeof line), 0);
  EXPECT_EQ(std::memcmp(&block, &block_back, sizeof block), 0);

  // Through every function that copies to or from an array of one dimension.
  Words back{};
  EXPECT_OK(cuMemcpyHtoA(a, 0, counted.data(), kBytes / 2));
  EXPECT_OK(cuMemcpyHtoAAsync(a, kBytes / 2, &counted[kWords / 2], kBytes / 2, nullptr));
  EXPECT_OK(cuMemcpyAtoA(b, 0, a, 0, kBytes));
  EXPECT_OK(cuMemcpyAtoD(device_memory, b, 0, kBytes));
  EXPECT_OK(cuMemcpyDtoA(a, 4, device_memory, kBytes - 4));
  EXPECT_OK(cuMemcpyAtoH(back.data(), a, 0, kBytes / 2));
  EXPECT_OK(cuMemcpyAtoHAsync(&back[kWords / 2], a, kBytes / 2, kBytes / 2, nullptr));
  EXPECT_OK(cuCtxSynchronize());
  EXPECT_EQ(read(device_memory), counted);
  EXPECT_EQ(back[0], counted[0]);
  for (unsigned i = 1; i < kWords; ++i) EXPECT_EQ(back[i], counted[i - 1]) << i;

  EXPECT_EQ(cuArrayCreate(&a, nullptr), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuArray3DCreate(nullptr, &block), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuArrayGetDescriptor(nullptr, b), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuArray3DGetDescriptor(nullptr, b), CUDA_ERROR_INVALID_VALUE);
  for (const CUarray array : {a, b, c}) EXPECT_OK(cuArrayDestroy(array));
}

}  // namespace
