// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A simple program for the driver API, as in tutorials: one device, one context, a PTX file, one
// launch, and all resources released at the end.
#include <gtest/gtest.h>

#include <cstdio>
#include <string>
#include <vector>

#include "driver/api.h"

namespace {

constexpr const char* kSquare = R"ptx(
.version 8.5
.target sm_89
.address_size 64

.visible .entry square(.param .u64 input, .param .u64 output)
{
  .reg .f32 %f<3>;
  .reg .b32 %r<2>;
  .reg .b64 %rd<8>;
  ld.param.u64 %rd1, [input];
  ld.param.u64 %rd2, [output];
  cvta.to.global.u64 %rd3, %rd1;
  cvta.to.global.u64 %rd4, %rd2;
  mov.u32 %r1, %tid.x;
  mul.wide.u32 %rd5, %r1, 4;
  add.s64 %rd6, %rd3, %rd5;
  add.s64 %rd7, %rd4, %rd5;
  ld.global.f32 %f1, [%rd6];
  mul.f32 %f2, %f1, %f1;
  st.global.f32 [%rd7], %f2;
  ret;
}
)ptx";

TEST(Program, FromFileToResult) {
  const std::string path = testing::TempDir() + "heddle_square.ptx";
  std::FILE* file = std::fopen(path.c_str(), "w");
  ASSERT_NE(file, nullptr);
  std::fputs(kSquare, file);
  std::fclose(file);

  CUdevice device;
  CUcontext context;
  ASSERT_EQ(cuInit(0), CUDA_SUCCESS);
  ASSERT_EQ(cuDeviceGet(&device, 0), CUDA_SUCCESS);
  ASSERT_EQ(cuCtxCreate_v2(&context, 0, device), CUDA_SUCCESS);

  CUmodule module;
  CUfunction square;
  ASSERT_EQ(cuModuleLoad(&module, path.c_str()), CUDA_SUCCESS);
  ASSERT_EQ(cuModuleGetFunction(&square, module, "square"), CUDA_SUCCESS);

  constexpr size_t kCount = 128;
  std::vector<float> numbers(kCount), squares(kCount);
  for (size_t i = 0; i < kCount; ++i) numbers[i] = static_cast<float>(i) / 2;
  CUdeviceptr input, output;
  ASSERT_EQ(cuMemAlloc_v2(&input, kCount * sizeof(float)), CUDA_SUCCESS);
  ASSERT_EQ(cuMemAlloc_v2(&output, kCount * sizeof(float)), CUDA_SUCCESS);
  ASSERT_EQ(cuMemcpyHtoD_v2(input, numbers.data(), kCount * sizeof(float)), CUDA_SUCCESS);
  void* arguments[] = {&input, &output};
  ASSERT_EQ(cuLaunchKernel(square, 1, 1, 1, kCount, 1, 1, 0, nullptr, arguments, nullptr),
            CUDA_SUCCESS);
  ASSERT_EQ(cuMemcpyDtoH_v2(squares.data(), output, kCount * sizeof(float)), CUDA_SUCCESS);
  for (size_t i = 0; i < kCount; ++i) EXPECT_EQ(squares[i], numbers[i] * numbers[i]) << i;

  EXPECT_EQ(cuMemFree_v2(input), CUDA_SUCCESS);
  EXPECT_EQ(cuMemFree_v2(output), CUDA_SUCCESS);
  EXPECT_EQ(cuModuleUnload(module), CUDA_SUCCESS);
  EXPECT_EQ(cuCtxDestroy_v2(context), CUDA_SUCCESS);
  std::remove(path.c_str());
}

}  // namespace
