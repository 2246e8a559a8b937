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

// In the NULL stream, a copy between two devices runs after earlier work in the streams of both,
// and before later work (CUDA programming guide, "Peer-to-Peer Memory Copy").
TEST_F(TwoA100s, CopyInTheNullStreamIsInOrderOnBothDevices) {
  CUcontext contexts[2] = {};
  CUdeviceptr memory[2] = {};
  CUstream streams[2] = {}, apart = nullptr;
  for (int i = 0; i < 2; ++i) {
    ASSERT_OK(cuCtxCreate_v2(&contexts[i], 0, i));
    ASSERT_OK(cuMemAlloc_v2(&memory[i], 4));
    ASSERT_OK(cuStreamCreate(&streams[i], CU_STREAM_DEFAULT));
  }
  ASSERT_OK(cuStreamCreate(&apart, CU_STREAM_NON_BLOCKING));
  const auto set = [&](int device, unsigned value, CUstream stream) {
    EXPECT_OK(cuCtxSetCurrent(contexts[device]));
    EXPECT_OK(cuMemsetD32Async(memory[device], value, 1, stream));
  };
  const auto wait = [&] {
    for (const CUcontext context : contexts) EXPECT_OK(cuCtxSynchronize_v2(context));
  };
  const auto value_on = [&](int device) {
    unsigned value = 0;
    EXPECT_OK(cuMemcpyDtoH_v2(&value, memory[device], 4));
    return value;
  };
  using CopyTo = void (*)(CUdeviceptr*, CUcontext*, int);
  const CopyTo copies[] = {
      [](CUdeviceptr* m, CUcontext*, int to) {
        EXPECT_OK(cuMemcpyDtoDAsync_v2(m[to], m[1 - to], 4, nullptr));
      },
      [](CUdeviceptr* m, CUcontext*, int to) { EXPECT_OK(cuMemcpyDtoD_v2(m[to], m[1 - to], 4)); },
      [](CUdeviceptr* m, CUcontext* c, int to) {
        EXPECT_OK(cuMemcpyPeer(m[to], c[to], m[1 - to], c[1 - to], 4));
      },
      [](CUdeviceptr* m, CUcontext* c, int to) {
        EXPECT_OK(cuMemcpyPeerAsync(m[to], c[to], m[1 - to], c[1 - to], 4, nullptr));
      },
  };
  for (const CopyTo copy : copies) {
    for (const int current : {0, 1}) {
      for (const int to : {0, 1}) {
        SCOPED_TRACE(testing::Message() << "current " << current << " to " << to);
        // Each of the devices is blocked in turn: the copy reads the last value, not the next one.
        for (const int late : {0, 1}) {
          set(to, 1, nullptr);
          set(1 - to, 2, nullptr);
          wait();
          EXPECT_OK(cuCtxSetCurrent(contexts[late]));
          {
            Gate gate(streams[late]);
            set(late, 3, streams[late]);
            EXPECT_OK(cuCtxSetCurrent(contexts[current]));
            copy(memory, contexts, to);
            set(1 - to, 4, streams[1 - to]);
            EXPECT_OK(cuCtxSetCurrent(contexts[1 - current]));
            EXPECT_EQ(cuStreamQuery(nullptr), CUDA_ERROR_NOT_READY) << "the copy is its work, too";
            EXPECT_OK(cuStreamQuery(apart));
          }
          wait();
          EXPECT_EQ(value_on(to), late == to ? 2u : 3u);
          EXPECT_EQ(value_on(1 - to), 4u);
        }
      }
    }
  }
  for (const CUcontext context : contexts) EXPECT_OK(cuCtxDestroy_v2(context));
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

// multimem needs sm_90.
TEST_F(TwoA100s, HaveNoMulticast) {
  int supported = -1;
  EXPECT_OK(cuDeviceGetAttribute(&supported, CU_DEVICE_ATTRIBUTE_MULTICAST_SUPPORTED, 0));
  EXPECT_EQ(supported, 0);
  CUmulticastObjectProp properties{};
  properties.numDevices = 2;
  properties.size = size_t{32} << 20;
  CUmemGenericAllocationHandle object = 0;
  EXPECT_EQ(cuMulticastCreate(&object, &properties), CUDA_ERROR_NOT_SUPPORTED);
}

// Attributes of a kernel belong to a device, whichever context is current.
TEST_F(TwoA100s, KernelAttributesOfADevice) {
  CUlibrary library = nullptr;
  CUkernel kernel = nullptr;
  ASSERT_OK(cuLibraryLoadData(&library, kKernels, nullptr, nullptr, 0, nullptr, nullptr, 0));
  ASSERT_OK(cuLibraryGetKernel(&kernel, library, "reverse"));
  const auto most = CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES;
  const auto get = [&](CUdevice device) {
    int value = -1;
    EXPECT_OK(cuKernelGetAttribute(&value, most, kernel, device));
    return value;
  };
  const int standard = get(1);
  EXPECT_GT(standard, 40000);
  unsigned flags = 0;
  int active = 1;
  EXPECT_OK(cuDevicePrimaryCtxGetState(1, &flags, &active));
  EXPECT_EQ(active, 0) << "asking leaves no context behind";
  CUcontext a = nullptr, b = nullptr;
  ASSERT_OK(cuCtxCreate_v2(&a, 0, 0));
  EXPECT_OK(cuKernelSetAttribute(most, 60000, kernel, 1));
  EXPECT_OK(cuKernelSetCacheConfig(kernel, CU_FUNC_CACHE_PREFER_L1, 1));
  EXPECT_EQ(get(1), 60000);
  EXPECT_EQ(get(0), standard);
  EXPECT_EQ(cuKernelSetAttribute(most, 1 << 30, kernel, 1), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuKernelSetAttribute(CU_FUNC_ATTRIBUTE_NUM_REGS, 3, kernel, 1),
            CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuKernelSetAttribute(most, 1, kernel, 2), CUDA_ERROR_INVALID_DEVICE);
  EXPECT_EQ(cuKernelSetAttribute(most, 1, nullptr, 1), CUDA_ERROR_INVALID_HANDLE);
  EXPECT_EQ(cuKernelGetAttribute(nullptr, most, kernel, 1), CUDA_ERROR_INVALID_VALUE);

  // A later context has them; an attribute of the function itself takes precedence.
  ASSERT_OK(cuCtxCreate_v2(&b, 0, 1));
  CUfunction function = nullptr;
  int value = 0;
  ASSERT_OK(cuKernelGetFunction(&function, kernel));
  EXPECT_OK(cuFuncGetAttribute(&value, most, function));
  EXPECT_EQ(value, 60000);
  EXPECT_OK(cuKernelSetAttribute(most, 61000, kernel, 1));
  EXPECT_OK(cuFuncGetAttribute(&value, most, function));
  EXPECT_EQ(value, 61000);
  EXPECT_OK(cuFuncSetAttribute(function, most, 62000));
  EXPECT_OK(cuKernelSetAttribute(most, 63000, kernel, 1));
  EXPECT_OK(cuFuncGetAttribute(&value, most, function));
  EXPECT_EQ(value, 62000);
  EXPECT_EQ(get(1), 63000);
  EXPECT_OK(cuCtxDestroy_v2(b));
  EXPECT_OK(cuCtxDestroy_v2(a));
  EXPECT_OK(cuLibraryUnload(library));
}

// The grids of all devices run at the same time: each waits for the other one.
TEST_F(TwoA100s, CooperateInOneLaunch) {
  const char* const text =
      ".version 8.0\n.target sm_80\n.address_size 64\n"
      ".visible .entry meet(.param .u64 counter) {\n"
      ".reg .b64 a;\n.reg .b32 n;\n.reg .pred p;\nld.param.u64 a, [counter];\n"
      "atom.add.release.sys.global.u32 n, [a], 1;\n"
      "L: ld.acquire.sys.global.u32 n, [a];\nsetp.lt.u32 p, n, 8;\n@p bra L;\nret;\n}\n"
      ".visible .entry other(.param .u64 counter) { ret; }\n";
  CUcontext contexts[2] = {};
  CUdeviceptr counter = 0;
  void* params[] = {&counter};
  CUDA_LAUNCH_PARAMS launches[2] = {};
  CUfunction others[2] = {};
  for (int i = 0; i < 2; ++i) {
    CUmodule module = nullptr;
    ASSERT_OK(cuCtxCreate_v2(&contexts[i], 0, i));
    ASSERT_OK(cuModuleLoadData(&module, text));
    ASSERT_OK(cuModuleGetFunction(&launches[i].function, module, "meet"));
    ASSERT_OK(cuModuleGetFunction(&others[i], module, "other"));
    ASSERT_OK(cuStreamCreate(&launches[i].hStream, CU_STREAM_NON_BLOCKING));
    launches[i].gridDimX = 2, launches[i].gridDimY = launches[i].gridDimZ = 1;
    launches[i].blockDimX = 2, launches[i].blockDimY = launches[i].blockDimZ = 1;
    launches[i].kernelParams = params;
  }
  int can = 0;
  EXPECT_OK(cuDeviceGetAttribute(&can, CU_DEVICE_ATTRIBUTE_COOPERATIVE_MULTI_DEVICE_LAUNCH, 1));
  EXPECT_EQ(can, 1);
  ASSERT_OK(cuMemAlloc_v2(&counter, 4));
  ASSERT_OK(cuMemsetD32_v2(counter, 0, 1));
  ASSERT_OK(cuCtxSynchronize());
  EXPECT_OK(cuLaunchCooperativeKernelMultiDevice(launches, 2, 0));
  for (const auto& launch : launches) EXPECT_OK(cuStreamSynchronize(launch.hStream));

  const auto attempt = [&](auto change) {
    CUDA_LAUNCH_PARAMS wrong[2] = {launches[0], launches[1]};
    change(wrong[1]);
    return cuLaunchCooperativeKernelMultiDevice(wrong, 2, 0);
  };
  EXPECT_EQ(attempt([](auto& p) { p.gridDimX = 1; }), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(attempt([&](auto& p) { p.function = others[1]; }), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(attempt([&](auto& p) { p = launches[0]; }), CUDA_ERROR_INVALID_VALUE) << "one device";
  EXPECT_EQ(attempt([](auto& p) { p.hStream = nullptr; }), CUDA_ERROR_INVALID_HANDLE);
  EXPECT_EQ(attempt([&](auto& p) { p.function = launches[0].function; }),
            CUDA_ERROR_INVALID_HANDLE);
  EXPECT_EQ(cuLaunchCooperativeKernelMultiDevice(launches, 2, 4), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuLaunchCooperativeKernelMultiDevice(launches, 0, 0), CUDA_ERROR_INVALID_VALUE);
  launches[0].gridDimX = launches[1].gridDimX = 1 << 20;
  EXPECT_EQ(cuLaunchCooperativeKernelMultiDevice(launches, 2, 0),
            CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE);
  for (const CUcontext context : contexts) EXPECT_OK(cuCtxDestroy_v2(context));
}

// A named device runs only the modules that this GPU runs.
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
