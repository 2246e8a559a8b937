// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Arrays: element formats, allocation, copies. Runtime API 6.11, 6.23.
#include "program.h"

namespace {

using testing::ElementsAre;

TEST(Arrays, CopiesOfTwoDimensions) {
  const cudaChannelFormatDesc ints =
      cudaCreateChannelDesc(32, 0, 0, 0, cudaChannelFormatKindSigned);
  cudaArray_t array = nullptr, other = nullptr;
  ASSERT_OK(cudaMallocArray(&array, &ints, 4, 3, cudaArrayDefault));
  ASSERT_OK(cudaMallocArray(&other, &ints, 4, 3, cudaArrayDefault));
  const int from[2][3] = {{1, 2, 3}, {4, 5, 6}};
  int to[2][3] = {};
  EXPECT_OK(cudaMemcpy2DToArray(array, 4, 1, from, 12, 12, 2, cudaMemcpyHostToDevice));
  EXPECT_OK(cudaMemcpy2DArrayToArray(other, 0, 0, array, 4, 1, 12, 2, cudaMemcpyDeviceToDevice));
  EXPECT_OK(
      cudaMemcpy2DFromArrayAsync(to, 12, other, 0, 0, 12, 2, cudaMemcpyDeviceToHost, nullptr));
  EXPECT_OK(cudaDeviceSynchronize());
  EXPECT_THAT(to[0], ElementsAre(1, 2, 3));
  EXPECT_THAT(to[1], ElementsAre(4, 5, 6));
  EXPECT_OK(cudaFreeArray(array));
  EXPECT_OK(cudaFreeArray(other));
  EXPECT_OK(cudaFreeArray(nullptr));
}

TEST(Arrays, WidthsOf3DCopiesAreInElements) {
  const cudaChannelFormatDesc pairs =
      cudaCreateChannelDesc(16, 16, 0, 0, cudaChannelFormatKindUnsigned);
  cudaArray_t array = nullptr;
  ASSERT_OK(cudaMalloc3DArray(&array, &pairs, {4, 2, 2}, cudaArrayDefault));
  unsigned from[2][2][4], to[2][2][4] = {};
  for (unsigned i = 0; i < 16; ++i) (&from[0][0][0])[i] = i;
  cudaMemcpy3DParms copy{};
  copy.srcPtr = {from, 16, 4, 2};
  copy.dstArray = array;
  copy.extent = {4, 2, 2};
  copy.kind = cudaMemcpyHostToDevice;
  EXPECT_OK(cudaMemcpy3D(&copy));
  copy = {};
  copy.srcArray = array;
  copy.srcPos = {1, 1, 1};
  copy.dstPtr = {to, 16, 4, 2};
  copy.extent = {3, 1, 1};
  copy.kind = cudaMemcpyDeviceToHost;
  EXPECT_OK(cudaMemcpy3D(&copy));
  EXPECT_THAT(to[0][0], ElementsAre(13, 14, 15, 0));
  cudaChannelFormatDesc found{};
  cudaExtent extent{};
  unsigned flags = 9;
  EXPECT_OK(cudaArrayGetInfo(&found, &extent, &flags, array));
  EXPECT_EQ(found.x, 16);
  EXPECT_EQ(found.y, 16);
  EXPECT_EQ(found.z, 0);
  EXPECT_EQ(found.f, cudaChannelFormatKindUnsigned);
  EXPECT_EQ(extent.width, 4u);
  EXPECT_EQ(extent.depth, 2u);
  EXPECT_EQ(flags, 0u);
  EXPECT_OK(cudaFreeArray(array));
}

// Rows count as consecutive: a copy from the middle of a row, over whole rows, into another.
TEST(Arrays, CopiesByCount) {
  const cudaChannelFormatDesc ints =
      cudaCreateChannelDesc(32, 0, 0, 0, cudaChannelFormatKindSigned);
  cudaArray_t four = nullptr, three = nullptr, line = nullptr;
  ASSERT_OK(cudaMallocArray(&four, &ints, 4, 5, cudaArrayDefault));
  ASSERT_OK(cudaMallocArray(&three, &ints, 3, 6, cudaArrayDefault));
  ASSERT_OK(cudaMallocArray(&line, &ints, 20, 0, cudaArrayDefault));
  int from[20], to[20];
  for (int i = 0; i < 20; ++i) from[i] = i;
  const auto read = [&](cudaArray_t array, size_t count) {
    std::fill(std::begin(to), std::end(to), -1);
    EXPECT_OK(cudaMemcpyFromArray(to, array, 0, 0, count * 4, cudaMemcpyDeviceToHost));
    return std::vector<int>(to, to + count);
  };
  const std::vector<int> zeros(20, 0);
  EXPECT_OK(cudaMemcpyToArray(four, 0, 0, zeros.data(), 80, cudaMemcpyHostToDevice));
  EXPECT_OK(cudaMemcpyToArray(four, 8, 0, from, 14 * 4, cudaMemcpyHostToDevice));
  EXPECT_THAT(read(four, 20),
              ElementsAre(0, 0, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 0, 0, 0, 0));

  EXPECT_OK(cudaMemcpyArrayToArray(three, 4, 1, four, 12, 0, 12 * 4, cudaMemcpyDeviceToDevice));
  EXPECT_OK(cudaMemcpyFromArrayAsync(to, three, 8, 1, 11 * 4, cudaMemcpyDefault, nullptr));
  EXPECT_OK(cudaMemcpyToArrayAsync(line, 4, 0, from, 8, cudaMemcpyDefault, nullptr));
  EXPECT_OK(cudaDeviceSynchronize());
  EXPECT_THAT(std::vector<int>(to, to + 11), ElementsAre(2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12));
  EXPECT_EQ(read(line, 3)[2], 1);

  EXPECT_EQ(cudaMemcpyToArray(four, 8, 4, from, 12, cudaMemcpyHostToDevice), cudaErrorInvalidValue)
      << "past the end";
  EXPECT_EQ(cudaMemcpyToArray(four, 16, 0, from, 4, cudaMemcpyHostToDevice), cudaErrorInvalidValue);
  EXPECT_EQ(cudaMemcpyFromArray(to, four, 0, 5, 4, cudaMemcpyDeviceToHost), cudaErrorInvalidValue);
  EXPECT_EQ(cudaMemcpyArrayToArray(three, 0, 0, four, 0, 0, 76, cudaMemcpyDeviceToDevice),
            cudaErrorInvalidValue);
  EXPECT_EQ(cudaMemcpyToArray(four, 0, 0, from, 4, static_cast<cudaMemcpyKind>(9)),
            cudaErrorInvalidMemcpyDirection);
  EXPECT_OK(cudaMemcpyToArray(four, 0, 0, nullptr, 0, cudaMemcpyHostToDevice));
  for (const cudaArray_t array : {four, three, line}) EXPECT_OK(cudaFreeArray(array));
}

TEST(Arrays, ElementsThatAreNone) {
  const cudaChannelFormatDesc cases[] = {
      {8, 8, 8, 0, cudaChannelFormatKindSigned},  // three components
      {8, 16, 0, 0, cudaChannelFormatKindSigned}, {24, 0, 0, 0, cudaChannelFormatKindUnsigned},
      {8, 0, 0, 0, cudaChannelFormatKindFloat},   {0, 0, 0, 0, cudaChannelFormatKindSigned},
      {0, 8, 0, 0, cudaChannelFormatKindSigned},
  };
  for (const auto& description : cases) {
    cudaArray_t array = nullptr;
    EXPECT_EQ(cudaMallocArray(&array, &description, 4, 0, cudaArrayDefault),
              cudaErrorInvalidChannelDescriptor);
  }
}

TEST(HostMemory, Registered) {
  alignas(4096) static char memory[4096];
  void* mapped = nullptr;
  EXPECT_OK(cudaHostRegister(memory, sizeof memory, cudaHostRegisterMapped));
  EXPECT_EQ(cudaHostRegister(memory, sizeof memory, cudaHostRegisterMapped),
            cudaErrorHostMemoryAlreadyRegistered);
  EXPECT_OK(cudaHostGetDevicePointer(&mapped, memory, 0));
  EXPECT_OK(cudaMemset(mapped, 5, 4));
  EXPECT_OK(cudaDeviceSynchronize());
  EXPECT_EQ(memory[3], 5);
  EXPECT_OK(cudaHostUnregister(memory));
  EXPECT_EQ(cudaHostUnregister(memory), cudaErrorHostMemoryNotRegistered);
}

}  // namespace
