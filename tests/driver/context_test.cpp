// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Contexts: the stack of each thread, creation and destruction, settings, the primary context.
// Driver API 6.7, 6.8.
#include "client.h"

namespace {

class Contexts : public testing::Test {
 protected:
  void SetUp() override {
    ASSERT_OK(cuInit(0));
    while (cuCtxPopCurrent_v2(nullptr) == CUDA_SUCCESS) continue;
  }
  static CUcontext make() {
    CUcontext context = nullptr;
    EXPECT_OK(cuCtxCreate_v2(&context, 0, 0));
    return context;
  }
  static CUcontext current() {
    CUcontext context = nullptr;
    EXPECT_OK(cuCtxGetCurrent(&context));
    return context;
  }
};

TEST_F(Contexts, StackOfTheThread) {
  const CUcontext a = make();
  EXPECT_EQ(current(), a);
  const CUcontext b = make();
  EXPECT_EQ(current(), b);
  CUcontext popped = nullptr;
  EXPECT_OK(cuCtxPopCurrent_v2(&popped));
  EXPECT_EQ(popped, b);
  EXPECT_EQ(current(), a);
  EXPECT_OK(cuCtxPushCurrent_v2(b));
  EXPECT_EQ(current(), b);
  EXPECT_OK(cuCtxDestroy_v2(b)) << "and pops it";
  EXPECT_EQ(current(), a);
  EXPECT_OK(cuCtxDestroy_v2(a));
  EXPECT_EQ(current(), nullptr);
}

TEST_F(Contexts, SetCurrentReplacesTheTop) {
  const CUcontext a = make(), b = make();
  EXPECT_OK(cuCtxPopCurrent_v2(nullptr));
  EXPECT_OK(cuCtxSetCurrent(b));
  EXPECT_EQ(current(), b);
  EXPECT_OK(cuCtxSetCurrent(nullptr));
  EXPECT_EQ(current(), nullptr) << "a was replaced, not covered";
  EXPECT_OK(cuCtxDestroy_v2(a));
  EXPECT_OK(cuCtxDestroy_v2(b));
}

TEST_F(Contexts, AttachIsCounted) {
  const CUcontext context = make();
  CUcontext attached = nullptr;
  EXPECT_OK(cuCtxAttach(&attached, 0));
  EXPECT_EQ(attached, context);
  EXPECT_EQ(cuCtxAttach(&attached, 1), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuCtxDetach(nullptr), CUDA_ERROR_INVALID_CONTEXT);
  EXPECT_OK(cuCtxDetach(context));
  EXPECT_EQ(current(), context);
  EXPECT_OK(cuCtxDetach(context));
  EXPECT_EQ(cuCtxPushCurrent_v2(context), CUDA_ERROR_INVALID_CONTEXT);
}

TEST_F(Contexts, EachThreadHasItsOwn) {
  const CUcontext a = make();
  std::thread([&] {
    EXPECT_EQ(current(), nullptr);
    EXPECT_OK(cuCtxSetCurrent(a));
    EXPECT_EQ(current(), a);
  }).join();
  EXPECT_OK(cuCtxDestroy_v2(a));
}

TEST_F(Contexts, DestroyedElsewhere) {
  const CUcontext a = make();
  std::thread([&] { EXPECT_OK(cuCtxDestroy_v2(a)); }).join();
  CUdeviceptr pointer = 0;
  EXPECT_EQ(cuMemAlloc_v2(&pointer, 16), CUDA_ERROR_CONTEXT_IS_DESTROYED);
  EXPECT_EQ(cuCtxDestroy_v2(a), CUDA_ERROR_INVALID_CONTEXT);
  EXPECT_OK(cuCtxPopCurrent_v2(nullptr));
}

TEST_F(Contexts, BadHandles) {
  const auto bad = reinterpret_cast<CUcontext>(0x1234);
  CUdevice device = 0;
  EXPECT_EQ(cuCtxPushCurrent_v2(bad), CUDA_ERROR_INVALID_CONTEXT);
  EXPECT_EQ(cuCtxSetCurrent(bad), CUDA_ERROR_INVALID_CONTEXT);
  EXPECT_EQ(cuCtxDestroy_v2(bad), CUDA_ERROR_INVALID_CONTEXT);
  EXPECT_EQ(cuCtxDestroy_v2(nullptr), CUDA_ERROR_INVALID_CONTEXT);
  EXPECT_EQ(cuCtxGetDevice_v2(&device, bad), CUDA_ERROR_INVALID_CONTEXT);
  EXPECT_EQ(cuCtxCreate_v2(nullptr, 0, 0), CUDA_ERROR_INVALID_VALUE);
  CUcontext context = nullptr;
  EXPECT_EQ(cuCtxCreate_v2(&context, 0, 5), CUDA_ERROR_INVALID_DEVICE);
  EXPECT_EQ(cuCtxCreate_v2(&context, CU_CTX_SCHED_SPIN | CU_CTX_SCHED_YIELD, 0),
            CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuCtxCreate_v2(&context, 0x100, 0), CUDA_ERROR_INVALID_VALUE);
}

TEST_F(Contexts, EveryVersionOfCreate) {
  CUcontext a = nullptr, b = nullptr;
  CUctxCreateParams plain{};
  EXPECT_OK(cuCtxCreate_v3(&a, nullptr, 0, 0, 0));
  EXPECT_OK(cuCtxCreate_v4(&b, &plain, CU_CTX_MAP_HOST, 0));
  unsigned flags = 0, version = 0;
  EXPECT_OK(cuCtxGetFlags(&flags));
  EXPECT_EQ(flags, static_cast<unsigned>(CU_CTX_MAP_HOST));
  EXPECT_OK(cuCtxGetApiVersion(b, &version));
  EXPECT_GE(version, 3020u);
  unsigned long long id_a = 0, id_b = 0;
  EXPECT_OK(cuCtxGetId(a, &id_a));
  EXPECT_OK(cuCtxGetId(nullptr, &id_b));
  EXPECT_NE(id_a, id_b);
  EXPECT_OK(cuCtxDestroy_v2(b));
  EXPECT_OK(cuCtxDestroy_v2(a));
}

TEST_F(Contexts, Limits) {
  const CUcontext a = make();
  size_t value = 0;
  EXPECT_OK(cuCtxGetLimit(&value, CU_LIMIT_STACK_SIZE));
  EXPECT_EQ(value, 1024u);
  EXPECT_OK(cuCtxSetLimit(CU_LIMIT_STACK_SIZE, 0x20000));
  EXPECT_OK(cuCtxGetLimit(&value, CU_LIMIT_STACK_SIZE));
  EXPECT_EQ(value, 0x20000u);
  EXPECT_OK(cuCtxSetLimit(CU_LIMIT_MALLOC_HEAP_SIZE, size_t{256} << 20));
  EXPECT_EQ(cuCtxSetLimit(CU_LIMIT_STACK_SIZE, size_t{1} << 40), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuCtxSetLimit(CU_LIMIT_CIG_ENABLED, 1), CUDA_ERROR_UNSUPPORTED_LIMIT);
  EXPECT_EQ(cuCtxGetLimit(&value, CU_LIMIT_MAX), CUDA_ERROR_INVALID_VALUE);
  EXPECT_OK(cuCtxDestroy_v2(a));
}

TEST_F(Contexts, PrimaryIsCounted) {
  unsigned flags = 7;
  int active = 7;
  CUcontext first = nullptr, second = nullptr;
  EXPECT_OK(cuDevicePrimaryCtxGetState(0, &flags, &active));
  EXPECT_EQ(active, 0);
  EXPECT_OK(cuDevicePrimaryCtxRetain(&first, 0));
  EXPECT_EQ(current(), nullptr) << "retaining makes nothing current";
  EXPECT_OK(cuDevicePrimaryCtxRetain(&second, 0));
  EXPECT_EQ(first, second);
  EXPECT_EQ(cuCtxDestroy_v2(first), CUDA_ERROR_INVALID_CONTEXT) << "that is what release is for";
  EXPECT_OK(cuDevicePrimaryCtxRelease_v2(0));
  EXPECT_OK(cuDevicePrimaryCtxGetState(0, &flags, &active));
  EXPECT_EQ(active, 1);

  EXPECT_OK(cuCtxSetCurrent(first));
  CUdeviceptr pointer = 0;
  EXPECT_OK(cuMemAlloc_v2(&pointer, 64));
  EXPECT_OK(cuDevicePrimaryCtxRelease_v2(0));
  EXPECT_EQ(cuDevicePrimaryCtxRelease_v2(0), CUDA_ERROR_INVALID_CONTEXT);
  EXPECT_OK(cuDevicePrimaryCtxGetState(0, &flags, &active));
  EXPECT_EQ(active, 0);
  EXPECT_EQ(cuMemAlloc_v2(&pointer, 64), CUDA_ERROR_CONTEXT_IS_DESTROYED);

  EXPECT_OK(cuDevicePrimaryCtxRetain(&second, 0));
  EXPECT_EQ(second, first) << "the same handle comes to life again";
  EXPECT_EQ(cuMemGetAddressRange_v2(nullptr, nullptr, pointer), CUDA_ERROR_NOT_FOUND);
  EXPECT_OK(cuMemAlloc_v2(&pointer, 64));
  EXPECT_OK(cuDevicePrimaryCtxReset_v2(0));
  EXPECT_EQ(cuMemGetAddressRange_v2(nullptr, nullptr, pointer), CUDA_ERROR_NOT_FOUND);
  EXPECT_OK(cuDevicePrimaryCtxRelease_v2(0)) << "a reset does not release";
}

TEST_F(Contexts, DestroyGivesBackMemoryAndHandles) {
  const CUcontext a = make();
  CUdeviceptr pointer = 0;
  CUstream stream = nullptr;
  CUevent event = nullptr;
  EXPECT_OK(cuMemAlloc_v2(&pointer, 1 << 20));
  EXPECT_OK(cuStreamCreate(&stream, 0));
  EXPECT_OK(cuEventCreate(&event, 0));
  EXPECT_OK(cuCtxDestroy_v2(a));
  const CUcontext b = make();
  EXPECT_EQ(cuMemGetAddressRange_v2(nullptr, nullptr, pointer), CUDA_ERROR_NOT_FOUND);
  EXPECT_EQ(cuStreamSynchronize(stream), CUDA_ERROR_INVALID_HANDLE);
  EXPECT_EQ(cuEventSynchronize(event), CUDA_ERROR_INVALID_HANDLE);
  EXPECT_OK(cuCtxDestroy_v2(b));
}

}  // namespace
