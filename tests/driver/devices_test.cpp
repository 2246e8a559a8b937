// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A machine with several devices of a named kind: HEDDLE_DEVICE and HEDDLE_DEVICES. Driver API 6.5,
// 6.31.
#include <cstdlib>
#include <cstring>
#include <string>

#include "client.h"
#include "kernels.h"

namespace {

using testing::HasSubstr;

class TwoA100s : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    setenv("HEDDLE_DEVICE", "A100", 1);
    setenv("HEDDLE_DEVICES", "2", 1);
    ASSERT_OK(cuInit(0));
  }
};

TEST_F(TwoA100s, Identity) {
  int count = 0, major = 0, minor = 0;
  char name[100] = "";
  CUuuid first{}, second{};
  EXPECT_OK(cuDeviceGetCount(&count));
  EXPECT_EQ(count, 2);
  EXPECT_OK(cuDeviceGetName(name, sizeof name, 1));
  EXPECT_THAT(name, HasSubstr("A100"));
  EXPECT_OK(cuDeviceComputeCapability(&major, &minor, 1));
  EXPECT_EQ(major * 10 + minor, 80);
  EXPECT_OK(cuDeviceGetUuid_v2(&first, 0));
  EXPECT_OK(cuDeviceGetUuid_v2(&second, 1));
  EXPECT_NE(std::memcmp(&first, &second, sizeof first), 0);
}

TEST_F(TwoA100s, MemoryLivesOnItsDevice) {
  CUcontext a = nullptr, b = nullptr;
  CUdeviceptr on_a = 0, on_b = 0;
  ASSERT_OK(cuCtxCreate_v2(&a, 0, 0));
  ASSERT_OK(cuMemAlloc_v2(&on_a, 64));
  ASSERT_OK(cuCtxCreate_v2(&b, 0, 1));
  ASSERT_OK(cuMemAlloc_v2(&on_b, 64));
  int ordinal = -1;
  EXPECT_OK(cuPointerGetAttribute(&ordinal, CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL, on_a));
  EXPECT_EQ(ordinal, 0);
  EXPECT_OK(cuPointerGetAttribute(&ordinal, CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL, on_b));
  EXPECT_EQ(ordinal, 1);
  int value = 0;
  EXPECT_OK(cuMemsetD32_v2(on_b, 77, 16));
  EXPECT_OK(cuMemcpyPeer(on_a, a, on_b, b, 64));
  EXPECT_OK(cuMemcpyDtoH_v2(&value, on_a + 60, 4));
  EXPECT_EQ(value, 77);
  EXPECT_OK(cuCtxDestroy_v2(b));
  EXPECT_OK(cuCtxDestroy_v2(a));
}

TEST_F(TwoA100s, PeerAccess) {
  int can = 0, attribute = 0;
  EXPECT_OK(cuDeviceCanAccessPeer(&can, 0, 1));
  EXPECT_EQ(can, 1);
  EXPECT_OK(cuDeviceGetP2PAttribute(&attribute, CU_DEVICE_P2P_ATTRIBUTE_ACCESS_SUPPORTED, 0, 1));
  EXPECT_EQ(attribute, 1);
  EXPECT_EQ(cuDeviceGetP2PAttribute(&attribute, CU_DEVICE_P2P_ATTRIBUTE_ACCESS_SUPPORTED, 1, 1),
            CUDA_ERROR_INVALID_DEVICE);
  CUcontext a = nullptr, b = nullptr;
  ASSERT_OK(cuCtxCreate_v2(&a, 0, 0));
  ASSERT_OK(cuCtxCreate_v2(&b, 0, 1));
  EXPECT_OK(cuCtxEnablePeerAccess(a, 0));
  EXPECT_EQ(cuCtxEnablePeerAccess(a, 0), CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED);
  EXPECT_EQ(cuCtxEnablePeerAccess(b, 0), CUDA_ERROR_INVALID_CONTEXT) << "itself";
  EXPECT_EQ(cuCtxEnablePeerAccess(nullptr, 0), CUDA_ERROR_INVALID_CONTEXT);
  EXPECT_OK(cuCtxDisablePeerAccess(a));
  EXPECT_EQ(cuCtxDisablePeerAccess(a), CUDA_ERROR_PEER_ACCESS_NOT_ENABLED);
  EXPECT_EQ(cuCtxEnablePeerAccess(a, 1), CUDA_ERROR_INVALID_VALUE);
  EXPECT_OK(cuCtxDestroy_v2(b));
  EXPECT_OK(cuCtxDestroy_v2(a));
}

TEST_F(TwoA100s, KernelReachesThePeer) {
  CUcontext a = nullptr, b = nullptr;
  CUdeviceptr on_a = 0;
  CUmodule module = nullptr;
  CUfunction function = nullptr;
  ASSERT_OK(cuCtxCreate_v2(&a, 0, 0));
  ASSERT_OK(cuMemAlloc_v2(&on_a, 4));
  ASSERT_OK(cuMemsetD32_v2(on_a, 0, 1));
  ASSERT_OK(cuCtxSynchronize());
  ASSERT_OK(cuCtxCreate_v2(&b, 0, 1));
  ASSERT_OK(cuCtxEnablePeerAccess(a, 0));
  ASSERT_OK(cuModuleLoadData(&module, kKernels));
  ASSERT_OK(cuModuleGetFunction(&function, module, "store_far"));
  void* params[] = {&on_a};
  EXPECT_OK(cuLaunchKernel(function, 1, 1, 1, 1, 1, 1, 0, nullptr, params, nullptr));
  EXPECT_OK(cuCtxSynchronize());
  int value = 0;
  EXPECT_OK(cuMemcpyDtoH_v2(&value, on_a, 4));
  EXPECT_EQ(value, 1);
  EXPECT_OK(cuCtxDestroy_v2(b));
  EXPECT_OK(cuCtxDestroy_v2(a));
}

// A named device runs what that GPU runs.
TEST_F(TwoA100s, NewerTargetIsRefused) {
  CUcontext context = nullptr;
  CUmodule module = nullptr;
  ASSERT_OK(cuCtxCreate_v2(&context, 0, 0));
  testing::internal::CaptureStderr();
  EXPECT_EQ(cuModuleLoadData(&module, ".version 8.0\n.target sm_90a\n.address_size 64\n"),
            CUDA_ERROR_INVALID_PTX);
  EXPECT_THAT(testing::internal::GetCapturedStderr(), HasSubstr("sm_90a"));
  EXPECT_OK(cuCtxDestroy_v2(context));
}

}  // namespace
