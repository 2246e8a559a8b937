// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// nvJitLink as a program sees it: what it links is loaded by the driver and runs. VERSION is the
// major version of the library.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "driver/api.h"
#include "nvjitlink/abi.h"

extern "C" {
nvJitLinkResult nvJitLinkCreate(nvJitLinkHandle*, uint32_t, const char* const*);
nvJitLinkResult nvJitLinkDestroy(nvJitLinkHandle*);
nvJitLinkResult nvJitLinkAddData(nvJitLinkHandle, nvJitLinkInputType, const void*, size_t,
                                 const char*);
nvJitLinkResult nvJitLinkAddFile(nvJitLinkHandle, nvJitLinkInputType, const char*);
nvJitLinkResult nvJitLinkComplete(nvJitLinkHandle);
nvJitLinkResult nvJitLinkGetLinkedCubinSize(nvJitLinkHandle, size_t*);
nvJitLinkResult nvJitLinkGetLinkedCubin(nvJitLinkHandle, void*);
nvJitLinkResult nvJitLinkGetLinkedPtxSize(nvJitLinkHandle, size_t*);
nvJitLinkResult nvJitLinkGetErrorLogSize(nvJitLinkHandle, size_t*);
nvJitLinkResult nvJitLinkGetErrorLog(nvJitLinkHandle, char*);
nvJitLinkResult nvJitLinkGetInfoLogSize(nvJitLinkHandle, size_t*);
nvJitLinkResult nvJitLinkVersion(unsigned*, unsigned*);
// The names of the first release.
#if VERSION == 13
nvJitLinkResult __nvJitLinkComplete_13_0(nvJitLinkHandle);
nvJitLinkResult __nvJitLinkGetLinkedLTOIRSize_13_2(nvJitLinkHandle, size_t*);
#define COMPLETE __nvJitLinkComplete_13_0
#else
nvJitLinkResult __nvJitLinkComplete_12_0(nvJitLinkHandle);
#define COMPLETE __nvJitLinkComplete_12_0
#endif
}

namespace {

const std::string kHead = ".version 8.0\n.target sm_75\n.address_size 64\n";
const std::string kCaller = kHead + R"(
.extern .func (.param .u32 r) answer();
.visible .global .u32 seen;
.visible .entry k() {
  .reg .u32 %r;
  .param .u32 value;
  call (value), answer;
  ld.param.u32 %r, [value];
  st.global.u32 [seen], %r;
  ret;
}
)";
const std::string kCallee = kHead + R"(
.visible .func (.param .u32 r) answer() { st.param.u32 [r], 42; ret; }
)";

std::string error_log(nvJitLinkHandle handle) {
  size_t size = 0;
  EXPECT_EQ(nvJitLinkGetErrorLogSize(handle, &size), NVJITLINK_SUCCESS);
  std::string log(size, '\0');
  EXPECT_EQ(nvJitLinkGetErrorLog(handle, log.data()), NVJITLINK_SUCCESS);
  return log;
}

TEST(NvJitLink, WhatItLinksRuns) {
  nvJitLinkHandle link = nullptr;
  const char* const options[] = {"-arch=sm_90", "-O3"};
  ASSERT_EQ(nvJitLinkCreate(&link, 2, options), NVJITLINK_SUCCESS);
  for (const auto& [text, name] : {std::pair(&kCaller, "caller"), std::pair(&kCallee, "callee")}) {
    // The size may include the NUL or not.
    EXPECT_EQ(nvJitLinkAddData(link, NVJITLINK_INPUT_PTX, text->c_str(),
                               text->size() + (text == &kCaller), name),
              NVJITLINK_SUCCESS);
  }
  ASSERT_EQ(COMPLETE(link), NVJITLINK_SUCCESS) << error_log(link);
  size_t size = 0;
  ASSERT_EQ(nvJitLinkGetLinkedCubinSize(link, &size), NVJITLINK_SUCCESS);
  std::vector<char> cubin(size);
  ASSERT_EQ(nvJitLinkGetLinkedCubin(link, cubin.data()), NVJITLINK_SUCCESS);
  ASSERT_EQ(nvJitLinkDestroy(&link), NVJITLINK_SUCCESS);
  EXPECT_EQ(link, nullptr);

  CUdevice device = 0;
  CUcontext context = nullptr;
  CUmodule module = nullptr;
  CUfunction kernel = nullptr;
  CUdeviceptr seen = 0;
  size_t bytes = 0;
  unsigned value = 0;
  ASSERT_EQ(cuInit(0), CUDA_SUCCESS);
  ASSERT_EQ(cuDeviceGet(&device, 0), CUDA_SUCCESS);
  ASSERT_EQ(cuCtxCreate_v2(&context, 0, device), CUDA_SUCCESS);
  ASSERT_EQ(cuModuleLoadData(&module, cubin.data()), CUDA_SUCCESS);
  ASSERT_EQ(cuModuleGetFunction(&kernel, module, "k"), CUDA_SUCCESS);
  ASSERT_EQ(cuLaunchKernel(kernel, 1, 1, 1, 1, 1, 1, 0, nullptr, nullptr, nullptr), CUDA_SUCCESS);
  ASSERT_EQ(cuModuleGetGlobal_v2(&seen, &bytes, module, "seen"), CUDA_SUCCESS);
  ASSERT_EQ(cuMemcpyDtoH_v2(&value, seen, 4), CUDA_SUCCESS);
  EXPECT_EQ(value, 42u);
  EXPECT_EQ(cuCtxDestroy_v2(context), CUDA_SUCCESS);
}

