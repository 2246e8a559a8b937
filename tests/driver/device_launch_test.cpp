// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Kernels that launch kernels, from the host's view: the completion of grids, faults, the effect of
// the host's settings. tests/run/device_launch.ptx has the kernels' view. CUDA C++ Programming
// Guide, "CUDA Dynamic Parallelism".
#include <string>

#include "client.h"

namespace {

using testing::HasSubstr;

constexpr const char* kText = R"ptx(
.version 8.0
.target sm_75
.address_size 64
.extern .func (.param .b64 buffer) cudaGetParameterBufferV2(.param .b64 function, .param .align 4 .b8 grid[12],
                                                            .param .align 4 .b8 block[12], .param .b32 shared);
.extern .func (.param .b32 error) cudaLaunchDeviceV2(.param .b64 buffer, .param .b64 stream);
.extern .func (.param .b32 error) cudaDeviceGetAttribute(.param .b64 value, .param .b32 attribute, .param .b32 device);
.extern .func (.param .b32 error) cudaDeviceGetLimit(.param .b64 value, .param .b32 limit);
.extern .func (.param .b32 error) cudaGetDeviceCount(.param .b64 value);

.visible .entry count(.param .u64 p)
{
  .reg .b64 a;
  ld.param.u64 a, [p];
  red.global.add.u32 [a], 1;
  ret;
}

// Launches `times` grids of `count` with that much shared memory; p[1] is the last error.
.visible .entry parent(.param .u64 p, .param .u32 times, .param .u32 shared, .param .u64 child_p)
{
  .reg .pred q;
  .reg .b64 a, c, function, buffer;
  .reg .b32 left, bytes, error, last;
  .param .align 4 .b8 one[12];
  ld.param.u64 a, [p];
  ld.param.u64 c, [child_p];
  ld.param.u32 left, [times];
  ld.param.u32 bytes, [shared];
  mov.b32 last, 0;
  mov.b64 function, count;
  st.param.b32 [one], 1;
  st.param.b32 [one+4], 1;
  st.param.b32 [one+8], 1;
AGAIN:
  call (buffer), cudaGetParameterBufferV2, (function, one, one, bytes);
  st.global.u64 [buffer], c;
  call (error), cudaLaunchDeviceV2, (buffer, 0);
  setp.ne.u32 q, error, 0;
  @q mov.b32 last, error;
  sub.u32 left, left, 1;
  setp.ne.u32 q, left, 0;
  @q bra AGAIN;
  st.global.u32 [a+4], last;
  ret;
}

.visible .entry ask(.param .u64 p)
{
  .reg .b64 a, b;
  .reg .b32 error;
  ld.param.u64 a, [p];
  call (error), cudaDeviceGetAttribute, (a, 1, 0);  // cudaDevAttrMaxThreadsPerBlock
  add.u64 b, a, 8;
  call (error), cudaDeviceGetLimit, (b, 2);         // cudaLimitMallocHeapSize
  add.u64 b, a, 16;
  call (error), cudaGetDeviceCount, (b);
  add.u64 b, a, 20;
  call (error), cudaDeviceGetAttribute, (b, 1, 99);
  st.global.u32 [b], error;
  ret;
}
)ptx";

class DeviceLaunches : public InContext {
 protected:
  void SetUp() override {
    InContext::SetUp();
    ASSERT_OK(cuModuleLoadData(&module, kText));
    ASSERT_OK(cuMemAlloc_v2(&memory, 64));
    ASSERT_OK(cuMemsetD32_v2(memory, 0, 16));
    ASSERT_OK(cuCtxSynchronize());
  }
  CUfunction kernel(const char* name) {
    CUfunction function = nullptr;
    EXPECT_OK(cuModuleGetFunction(&function, module, name));
    return function;
  }
  void launch_parent(unsigned times, unsigned shared = 0, CUdeviceptr child = 0,
                     CUstream stream = nullptr) {
    CUdeviceptr to = child ? child : memory;
    void* params[] = {&memory, &times, &shared, &to};
    EXPECT_OK(cuLaunchKernel(kernel("parent"), 1, 1, 1, 1, 1, 1, 0, stream, params, nullptr));
  }
  unsigned word(unsigned index) {
    unsigned value = 0;
    EXPECT_OK(cuMemcpyDtoH_v2(&value, memory + 4 * index, 4));
    return value;
  }

