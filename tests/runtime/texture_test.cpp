// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Texture and surface objects: descriptors, and the formats of arrays. Runtime API 6.29, 6.30.
#include <cstring>

#include "program.h"

namespace {

cudaArray_t array_of(const cudaChannelFormatDesc& format, cudaExtent extent, unsigned flags = 0) {
  cudaArray_t array = nullptr;
  EXPECT_OK(cudaMalloc3DArray(&array, &format, extent, flags));
  return array;
}

const cudaChannelFormatDesc kFloat = {32, 0, 0, 0, cudaChannelFormatKindFloat};
const cudaExtent kSquare = {16, 16, 0};
const cudaChannelFormatDesc kBytes = {8, 8, 8, 8, cudaChannelFormatKindUnsigned};

bool are_same(const cudaChannelFormatDesc& a, const cudaChannelFormatDesc& b) {
  return std::memcmp(&a, &b, sizeof a) == 0;
}

bool are_same(const cudaResourceDesc& a, const cudaResourceDesc& b) {
  const auto &x = a.res, &y = b.res;
  if (a.resType != b.resType || a.flags != b.flags) return false;
  switch (a.resType) {
    case cudaResourceTypeArray:
      return x.array.array == y.array.array;
    case cudaResourceTypeMipmappedArray:
      return x.mipmap.mipmap == y.mipmap.mipmap;
    case cudaResourceTypeLinear:
      return x.linear.devPtr == y.linear.devPtr && are_same(x.linear.desc, y.linear.desc) &&
             x.linear.sizeInBytes == y.linear.sizeInBytes;
    case cudaResourceTypePitch2D:
      return x.pitch2D.devPtr == y.pitch2D.devPtr && are_same(x.pitch2D.desc, y.pitch2D.desc) &&
             x.pitch2D.width == y.pitch2D.width && x.pitch2D.height == y.pitch2D.height &&
             x.pitch2D.pitchInBytes == y.pitch2D.pitchInBytes;
  }
  return false;
}

TEST(Textures, DescriptorsComeBack) {
  void* memory = nullptr;
  ASSERT_OK(cudaMalloc(&memory, 4096));
  cudaResourceDesc resources[4] = {};
  resources[0].res.array.array = array_of(kBytes, {16, 16, 0});
  resources[1].resType = cudaResourceTypeMipmappedArray;
  ASSERT_OK(cudaMallocMipmappedArray(&resources[1].res.mipmap.mipmap, &kBytes, kSquare, 3, 0));
  resources[2].resType = cudaResourceTypeLinear;
  resources[2].res.linear = {memory, kFloat, 4096};
  resources[3].resType = cudaResourceTypePitch2D;
  resources[3].res.pitch2D = {memory, kBytes, 8, 16, 64};
  cudaTextureDesc sampling{};
  sampling.addressMode[0] = cudaAddressModeBorder;
  sampling.filterMode = cudaFilterModeLinear;
  sampling.readMode = cudaReadModeNormalizedFloat;
  sampling.borderColor[3] = 0.5f;
  sampling.normalizedCoords = 1;
  sampling.maxAnisotropy = 4;
  sampling.disableTrilinearOptimization = 1;
  cudaResourceViewDesc view{};
  view.format = cudaResViewFormatUnsignedChar4;
  view.width = view.height = 16;
  for (const cudaResourceDesc& resource : resources) {
    SCOPED_TRACE(resource.resType);
    const bool has_view = resource.resType <= cudaResourceTypeMipmappedArray;
    cudaTextureObject_t texture = 0;
    ASSERT_OK(cudaCreateTextureObject(&texture, &resource, &sampling, has_view ? &view : nullptr));
    cudaResourceDesc resource_back{};
    cudaTextureDesc sampling_back{};
    cudaResourceViewDesc view_back{};
    EXPECT_OK(cudaGetTextureObjectResourceDesc(&resource_back, texture));
    EXPECT_OK(cudaGetTextureObjectTextureDesc(&sampling_back, texture));
    EXPECT_TRUE(are_same(resource_back, resource));
    EXPECT_EQ(std::memcmp(&sampling_back, &sampling, sizeof sampling), 0);
    EXPECT_EQ(cudaGetTextureObjectResourceViewDesc(&view_back, texture),
              has_view ? cudaSuccess : cudaErrorInvalidValue);
    if (has_view) EXPECT_EQ(std::memcmp(&view_back, &view, sizeof view), 0);
    EXPECT_OK(cudaDestroyTextureObject(texture));
    EXPECT_EQ(cudaDestroyTextureObject(texture), cudaErrorInvalidValue);
  }
}

TEST(Textures, Refusals) {
  cudaTextureObject_t texture = 0;
  cudaTextureDesc sampling{};
  cudaResourceDesc resource{};
  resource.res.array.array = array_of(kBytes, {4, 4, 0});
  EXPECT_EQ(cudaCreateTextureObject(&texture, nullptr, &sampling, nullptr), cudaErrorInvalidValue);
  EXPECT_EQ(cudaCreateTextureObject(&texture, &resource, nullptr, nullptr), cudaErrorInvalidValue);
  EXPECT_EQ(cudaCreateTextureObject(nullptr, &resource, &sampling, nullptr), cudaErrorInvalidValue);
  sampling.filterMode = cudaFilterModeLinear;
  EXPECT_EQ(cudaCreateTextureObject(&texture, &resource, &sampling, nullptr), cudaErrorInvalidValue)
      << "elements are integers";
  sampling.readMode = cudaReadModeNormalizedFloat;
  EXPECT_OK(cudaCreateTextureObject(&texture, &resource, &sampling, nullptr));
  resource.resType = cudaResourceTypeLinear;
  resource.res.linear = {nullptr, {24, 0, 0, 0, cudaChannelFormatKindFloat}, 64};
  EXPECT_EQ(cudaCreateTextureObject(&texture, &resource, &sampling, nullptr),
            cudaErrorInvalidChannelDescriptor);
}

TEST(Surfaces, DescriptorsComeBack) {
  cudaSurfaceObject_t surface = 0;
  cudaResourceDesc resource{}, back{};
  resource.res.array.array = array_of(kFloat, {4, 4, 0});
  EXPECT_EQ(cudaCreateSurfaceObject(&surface, &resource), cudaErrorInvalidValue);
  resource.res.array.array = array_of(kFloat, {4, 4, 0}, cudaArraySurfaceLoadStore);
  ASSERT_OK(cudaCreateSurfaceObject(&surface, &resource));
  EXPECT_OK(cudaGetSurfaceObjectResourceDesc(&back, surface));
  EXPECT_TRUE(are_same(back, resource));
  EXPECT_OK(cudaDestroySurfaceObject(surface));
}

TEST(Formats, OfOneKindEach) {
  const cudaChannelFormatDesc cases[] = {
      {8, 8, 0, 0, cudaChannelFormatKindUnsignedNormalized8X2},
      {16, 16, 16, 16, cudaChannelFormatKindSignedNormalized16X4},
      {10, 10, 10, 2, cudaChannelFormatKindUnsignedNormalized1010102},
      {8, 8, 8, 8, cudaChannelFormatKindUnsignedBlockCompressed1},
      {16, 16, 16, 0, cudaChannelFormatKindSignedBlockCompressed6H},
  };
  for (const auto& format : cases) {
    const auto array = array_of(format, {8, 8, 0});
    cudaChannelFormatDesc back{};
    EXPECT_OK(cudaGetChannelDesc(&back, array));
    EXPECT_TRUE(are_same(back, format));
    EXPECT_OK(cudaFreeArray(array));
  }
  cudaArray_t array = nullptr;
  const cudaChannelFormatDesc odd = {8, 0, 0, 0, cudaChannelFormatKindUnsignedNormalized8X2};
  EXPECT_EQ(cudaMallocArray(&array, &odd, 8, 8, 0), cudaErrorInvalidChannelDescriptor);
}

// An array of 10 by 6 elements has 3 by 2 blocks.
TEST(Formats, CopiesCountBlocks) {
  const cudaChannelFormatDesc format = {8, 8, 8, 8, cudaChannelFormatKindUnsignedBlockCompressed3};
  const auto array = array_of(format, {10, 6, 0});
  unsigned char in[2][3][16], out[2][3][16] = {};
  for (int i = 0; i < 96; ++i) (&in[0][0][0])[i] = static_cast<unsigned char>(i);
  cudaMemcpy3DParms copy{};
  copy.srcPtr = {in, 48, 3, 2};
  copy.dstArray = array;
  copy.extent = {3, 2, 1};
  copy.kind = cudaMemcpyHostToDevice;
  EXPECT_OK(cudaMemcpy3D(&copy));
  EXPECT_OK(cudaMemcpyFromArray(out, array, 0, 0, 96, cudaMemcpyDeviceToHost));
  EXPECT_EQ(std::memcmp(in, out, 96), 0);
  copy.extent.height = 3;
  EXPECT_EQ(cudaMemcpy3D(&copy), cudaErrorInvalidValue);
}

TEST(Formats, WidthOfLinearMemory) {
  size_t width = 0;
  EXPECT_OK(cudaDeviceGetTexture1DLinearMaxWidth(&width, &kFloat, 0));
  EXPECT_EQ(width, size_t{1} << 28);
  cudaDeviceProp properties;
  EXPECT_OK(cudaGetDeviceProperties(&properties, 0));
  EXPECT_EQ(properties.maxTexture2D[0], 131072);
}

}  // namespace
