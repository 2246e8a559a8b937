// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Arrays and mipmapped arrays: shapes, copies in and out, descriptors. Driver API 6.13.
#include <numeric>
#include <vector>

#include "client.h"

namespace {

using testing::ElementsAre;

class Arrays : public InContext {
 protected:
  static CUarray make(CUDA_ARRAY3D_DESCRIPTOR descriptor, CUresult expected = CUDA_SUCCESS) {
    CUarray array = nullptr;
    EXPECT_EQ(cuArray3DCreate_v2(&array, &descriptor), expected);
    return array;
  }
};

TEST_F(Arrays, RowsGoInAndOut) {
  const auto array = make({5, 3, 0, CU_AD_FORMAT_UNSIGNED_INT8, 1, 0});
  std::vector<unsigned char> in(15), out(15, 0);
  std::iota(in.begin(), in.end(), static_cast<unsigned char>(1));
  CUDA_MEMCPY2D copy{};
  copy.srcMemoryType = CU_MEMORYTYPE_HOST;
  copy.srcHost = in.data();
  copy.srcPitch = 5;
  copy.dstMemoryType = CU_MEMORYTYPE_ARRAY;
  copy.dstArray = array;
  copy.WidthInBytes = 5;
  copy.Height = 3;
  ASSERT_OK(cuMemcpy2D_v2(&copy));
  copy = {};
  copy.srcMemoryType = CU_MEMORYTYPE_ARRAY;
  copy.srcArray = array;
  copy.srcXInBytes = 1;
  copy.srcY = 1;
  copy.dstMemoryType = CU_MEMORYTYPE_HOST;
  copy.dstHost = out.data();
  copy.WidthInBytes = 3;
  copy.Height = 2;
  ASSERT_OK(cuMemcpy2D_v2(&copy));
  out.resize(6);
  EXPECT_THAT(out, ElementsAre(7, 8, 9, 12, 13, 14));
  copy.WidthInBytes = 5;
  EXPECT_EQ(cuMemcpy2D_v2(&copy), CUDA_ERROR_INVALID_VALUE) << "leaves the row";
  copy.WidthInBytes = 3;
  copy.Height = 3;
  EXPECT_EQ(cuMemcpy2D_v2(&copy), CUDA_ERROR_INVALID_VALUE) << "leaves the array";
  EXPECT_OK(cuArrayDestroy(array));
  copy.Height = 1;
  EXPECT_EQ(cuMemcpy2D_v2(&copy), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuArrayDestroy(array), CUDA_ERROR_INVALID_HANDLE);
}

TEST_F(Arrays, OneDimensionAllWays) {
  const auto first = make({64, 0, 0, CU_AD_FORMAT_FLOAT, 1, 0});
  const auto second = make({64, 0, 0, CU_AD_FORMAT_FLOAT, 1, 0});
  float in[4] = {1, 2, 3, 4}, out[4] = {};
  CUdeviceptr memory = 0;
  CUstream stream = nullptr;
  ASSERT_OK(cuMemAlloc_v2(&memory, 16));
  ASSERT_OK(cuStreamCreate(&stream, 0));
  EXPECT_OK(cuMemcpyHtoA_v2(first, 8, in, 16));
  EXPECT_OK(cuMemcpyAtoA_v2(second, 0, first, 8, 16));
  EXPECT_OK(cuMemcpyAtoD_v2(memory, second, 0, 16));
  EXPECT_OK(cuMemcpyDtoA_v2(second, 32, memory, 16));
  EXPECT_OK(cuMemcpyAtoH_v2(out, second, 32, 16));
  EXPECT_THAT(out, ElementsAre(1, 2, 3, 4));
  in[0] = 9;
  EXPECT_OK(cuMemcpyHtoAAsync_v2(first, 0, in, 16, stream));
  EXPECT_OK(cuMemcpyAtoHAsync_v2(out, first, 0, 4, stream));
  EXPECT_OK(cuStreamSynchronize(stream));
  EXPECT_EQ(out[0], 9);
  EXPECT_EQ(cuMemcpyHtoA_v2(first, 248, in, 16), CUDA_ERROR_INVALID_VALUE);
}

TEST_F(Arrays, Volume) {
  const auto array = make({2, 3, 4, CU_AD_FORMAT_UNSIGNED_INT32, 1, 0});
  std::vector<unsigned> in(24), out(24);
  std::iota(in.begin(), in.end(), 0u);
  CUDA_MEMCPY3D copy{};
  copy.srcMemoryType = CU_MEMORYTYPE_HOST;
  copy.srcHost = in.data();
  copy.dstMemoryType = CU_MEMORYTYPE_ARRAY;
  copy.dstArray = array;
  copy.WidthInBytes = 8;
  copy.Height = 3;
  copy.Depth = 4;
  ASSERT_OK(cuMemcpy3D_v2(&copy));
  copy = {};
  copy.srcMemoryType = CU_MEMORYTYPE_ARRAY;
  copy.srcArray = array;
  copy.srcZ = 2;
  copy.dstMemoryType = CU_MEMORYTYPE_HOST;
  copy.dstHost = out.data();
  copy.WidthInBytes = 8;
  copy.Height = 3;
  copy.Depth = 2;
  ASSERT_OK(cuMemcpy3D_v2(&copy));
  EXPECT_EQ(out[0], 12u);
  EXPECT_EQ(out[11], 23u);
  copy.Depth = 3;
  EXPECT_EQ(cuMemcpy3D_v2(&copy), CUDA_ERROR_INVALID_VALUE);
}

TEST_F(Arrays, BatchWithElementsOfTheArray) {
  const auto array = make({4, 2, 0, CU_AD_FORMAT_UNSIGNED_INT16, 2, 0});
  CUstream stream = nullptr;
  ASSERT_OK(cuStreamCreate(&stream, 0));
  std::vector<unsigned> in(8), out(8);
  std::iota(in.begin(), in.end(), 10u);
  CUDA_MEMCPY3D_BATCH_OP ops[2] = {};
  ops[0].src.type = CU_MEMCPY_OPERAND_TYPE_POINTER;
  ops[0].src.op.ptr.ptr = reinterpret_cast<CUdeviceptr>(in.data());
  ops[0].dst.type = CU_MEMCPY_OPERAND_TYPE_ARRAY;
  ops[0].dst.op.array.array = array;
  ops[0].extent = {4, 2, 1};
  ops[0].srcAccessOrder = CU_MEMCPY_SRC_ACCESS_ORDER_STREAM;
  ops[1].src = ops[0].dst;
  ops[1].src.op.array.offset = {1, 1, 0};
  ops[1].dst.type = CU_MEMCPY_OPERAND_TYPE_POINTER;
  ops[1].dst.op.ptr.ptr = reinterpret_cast<CUdeviceptr>(out.data());
  ops[1].extent = {2, 1, 1};
  ops[1].srcAccessOrder = CU_MEMCPY_SRC_ACCESS_ORDER_STREAM;
  ASSERT_OK(cuMemcpy3DBatchAsync_v2(2, ops, 0, stream));
  ASSERT_OK(cuStreamSynchronize(stream));
  EXPECT_EQ(out[0], 15u);
  EXPECT_EQ(out[1], 16u);
  size_t failed = 0;
  ops[1].extent.width = 9;
  EXPECT_EQ(cuMemcpy3DBatchAsync(2, ops, &failed, 0, stream), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(failed, 1u);
  EXPECT_EQ(cuMemcpy3DBatchAsync_v2(2, ops, 0, nullptr), CUDA_ERROR_INVALID_VALUE);
}

TEST_F(Arrays, Descriptors) {
  CUarray array = nullptr;
  const CUDA_ARRAY_DESCRIPTOR flat{7, 2, CU_AD_FORMAT_HALF, 4};
  ASSERT_OK(cuArrayCreate_v2(&array, &flat));
  CUDA_ARRAY_DESCRIPTOR read{};
  CUDA_ARRAY3D_DESCRIPTOR read_3d{};
  EXPECT_OK(cuArrayGetDescriptor_v2(&read, array));
  EXPECT_EQ(read.Width, 7u);
  EXPECT_EQ(read.NumChannels, 4u);
  EXPECT_OK(cuArray3DGetDescriptor_v2(&read_3d, array));
  EXPECT_EQ(read_3d.Height, 2u);
  EXPECT_EQ(read_3d.Depth, 0u);
  EXPECT_EQ(cuArrayGetDescriptor_v2(nullptr, array), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuArrayGetDescriptor_v2(&read, nullptr), CUDA_ERROR_INVALID_HANDLE);
  CUarray plane = nullptr;
  EXPECT_EQ(cuArrayGetPlane(&plane, array, 0), CUDA_ERROR_INVALID_VALUE);
  make({6, 6, 6, CU_AD_FORMAT_FLOAT, 1, CUDA_ARRAY3D_CUBEMAP});
  make({6, 0, 9, CU_AD_FORMAT_FLOAT, 1, CUDA_ARRAY3D_LAYERED});
  make({6, 5, 6, CU_AD_FORMAT_FLOAT, 1, CUDA_ARRAY3D_CUBEMAP}, CUDA_ERROR_INVALID_VALUE);
  make({0, 1, 0, CU_AD_FORMAT_FLOAT, 1, 0}, CUDA_ERROR_INVALID_VALUE);
  make({4, 0, 4, CU_AD_FORMAT_FLOAT, 1, 0}, CUDA_ERROR_INVALID_VALUE);
  make({4, 4, 0, CU_AD_FORMAT_FLOAT, 3, 0}, CUDA_ERROR_INVALID_VALUE);
  make({4, 4, 0, static_cast<CUarray_format>(0x77), 1, 0}, CUDA_ERROR_INVALID_VALUE);
  make({4, 4, 0, CU_AD_FORMAT_FLOAT, 1, 0x8000}, CUDA_ERROR_INVALID_VALUE);
  make({4, 4, 0, CU_AD_FORMAT_FLOAT, 1, CUDA_ARRAY3D_SPARSE}, CUDA_ERROR_NOT_SUPPORTED);
  make({4, 4, 0, CU_AD_FORMAT_NV12, 3, 0}, CUDA_ERROR_NOT_SUPPORTED);
}

TEST_F(Arrays, Mipmaps) {
  const CUDA_ARRAY3D_DESCRIPTOR descriptor{16, 5, 0, CU_AD_FORMAT_FLOAT, 1, 0};
  CUmipmappedArray mipmap = nullptr;
  ASSERT_OK(cuMipmappedArrayCreate(&mipmap, &descriptor, 99));
  CUarray level = nullptr;
  CUDA_ARRAY3D_DESCRIPTOR read{};
  ASSERT_OK(cuMipmappedArrayGetLevel(&level, mipmap, 2));
  EXPECT_OK(cuArray3DGetDescriptor_v2(&read, level));
  EXPECT_EQ(read.Width, 4u);
  EXPECT_EQ(read.Height, 1u);
  ASSERT_OK(cuMipmappedArrayGetLevel(&level, mipmap, 4));
  EXPECT_EQ(cuMipmappedArrayGetLevel(&level, mipmap, 5), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuArrayDestroy(level), CUDA_ERROR_INVALID_HANDLE) << "belongs to the mipmap";
  EXPECT_OK(cuMipmappedArrayDestroy(mipmap));
  EXPECT_EQ(cuArray3DGetDescriptor_v2(&read, level), CUDA_ERROR_INVALID_HANDLE);
  EXPECT_EQ(cuMipmappedArrayCreate(&mipmap, &descriptor, 0), CUDA_ERROR_INVALID_VALUE);
}

}  // namespace