  CUmodule module = nullptr;
  CUdeviceptr memory = 0;
};

TEST_F(DeviceLaunches, AGridIsCompleteWhenItsChildrenAre) {
  CUstream stream = nullptr;
  CUevent event = nullptr;
  ASSERT_OK(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
  ASSERT_OK(cuEventCreate(&event, 0));
  launch_parent(100, 0, 0, stream);
  EXPECT_OK(cuEventRecord(event, stream));
  EXPECT_OK(cuEventSynchronize(event));
  EXPECT_EQ(word(0), 100u);
  EXPECT_EQ(word(1), 0u);
}

TEST_F(DeviceLaunches, InAGraph) {
  CUgraph graph = nullptr;
  CUgraphExec exec = nullptr;
  CUstream stream = nullptr;
  ASSERT_OK(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
  ASSERT_OK(cuStreamBeginCapture_v2(stream, CU_STREAM_CAPTURE_MODE_GLOBAL));
  launch_parent(3, 0, 0, stream);
  ASSERT_OK(cuStreamEndCapture(stream, &graph));
  ASSERT_OK(cuGraphInstantiateWithFlags(&exec, graph, 0));
  EXPECT_OK(cuGraphLaunch(exec, stream));
  EXPECT_OK(cuGraphLaunch(exec, stream));
  EXPECT_OK(cuStreamSynchronize(stream));
  EXPECT_EQ(word(0), 6u);
}

TEST_F(DeviceLaunches, SharedMemoryIsWhatTheHostAllows) {
  launch_parent(1, 60'000);
  EXPECT_EQ(word(0), 0u);
  EXPECT_EQ(word(1), 9u) << "cudaErrorInvalidConfiguration";
  EXPECT_OK(
      cuFuncSetAttribute(kernel("count"), CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, 60'000));
  launch_parent(1, 60'000);
  EXPECT_EQ(word(0), 1u);
  EXPECT_EQ(word(1), 0u);
}

TEST_F(DeviceLaunches, PendingOnesHaveALimitOnceThereIsOne) {
  launch_parent(3000);
  EXPECT_EQ(word(0), 3000u);
  EXPECT_EQ(word(1), 0u);
  EXPECT_OK(cuCtxSetLimit(CU_LIMIT_DEV_RUNTIME_PENDING_LAUNCH_COUNT, 10));
  launch_parent(11);
  EXPECT_EQ(word(0), 3010u);
  EXPECT_EQ(word(1), 69u) << "cudaErrorLaunchPendingCountExceeded";
}

TEST_F(DeviceLaunches, AFaultOfAChildIsTheContexts) {
  testing::internal::CaptureStderr();
  launch_parent(1, 0, 0x10);
  EXPECT_EQ(cuCtxSynchronize(), CUDA_ERROR_ILLEGAL_ADDRESS);
  EXPECT_THAT(testing::internal::GetCapturedStderr(), HasSubstr("kernel: count"));
}

TEST_F(DeviceLaunches, NumbersOfTheDevice) {
  void* params[] = {&memory};
  EXPECT_OK(cuLaunchKernel(kernel("ask"), 1, 1, 1, 1, 1, 1, 0, nullptr, params, nullptr));
  EXPECT_OK(cuCtxSynchronize());
  size_t heap = 0;
  int count = 0;
  EXPECT_OK(cuCtxGetLimit(&heap, CU_LIMIT_MALLOC_HEAP_SIZE));
  EXPECT_OK(cuDeviceGetCount(&count));
  EXPECT_EQ(word(0), 1024u);
  EXPECT_EQ(word(2), heap);
  EXPECT_EQ(word(4), static_cast<unsigned>(count));
  EXPECT_EQ(word(5), 1u) << "cudaErrorInvalidValue: there is no such device";
}

}  // namespace