TEST(NvJitLink, WrongCalls) {
  nvJitLinkHandle link = nullptr, none = nullptr;
  const auto made_up = reinterpret_cast<nvJitLinkHandle>(8);
  const char* const good[] = {"-arch=sm_90"};
  const char* const bad[] = {"-arch=sm_90", "-nonsense"};
  size_t size = 1;
  EXPECT_EQ(nvJitLinkCreate(nullptr, 1, good), NVJITLINK_ERROR_NULL_INPUT);
  EXPECT_EQ(nvJitLinkCreate(&link, 1, nullptr), NVJITLINK_ERROR_NULL_INPUT);
  // A link with wrong options is a link: its log says what is wrong.
  EXPECT_EQ(nvJitLinkCreate(&link, 2, bad), NVJITLINK_ERROR_UNRECOGNIZED_OPTION);
  EXPECT_THAT(error_log(link), testing::HasSubstr("-nonsense"));
  EXPECT_EQ(nvJitLinkDestroy(&link), NVJITLINK_SUCCESS);

  ASSERT_EQ(nvJitLinkCreate(&link, 1, good), NVJITLINK_SUCCESS);
  EXPECT_EQ(nvJitLinkAddData(link, NVJITLINK_INPUT_PTX, nullptr, 3, "x"),
            NVJITLINK_ERROR_NULL_INPUT);
  EXPECT_EQ(nvJitLinkAddData(link, NVJITLINK_INPUT_PTX, "x", 0, "x"), NVJITLINK_ERROR_NULL_INPUT);
  EXPECT_EQ(nvJitLinkAddFile(link, NVJITLINK_INPUT_PTX, nullptr), NVJITLINK_ERROR_NULL_INPUT);
  EXPECT_EQ(nvJitLinkAddFile(link, NVJITLINK_INPUT_PTX, "/no/such"), NVJITLINK_ERROR_INVALID_INPUT);
  EXPECT_EQ(nvJitLinkGetLinkedCubinSize(link, &size), NVJITLINK_ERROR_INTERNAL);
  EXPECT_EQ(size, 0u);
  EXPECT_EQ(nvJitLinkGetLinkedCubinSize(link, nullptr), NVJITLINK_ERROR_NULL_INPUT);
  EXPECT_EQ(nvJitLinkGetLinkedPtxSize(link, &size), NVJITLINK_ERROR_INVALID_INPUT);
#if VERSION == 13
  EXPECT_EQ(__nvJitLinkGetLinkedLTOIRSize_13_2(link, &size), NVJITLINK_ERROR_INVALID_INPUT);
#endif
  EXPECT_EQ(nvJitLinkGetInfoLogSize(link, &size), NVJITLINK_SUCCESS);
  EXPECT_EQ(size, 0u);
  EXPECT_EQ(nvJitLinkComplete(made_up), NVJITLINK_ERROR_INVALID_INPUT);
  EXPECT_EQ(nvJitLinkComplete(none), NVJITLINK_ERROR_INVALID_INPUT);
  EXPECT_EQ(nvJitLinkDestroy(nullptr), NVJITLINK_ERROR_NULL_INPUT);
  EXPECT_EQ(nvJitLinkDestroy(&none), NVJITLINK_ERROR_INVALID_INPUT);
  EXPECT_EQ(nvJitLinkDestroy(&link), NVJITLINK_SUCCESS);
}

TEST(NvJitLink, Version) {
  unsigned major = 0, minor = 99;
  EXPECT_EQ(nvJitLinkVersion(&major, &minor), NVJITLINK_SUCCESS);
  EXPECT_EQ(major, unsigned{VERSION});
  EXPECT_EQ(minor, VERSION == 13 ? 1u : 9u);
  EXPECT_EQ(nvJitLinkVersion(nullptr, &minor), NVJITLINK_ERROR_NULL_INPUT);
}

}  // namespace
