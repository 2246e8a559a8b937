// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Streams, events, callbacks, the default stream per thread. Runtime API 6.4, 6.5, 6.7.
#include "../driver/kernels.h"
#include "program.h"

namespace {

class Streams : public testing::Test {
 protected:
  void SetUp() override { ASSERT_OK(cudaStreamCreate(&stream)); }
  void TearDown() override { EXPECT_OK(cudaStreamDestroy(stream)); }

  Program program{kKernels};
  cudaStream_t stream = nullptr;
};

TEST_F(Streams, QuerySaysWhetherWorkIsPending) {
  Gate gate(stream);
  EXPECT_EQ(cudaStreamQuery(stream), cudaErrorNotReady);
  EXPECT_EQ(cudaGetLastError(), cudaErrorNotReady);
  gate.open();
  EXPECT_OK(cudaStreamSynchronize(stream));
  EXPECT_OK(cudaStreamQuery(stream));
}

TEST_F(Streams, FlagsPriorityDevice) {
  cudaStream_t other = nullptr;
  unsigned flags = 0;
  int priority = 9, device = -1;
  unsigned long long id = 0;
  ASSERT_OK(cudaStreamCreateWithPriority(&other, cudaStreamNonBlocking, 0));
  EXPECT_OK(cudaStreamGetFlags(other, &flags));
  EXPECT_EQ(flags, unsigned{cudaStreamNonBlocking});
  EXPECT_OK(cudaStreamGetPriority(other, &priority));
  EXPECT_OK(cudaStreamGetDevice(other, &device));
  EXPECT_OK(cudaStreamGetId(other, &id));
  EXPECT_EQ(device, 0);
  EXPECT_OK(cudaStreamDestroy(other));
  ASSERT_OK(cudaStreamCreateWithFlags(&other, cudaStreamDefault));
  EXPECT_OK(cudaStreamDestroy(other));
  EXPECT_EQ(cudaStreamQuery(other), cudaErrorInvalidResourceHandle);
}

TEST_F(Streams, EventsOrderStreams) {
  cudaStream_t second = nullptr;
  cudaEvent_t event = nullptr;
  ASSERT_OK(cudaStreamCreateWithFlags(&second, cudaStreamNonBlocking));
  ASSERT_OK(cudaEventCreateWithFlags(&event, cudaEventDisableTiming));
  void* memory = device_ints({0, 0});
  int* words = static_cast<int*>(memory);
  {
    Gate gate(stream);
    EXPECT_OK(cudaMemsetAsync(words, 1, 4, stream));
    EXPECT_OK(cudaEventRecord(event, stream));
    EXPECT_OK(cudaStreamWaitEvent(second, event, 0));
    EXPECT_OK(cudaMemcpyAsync(words + 1, words, 4, cudaMemcpyDeviceToDevice, second));
    EXPECT_EQ(cudaEventQuery(event), cudaErrorNotReady);
  }
  EXPECT_OK(cudaEventSynchronize(event));
  EXPECT_OK(cudaStreamSynchronize(second));
  EXPECT_EQ(host_ints(memory, 2)[1], 0x01010101);
  EXPECT_OK(cudaEventDestroy(event));
  EXPECT_OK(cudaStreamDestroy(second));
  EXPECT_OK(cudaFree(memory));
  cudaGetLastError();
}

TEST_F(Streams, TimeBetweenEvents) {
  cudaEvent_t start = nullptr, end = nullptr;
  ASSERT_OK(cudaEventCreate(&start));
  ASSERT_OK(cudaEventCreate(&end));
  EXPECT_OK(cudaEventRecord(start, stream));
  EXPECT_OK(cudaEventRecordWithFlags(end, stream, cudaEventRecordDefault));
  EXPECT_OK(cudaEventSynchronize(end));
  float milliseconds = -1;
  EXPECT_OK(cudaEventElapsedTime(&milliseconds, start, end));
  EXPECT_GE(milliseconds, 0);
  EXPECT_OK(cudaEventDestroy(start));
  EXPECT_OK(cudaEventDestroy(end));
}

TEST_F(Streams, CallbackGetsStreamStatusAndData) {
  struct Seen {
    cudaStream_t stream = nullptr;
    cudaError_t status = cudaErrorUnknown;
  } seen;
  EXPECT_OK(cudaStreamAddCallback(
      stream,
      [](cudaStream_t stream, cudaError_t status, void* data) {
        *static_cast<Seen*>(data) = {stream, status};
      },
      &seen, 0));
  EXPECT_OK(cudaStreamSynchronize(stream));
  EXPECT_EQ(seen.stream, stream);
  EXPECT_OK(seen.status);
  EXPECT_EQ(cudaStreamAddCallback(stream, nullptr, nullptr, 0), cudaErrorInvalidValue);
}

// Work in the legacy default stream waits for a blocking stream; work in the thread's default
// stream does not.
TEST_F(Streams, DefaultStreamPerThread) {
  void* memory = device_ints({0});
  void* arguments[] = {&memory};
  const void* store = program.kernel("store_far");
  Gate gate(stream);
  EXPECT_OK(cudaLaunchKernel_ptsz(store, {1, 1, 1}, {1, 1, 1}, arguments, 0, nullptr));
  EXPECT_OK(cudaStreamSynchronize_ptsz(nullptr));
  int value = 0;
  EXPECT_OK(cudaMemcpy_ptds(&value, memory, 4, cudaMemcpyDeviceToHost));
  EXPECT_EQ(value, 1);
  EXPECT_OK(cudaLaunchKernel(store, {1, 1, 1}, {1, 1, 1}, arguments, 0, nullptr));
  EXPECT_EQ(cudaStreamQuery(nullptr), cudaErrorNotReady);
  EXPECT_OK(cudaStreamQuery_ptsz(nullptr));
  gate.open();
  EXPECT_OK(cudaDeviceSynchronize());
  EXPECT_OK(cudaFree(memory));
  cudaGetLastError();
}

TEST_F(Streams, Profiler) {
  EXPECT_OK(cudaProfilerStart());
  EXPECT_OK(cudaProfilerStop());
}

}  // namespace
