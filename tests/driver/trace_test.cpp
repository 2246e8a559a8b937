// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// HEDDLE_TRACE: a line for each call and for each launch.
#include <cstdlib>
#include <string>

#include "client.h"
#include "kernels.h"

namespace {

using testing::HasSubstr;

TEST(Trace, CallsAndLaunches) {
  setenv("HEDDLE_TRACE", "api,launch", 1);
  testing::internal::CaptureStderr();
  CUcontext context = nullptr;
  CUmodule module = nullptr;
  CUfunction function = nullptr;
  EXPECT_OK(cuInit(0));
  EXPECT_OK(cuCtxCreate_v2(&context, 0, 0));
  EXPECT_OK(cuModuleLoadData(&module, kKernels));
  EXPECT_OK(cuModuleGetFunction(&function, module, "count"));
  EXPECT_OK(cuLaunchKernel(function, 2, 1, 1, 32, 1, 1, 0, nullptr, nullptr, nullptr));
  EXPECT_OK(cuStreamSynchronize_ptsz(nullptr));
  EXPECT_OK(cuCtxSynchronize());
  EXPECT_EQ(cuMemAlloc_v2(nullptr, 64), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuDestroyExternalMemory(nullptr), CUDA_ERROR_NOT_SUPPORTED);
  const std::string text = testing::internal::GetCapturedStderr();
  for (const char* line : {"heddle: api: cuInit(Flags=0) = CUDA_SUCCESS\n",
                           "cuModuleGetFunction(hfunc=0x", "name=\"count\") = CUDA_SUCCESS\n",
                           "cuStreamSynchronize_ptsz(hStream=null) = CUDA_SUCCESS\n",
                           "cuMemAlloc_v2(dptr=null, bytesize=64) = CUDA_ERROR_INVALID_VALUE\n",
                           "cuDestroyExternalMemory(extMem=null) = CUDA_ERROR_NOT_SUPPORTED\n",
                           "heddle: launch: count grid 2x1x1 block 32x1x1 shared 0 "}) {
    EXPECT_THAT(text, HasSubstr(line));
  }
  EXPECT_THAT(text, testing::Not(HasSubstr("heddle_cu"))) << "the exported names";
  EXPECT_THAT(text, testing::ContainsRegex(
                        "heddle: launch: count .* ms, [0-9]+\\.[0-9] of [0-9]+ threads, [a-z]"));
}

}  // namespace
