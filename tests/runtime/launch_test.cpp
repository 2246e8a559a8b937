// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Launches, and kernels as objects. Runtime API 6.8, 6.10.
#include "../driver/kernels.h"
#include "program.h"

namespace {

constexpr const char* kClusters = R"ptx(
.version 8.0
.target sm_90
.address_size 64
.visible .entry cluster_size(.param .u64 out)
{
  .reg .b32 %r<2>;
  .reg .b64 %rd;
  ld.param.u64 %rd, [out];
  mov.u32 %r0, %cluster_nctaid.x;
  atom.global.max.u32 %r1, [%rd], %r0;
  ret;
}
)ptx";

class Launches : public testing::Test {
 protected:
  Program program{kKernels};
};

TEST_F(Launches, ArgumentsOfSeveralSizes) {
  void* in = device_ints({1, 2, 3, 4, 5});
  void* out = device_ints({0, 0, 0, 0, 0});
  unsigned n = 4;
  unsigned char addend = 100;
  void* arguments[] = {&out, &in, &n, &addend};
  EXPECT_OK(
      cudaLaunchKernel(program.kernel("add_to"), {2, 1, 1}, {3, 1, 1}, arguments, 0, nullptr));
  EXPECT_THAT(host_ints(out, 5), testing::ElementsAre(101, 102, 103, 104, 0));
  EXPECT_OK(cudaFree(in));
  EXPECT_OK(cudaFree(out));
}

TEST_F(Launches, DynamicSharedMemory) {
  void* data = device_ints({1, 2, 3, 4});
  void* arguments[] = {&data};
  EXPECT_OK(
      cudaLaunchKernel(program.kernel("reverse"), {1, 1, 1}, {4, 1, 1}, arguments, 16, nullptr));
  EXPECT_THAT(host_ints(data, 4), testing::ElementsAre(4, 3, 2, 1));
  EXPECT_OK(cudaLaunchCooperativeKernel(program.kernel("reverse"), {1, 1, 1}, {4, 1, 1}, arguments,
                                        16, nullptr));
  EXPECT_THAT(host_ints(data, 4), testing::ElementsAre(1, 2, 3, 4));
  EXPECT_OK(cudaFree(data));
}

TEST_F(Launches, ConfigurationsThatAreNone) {
  const void* count = program.kernel("count");
  const struct {
    dim3 grid, block;
  } cases[] = {
      {{0, 1, 1}, {1, 1, 1}},         {{1, 1, 1}, {1, 0, 1}},   {{1, 1, 1}, {2048, 1, 1}},
      {{1, 1, 1}, {1, 1, 65}},        {{1, 1, 1}, {64, 64, 1}}, {{1, 65536, 1}, {1, 1, 1}},
      {{1, 1, 1}, {65536, 65536, 1}},
  };
  for (const auto& [grid, block] : cases) {
    EXPECT_EQ(cudaLaunchKernel(count, grid, block, nullptr, 0, nullptr),
              cudaErrorInvalidConfiguration);
  }
  EXPECT_EQ(
      cudaLaunchKernel(program.kernel("small_blocks"), {1, 1, 1}, {65, 1, 1}, nullptr, 0, nullptr),
      cudaErrorInvalidValue)
      << "another kernel could be";
  EXPECT_EQ(cudaGetLastError(), cudaErrorInvalidValue);
}

TEST_F(Launches, ConfigurationWithAttributes) {
  Program clusters(kClusters);
  void* out = device_ints({0});
  void* arguments[] = {&out};
  cudaLaunchAttribute attributes[3] = {};
  attributes[0].id = cudaLaunchAttributeClusterDimension;
  attributes[0].val.clusterDim = {4, 1, 1};
  attributes[1].id = cudaLaunchAttributePriority;
  attributes[1].val.priority = 0;
  attributes[2].id = cudaLaunchAttributeProgrammaticStreamSerialization;
  attributes[2].val.programmaticStreamSerializationAllowed = 1;
  cudaLaunchConfig_t config = {{8, 1, 1}, {32, 1, 1}, 0, nullptr, attributes, 3};
  const void* kernel = clusters.kernel("cluster_size");
  EXPECT_OK(cudaLaunchKernelExC(&config, kernel, arguments));
  EXPECT_EQ(host_ints(out, 1)[0], 4);
  int size = 0;
  EXPECT_OK(cudaOccupancyMaxPotentialClusterSize(&size, kernel, &config));
  EXPECT_GE(size, 4);
  int active = 0;
  EXPECT_OK(cudaOccupancyMaxActiveClusters(&active, kernel, &config));
  EXPECT_GE(active, 1);
  EXPECT_EQ(cudaLaunchKernelExC(nullptr, kernel, arguments), cudaErrorInvalidValue);
  EXPECT_OK(cudaFree(out));
}

