// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Asynchronous errors: faults that stay with their context, waits for failed work, and eight
// threads that use all functions at once. Driver API 6.1 (CUresult), 6.18, 6.19.
#include <cstdlib>
#include <vector>

#include "client.h"
#include "kernels.h"

namespace {

class Errors : public InContext {
 protected:
  CUfunction function(const char* name) {
    CUmodule module = nullptr;
    CUfunction found = nullptr;
    EXPECT_OK(cuModuleLoadData(&module, kKernels));
    EXPECT_OK(cuModuleGetFunction(&found, module, name));
    return found;
  }
  static CUresult launch(CUfunction f, CUstream stream, void** params = nullptr) {
    return cuLaunchKernel(f, 1, 1, 1, 1, 1, 1, 0, stream, params, nullptr);
  }
};

TEST_F(Errors, AFaultStaysWithItsContext) {
  const auto stop = function("stop");
  CUstream stream = nullptr;
  CUevent event = nullptr;
  CUdeviceptr memory = 0;
  ASSERT_OK(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
  ASSERT_OK(cuEventCreate(&event, 0));
  ASSERT_OK(cuMemAlloc_v2(&memory, 64));
  testing::internal::CaptureStderr();
  {
    Gate gate(stream);  // otherwise the fault might happen before the event is recorded
    EXPECT_OK(launch(stop, stream)) << "the launch itself is fine";
    EXPECT_OK(cuEventRecord(event, stream));
  }
  EXPECT_EQ(cuStreamSynchronize(stream), CUDA_ERROR_LAUNCH_FAILED);
  testing::internal::GetCapturedStderr();
  CUdeviceptr more = 0;
  int word = 0;
  EXPECT_EQ(cuStreamQuery(stream), CUDA_ERROR_LAUNCH_FAILED);
  EXPECT_EQ(cuEventQuery(event), CUDA_ERROR_LAUNCH_FAILED);
  EXPECT_EQ(cuEventSynchronize(event), CUDA_ERROR_LAUNCH_FAILED);
  EXPECT_EQ(cuMemAlloc_v2(&more, 64), CUDA_ERROR_LAUNCH_FAILED);
  EXPECT_EQ(cuMemcpyDtoH_v2(&word, memory, 4), CUDA_ERROR_LAUNCH_FAILED);
  EXPECT_EQ(launch(stop, nullptr), CUDA_ERROR_LAUNCH_FAILED);
  EXPECT_EQ(cuCtxSynchronize(), CUDA_ERROR_LAUNCH_FAILED);
  EXPECT_EQ(cuCtxSynchronize(), CUDA_ERROR_LAUNCH_FAILED) << "for good";
  CUcontext healthy = nullptr;
  ASSERT_OK(cuCtxCreate_v2(&healthy, 0, device));
  EXPECT_OK(cuMemAlloc_v2(&more, 64)) << "other contexts live on";
  EXPECT_OK(launch(function("count"), nullptr));
  EXPECT_OK(cuCtxSynchronize());
  EXPECT_OK(cuCtxDestroy_v2(healthy));
}

TEST_F(Errors, WorkBehindAFaultIsSkippedButEnds) {
  static std::atomic<int> called;
  called = 0;
  CUstream stream = nullptr;
  CUevent event = nullptr;
  ASSERT_OK(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
  ASSERT_OK(cuEventCreate(&event, 0));
  const auto stop = function("stop");
  testing::internal::CaptureStderr();
  {
    Gate gate(stream);
    EXPECT_OK(launch(stop, stream));
    EXPECT_OK(cuLaunchHostFunc(stream, [](void*) { ++called; }, nullptr));
    EXPECT_OK(cuStreamAddCallback(
        stream,
        [](CUstream, CUresult status, void*) {
          called += status == CUDA_ERROR_LAUNCH_FAILED ? 10 : 100;
        },
        nullptr, 0));
    EXPECT_OK(cuEventRecord(event, stream));
  }
  EXPECT_EQ(cuEventSynchronize(event), CUDA_ERROR_LAUNCH_FAILED);
  testing::internal::GetCapturedStderr();
  EXPECT_EQ(called, 10) << "a callback is told, a host function is not called";
}

TEST_F(Errors, DestructionWaits) {
  static std::atomic<bool> done;
  done = false;
  CUcontext other = nullptr;
  CUstream stream = nullptr;
  ASSERT_OK(cuCtxCreate_v2(&other, 0, device));
  ASSERT_OK(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
  EXPECT_OK(cuLaunchHostFunc(
      stream,
      [](void*) {
        std::this_thread::sleep_for(std::chrono::milliseconds(30));
        done = true;
      },
      nullptr));
  EXPECT_OK(cuCtxDestroy_v2(other));
  EXPECT_TRUE(done);
  EXPECT_EQ(cuStreamQuery(stream), CUDA_ERROR_INVALID_HANDLE);
}

TEST_F(Errors, EventOfAContext) {
  CUstream first = nullptr, second = nullptr;
  CUevent event = nullptr;
  ASSERT_OK(cuStreamCreate(&first, CU_STREAM_NON_BLOCKING));
  ASSERT_OK(cuStreamCreate(&second, CU_STREAM_NON_BLOCKING));
  ASSERT_OK(cuEventCreate(&event, CU_EVENT_DISABLE_TIMING));
  {
    Gate one(first);
    {
      Gate two(second);
      EXPECT_OK(cuCtxRecordEvent(context, event));
      EXPECT_EQ(cuEventQuery(event), CUDA_ERROR_NOT_READY);
    }
    EXPECT_OK(cuStreamSynchronize(second));
    EXPECT_EQ(cuEventQuery(event), CUDA_ERROR_NOT_READY) << "of all streams";
    EXPECT_OK(cuCtxWaitEvent(context, event));
    EXPECT_EQ(cuStreamQuery(second), CUDA_ERROR_NOT_READY);
  }
  EXPECT_OK(cuEventSynchronize(event));
  EXPECT_EQ(cuCtxRecordEvent(nullptr, event), CUDA_ERROR_INVALID_CONTEXT);
  EXPECT_EQ(cuCtxWaitEvent(context, nullptr), CUDA_ERROR_INVALID_HANDLE);
}

TEST_F(Errors, OldLaunchFunctions) {
  const auto add_to = function("add_to");
  CUdeviceptr memory = 0;
  unsigned word = 0;
  ASSERT_OK(cuMemAlloc_v2(&memory, 64));
  ASSERT_OK(cuMemsetD32_v2(memory, 1, 16));
  EXPECT_OK(cuFuncSetBlockShape(add_to, 16, 1, 1));
  EXPECT_OK(cuParamSetv(add_to, 0, &memory, 8));
  EXPECT_OK(cuParamSetv(add_to, 8, &memory, 8));
  EXPECT_OK(cuParamSeti(add_to, 16, 16));
  EXPECT_OK(cuParamSeti(add_to, 20, 7));
  EXPECT_OK(cuParamSetSize(add_to, 24));
  EXPECT_OK(cuLaunch(add_to));
  EXPECT_OK(cuLaunchGrid(add_to, 1, 1));
  EXPECT_OK(cuMemcpyDtoH_v2(&word, memory + 60, 4));
  EXPECT_EQ(word, 15u);
  EXPECT_EQ(cuLaunchGrid(add_to, 0, 1), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuFuncSetBlockShape(add_to, 0, 1, 1), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuParamSeti(add_to, -4, 0), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuFuncSetSharedSize(nullptr, 0), CUDA_ERROR_INVALID_HANDLE);
  EXPECT_OK(cuFuncSetSharedMemConfig(add_to, CU_SHARED_MEM_CONFIG_FOUR_BYTE_BANK_SIZE));
}

/// How long the threads run: minutes in `./x hammer`.
std::chrono::seconds hammer_time() {
  const char* seconds = std::getenv("HEDDLE_HAMMER_SECONDS");
  return std::chrono::seconds(seconds ? std::atoi(seconds) : 3);
}

// Everything at once: results must be right, and nothing may crash or hang.
TEST_F(Errors, EightThreads) {
  constexpr int kThreads = 8;
  const auto end = std::chrono::steady_clock::now() + hammer_time();
  std::atomic<int> rounds{0}, wrong{0};
  const auto work = [&](int number) {
    CUcontext own = nullptr;
    const bool shares = number % 2;
    if (shares) {
      ASSERT_OK(cuCtxSetCurrent(context));
    } else {
      ASSERT_OK(cuCtxCreate_v2(&own, 0, device));
    }
    CUmodule module = nullptr;
    CUfunction add_to = nullptr;
    ASSERT_OK(cuModuleLoadData(&module, kKernels));
    ASSERT_OK(cuModuleGetFunction(&add_to, module, "add_to"));
    for (int round = 0; std::chrono::steady_clock::now() < end; ++round, ++rounds) {
      CUstream stream = nullptr, side = nullptr;
      CUevent event = nullptr;
      CUdeviceptr memory = 0, pooled = 0;
      CUgraph graph = nullptr;
      CUgraphExec exec = nullptr;
      ASSERT_OK(cuStreamCreate(&stream, round % 3 ? CU_STREAM_NON_BLOCKING : CU_STREAM_DEFAULT));
      ASSERT_OK(cuStreamCreate(&side, CU_STREAM_NON_BLOCKING));
      ASSERT_OK(cuEventCreate(&event, round % 2 ? CU_EVENT_DISABLE_TIMING : 0));
      ASSERT_OK(cuMemAllocAsync(&pooled, 256, stream));
      ASSERT_OK(cuMemAlloc_v2(&memory, 256));
      ASSERT_OK(cuMemsetD32Async(memory, static_cast<unsigned>(round), 64, stream));
      unsigned count = 64;
      unsigned char addend = static_cast<unsigned char>(number);
      void* params[] = {&pooled, &memory, &count, &addend};
      ASSERT_OK(cuLaunchKernel(add_to, 2, 1, 1, 32, 1, 1, 0, stream, params, nullptr));
      ASSERT_OK(cuEventRecord(event, stream));
      ASSERT_OK(cuStreamWaitEvent(side, event, 0));
      // The other half through a captured graph.
      ASSERT_OK(cuStreamBeginCapture_v2(stream, CU_STREAM_CAPTURE_MODE_RELAXED));
      void* again[] = {&memory, &pooled, &count, &addend};
      ASSERT_OK(cuLaunchKernel(add_to, 2, 1, 1, 32, 1, 1, 0, stream, again, nullptr));
      ASSERT_OK(cuStreamEndCapture(stream, &graph));
      ASSERT_OK(cuGraphInstantiateWithFlags(&exec, graph, 0));
      ASSERT_OK(cuGraphDestroy(graph));
      ASSERT_OK(cuGraphLaunch(exec, side));
      ASSERT_OK(cuGraphExecDestroy(exec));
      ASSERT_OK(cuStreamSynchronize(side));
      unsigned word = 0;
      ASSERT_OK(cuMemcpyAsync(reinterpret_cast<CUdeviceptr>(&word), memory + 252, 4, side));
      ASSERT_OK(cuStreamSynchronize(side));
      if (word != static_cast<unsigned>(round + 2 * number)) ++wrong;
      ASSERT_OK(cuMemFreeAsync(pooled, side));
      ASSERT_OK(cuEventDestroy_v2(event));
      ASSERT_OK(cuStreamDestroy_v2(stream));
      ASSERT_OK(cuStreamDestroy_v2(side));
      ASSERT_OK(cuMemFree_v2(memory));
    }
    if (own) {
      ASSERT_OK(cuCtxDestroy_v2(own));
    }
  };
  std::vector<std::thread> threads;
  for (int i = 0; i < kThreads; ++i) threads.emplace_back(work, i);
  for (auto& thread : threads) thread.join();
  EXPECT_EQ(wrong, 0);
  EXPECT_GT(rounds, kThreads);
  EXPECT_OK(cuCtxSynchronize());
}

}  // namespace