TEST_F(Launches, Attributes) {
  cudaFuncAttributes attributes;
  EXPECT_OK(cudaFuncGetAttributes(&attributes, program.kernel("small_blocks")));
  EXPECT_EQ(attributes.maxThreadsPerBlock, 64);
  EXPECT_EQ(attributes.ptxVersion, 75);
  EXPECT_EQ(attributes.binaryVersion, 120);
  const void* reverse = program.kernel("reverse");
  EXPECT_OK(cudaFuncGetAttributes(&attributes, reverse));
  EXPECT_EQ(attributes.sharedSizeBytes, 16u);
  EXPECT_OK(cudaFuncSetAttribute(reverse, cudaFuncAttributeMaxDynamicSharedMemorySize, 60000));
  EXPECT_OK(cudaFuncGetAttributes(&attributes, reverse));
  EXPECT_EQ(attributes.maxDynamicSharedSizeBytes, 60000);
  EXPECT_OK(cudaFuncSetCacheConfig(reverse, cudaFuncCachePreferShared));
  EXPECT_EQ(cudaFuncGetAttributes(&attributes, &attributes), cudaErrorInvalidDeviceFunction);
}

TEST_F(Launches, NamesAndHandles) {
  const void* add_to = program.kernel("add_to");
  const char* name = nullptr;
  size_t offset = 0, size = 0;
  EXPECT_OK(cudaFuncGetName(&name, add_to));
  EXPECT_STREQ(name, "add_to");
  EXPECT_OK(cudaFuncGetParamInfo(add_to, 3, &offset, &size));
  EXPECT_EQ(offset, 20u);
  EXPECT_EQ(size, 1u);
  cudaKernel_t kernel = nullptr;
  cudaFunction_t function = nullptr;
  EXPECT_OK(cudaGetKernel(&kernel, add_to));
  EXPECT_OK(cudaGetFuncBySymbol(&function, add_to));
  EXPECT_NE(kernel, nullptr);
  EXPECT_NE(function, nullptr);
  // A kernel's handle is accepted wherever its symbol is.
  EXPECT_OK(cudaFuncGetName(&name, kernel));
  EXPECT_STREQ(name, "add_to");
}

TEST_F(Launches, Occupancy) {
  const void* count = program.kernel("count");
  int blocks = 0;
  size_t shared = 0;
  EXPECT_OK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, count, 256, 0));
  EXPECT_GT(blocks, 0);
  EXPECT_OK(cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(&blocks, count, 256, 0,
                                                                   cudaOccupancyDefault));
  EXPECT_OK(cudaOccupancyAvailableDynamicSMemPerBlock(&shared, count, blocks, 256));
  EXPECT_GT(shared, 0u);
}

TEST_F(Launches, LibrariesLoadedByHand) {
  cudaLibrary_t library = nullptr;
  cudaKernel_t kernel = nullptr;
  unsigned kernels = 0;
  void* counter = nullptr;
  size_t bytes = 0;
  ASSERT_OK(cudaLibraryLoadData(&library, kKernels, nullptr, nullptr, 0, nullptr, nullptr, 0));
  EXPECT_OK(cudaLibraryGetKernelCount(&kernels, library));
  EXPECT_EQ(kernels, 9u);
  EXPECT_OK(cudaLibraryGetKernel(&kernel, library, "count"));
  EXPECT_OK(cudaLaunchKernel(kernel, {1, 1, 1}, {2, 1, 1}, nullptr, 0, nullptr));
  EXPECT_OK(cudaLibraryGetGlobal(&counter, &bytes, library, "counter"));
  EXPECT_EQ(bytes, 4u);
  EXPECT_EQ(host_ints(counter, 1)[0], 7);
  EXPECT_OK(cudaLibraryUnload(library));
}

}  // namespace
