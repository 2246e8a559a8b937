// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Streams and events: order, waiting, the default streams, callbacks. Driver API 2, 6.18, 6.19.
#include <chrono>
#include <mutex>
#include <string>
#include <vector>

#include "client.h"

namespace {

class Streams : public InContext {
 protected:
  static CUstream make(unsigned flags = CU_STREAM_DEFAULT) {
    CUstream stream = nullptr;
    EXPECT_OK(cuStreamCreate(&stream, flags));
    return stream;
  }

  /// A host function that records in `log` that it ran.
  struct Note {
    Streams* test;
    std::string name;
  };
  void note(CUstream stream, const char* name) {
    EXPECT_OK(cuLaunchHostFunc(
        stream,
        [](void* data) {
          const auto* note = static_cast<Note*>(data);
          const std::lock_guard lock(note->test->mutex_);
          note->test->log_.push_back(note->name);
          delete note;
        },
        new Note{this, name}));
  }
  std::vector<std::string> log() {
    const std::lock_guard lock(mutex_);
    return log_;
  }

 private:
  std::mutex mutex_;
  std::vector<std::string> log_;
};

using testing::ElementsAre;
using testing::UnorderedElementsAre;

TEST_F(Streams, WorkRunsInOrderAndLater) {
  const CUstream stream = make();
  {
    Gate gate(stream);
    for (const char* name : {"a", "b", "c"}) note(stream, name);
    EXPECT_EQ(cuStreamQuery(stream), CUDA_ERROR_NOT_READY);
    EXPECT_THAT(log(), ElementsAre());
  }
  EXPECT_OK(cuStreamSynchronize(stream));
  EXPECT_OK(cuStreamQuery(stream));
  EXPECT_THAT(log(), ElementsAre("a", "b", "c"));
  EXPECT_OK(cuStreamDestroy_v2(stream));
}

TEST_F(Streams, OthersDoNotWait) {
  const CUstream held = make(), free = make();
  Gate gate(held);
  note(held, "held");
  note(free, "free");
  EXPECT_OK(cuStreamSynchronize(free));
  EXPECT_THAT(log(), ElementsAre("free"));
}

TEST_F(Streams, LegacyStreamWaitsForBlockingStreamsAndTheyForIt) {
  const CUstream blocking = make();
  {
    Gate gate(blocking);
    note(blocking, "1 blocking");
    note(nullptr, "2 legacy");
    note(make(), "3 another blocking stream");
    EXPECT_EQ(cuStreamQuery(nullptr), CUDA_ERROR_NOT_READY);
    EXPECT_THAT(log(), ElementsAre());
  }
  EXPECT_OK(cuCtxSynchronize());
  EXPECT_THAT(log(), ElementsAre("1 blocking", "2 legacy", "3 another blocking stream"));
}

TEST_F(Streams, NonBlockingStreamsAreFreeOfTheLegacyStream) {
  const CUstream other = make(CU_STREAM_NON_BLOCKING);
  Gate gate(CU_STREAM_LEGACY);
  note(CU_STREAM_LEGACY, "legacy");
  note(other, "non-blocking");
  EXPECT_OK(cuStreamSynchronize(other));
  EXPECT_THAT(log(), ElementsAre("non-blocking"));
}

TEST_F(Streams, PerThreadStreamIsOnePerThread) {
  unsigned long long mine = 0, twin = 0, other = 0, legacy = 0;
  EXPECT_OK(cuStreamGetId(CU_STREAM_PER_THREAD, &mine));
  EXPECT_OK(cuStreamGetId_ptsz(nullptr, &twin));
  EXPECT_OK(cuStreamGetId(nullptr, &legacy));
  std::thread([&] {
    EXPECT_OK(cuCtxSetCurrent(context));
    EXPECT_OK(cuStreamGetId(CU_STREAM_PER_THREAD, &other));
  }).join();
  EXPECT_EQ(mine, twin) << "the _ptsz export reads null as the per-thread stream";
  EXPECT_NE(mine, other);
  EXPECT_NE(mine, legacy);
}

TEST_F(Streams, EventOrdersTwoStreams) {
  const CUstream first = make(CU_STREAM_NON_BLOCKING), second = make(CU_STREAM_NON_BLOCKING);
  CUevent event = nullptr;
  EXPECT_OK(cuEventCreate(&event, 0));
  {
    Gate gate(first);
    note(first, "1");
    EXPECT_OK(cuEventRecord(event, first));
    note(first, "behind the event");
    EXPECT_OK(cuStreamWaitEvent(second, event, 0));
    note(second, "2");
    EXPECT_EQ(cuEventQuery(event), CUDA_ERROR_NOT_READY);
    EXPECT_EQ(cuStreamQuery(second), CUDA_ERROR_NOT_READY);
  }
  EXPECT_OK(cuEventSynchronize(event));
  EXPECT_OK(cuEventQuery(event));
  EXPECT_OK(cuCtxSynchronize());
  EXPECT_EQ(log().front(), "1");
  EXPECT_THAT(log(), UnorderedElementsAre("1", "2", "behind the event"));
  EXPECT_OK(cuEventDestroy_v2(event));
}

TEST_F(Streams, WordsOfMemoryOrderStreams) {
  const CUstream waiting = make(CU_STREAM_NON_BLOCKING), writing = make(CU_STREAM_NON_BLOCKING);
  CUdeviceptr word = 0;
  ASSERT_OK(cuMemAlloc_v2(&word, 8));
  ASSERT_OK(cuMemsetD32_v2(word, 0, 2));
  ASSERT_OK(cuCtxSynchronize());
  const struct {
    unsigned condition, before, value, after;
  } kCases[] = {
      {CU_STREAM_WAIT_VALUE_EQ, 0, 5, 5},
      {CU_STREAM_WAIT_VALUE_GEQ, 5, 7, 9},
      {CU_STREAM_WAIT_VALUE_GEQ, 0xfffffff0, 2,
       3},  // cyclic: 3 comes after 2, 0xfffffff0 before it
      {CU_STREAM_WAIT_VALUE_AND, 3, 4, 12},
      {CU_STREAM_WAIT_VALUE_NOR, 0xffffffff, 0xf, 0x7fffffff},
  };
  for (const auto& c : kCases) {
    EXPECT_OK(cuStreamWriteValue32_v2(writing, word, c.before, 0));
    EXPECT_OK(cuStreamSynchronize(writing));
    EXPECT_OK(cuStreamWaitValue32_v2(waiting, word, c.value, c.condition));
    EXPECT_EQ(cuStreamQuery(waiting), CUDA_ERROR_NOT_READY) << c.condition;
    EXPECT_OK(cuStreamWriteValue32_v2(writing, word, c.after, 0));
    EXPECT_OK(cuStreamSynchronize(waiting));
  }
  EXPECT_OK(cuStreamWriteValue64_v2(writing, word, 1ull << 40, 0));
  EXPECT_OK(cuStreamWaitValue64_v2(waiting, word, 1ull << 40, CU_STREAM_WAIT_VALUE_EQ));
  EXPECT_OK(cuStreamSynchronize(waiting));
  EXPECT_EQ(cuStreamWriteValue32_v2(writing, word + 2, 0, 0), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuStreamWaitValue64_v2(writing, word + 4, 0, 0), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuStreamWaitValue32_v2(writing, word, 0, 9), CUDA_ERROR_INVALID_VALUE);
}

TEST_F(Streams, EventTimes) {
  CUevent start = nullptr, end = nullptr, untimed = nullptr;
  EXPECT_OK(cuEventCreate(&start, 0));
  EXPECT_OK(cuEventCreate(&end, CU_EVENT_BLOCKING_SYNC));
  EXPECT_OK(cuEventCreate(&untimed, CU_EVENT_DISABLE_TIMING));
  float ms = -1;
  EXPECT_EQ(cuEventElapsedTime(&ms, start, end), CUDA_ERROR_INVALID_HANDLE) << "not recorded";
  EXPECT_OK(cuEventQuery(start)) << "an event that was never recorded is done";
  EXPECT_OK(cuEventSynchronize(start));
  const CUstream stream = make();
  EXPECT_OK(cuEventRecord(start, stream));
  EXPECT_OK(cuLaunchHostFunc(
      stream, [](void*) { std::this_thread::sleep_for(std::chrono::milliseconds(20)); }, nullptr));
  {
    Gate gate(stream);
    EXPECT_OK(cuEventRecord(end, stream));
    EXPECT_EQ(cuEventElapsedTime(&ms, start, end), CUDA_ERROR_NOT_READY);
  }
  EXPECT_OK(cuEventSynchronize(end));
  EXPECT_OK(cuEventElapsedTime(&ms, start, end));
  EXPECT_THAT(ms, testing::AllOf(testing::Ge(20.0f), testing::Lt(5000.0f)));
  EXPECT_OK(cuEventRecord(untimed, stream));
  EXPECT_EQ(cuEventElapsedTime(&ms, start, untimed), CUDA_ERROR_INVALID_HANDLE);
}

// Programs query at once, and treat "not ready" as pending work.
TEST_F(Streams, WhatHasNothingToWaitForIsDoneAtOnce) {
  CUevent event = nullptr, shared = nullptr, start = nullptr;
  ASSERT_OK(cuEventCreate(&event, CU_EVENT_DISABLE_TIMING));
  ASSERT_OK(cuEventCreate(&shared, CU_EVENT_DISABLE_TIMING | CU_EVENT_INTERPROCESS));
  ASSERT_OK(cuEventCreate(&start, 0));
  for (const CUstream stream :
       {CUstream{}, CU_STREAM_PER_THREAD, make(), make(CU_STREAM_NON_BLOCKING)}) {
    note(stream, "work");
    EXPECT_OK(cuCtxSynchronize());
    EXPECT_OK(cuEventRecord(event, stream));
    EXPECT_OK(cuEventQuery(event));
    EXPECT_OK(cuStreamQuery(stream));
    EXPECT_OK(cuEventRecord(shared, stream));
    EXPECT_OK(cuEventQuery(shared));
    EXPECT_OK(cuStreamWaitEvent(stream, event, 0));
    EXPECT_OK(cuStreamQuery(stream));
    float ms = -1;
    EXPECT_OK(cuEventRecord(start, stream));
    EXPECT_OK(cuEventElapsedTime(&ms, start, start));
    CUdeviceptr memory = 0;
    EXPECT_OK(cuMemAllocAsync(&memory, 64, stream));
    EXPECT_OK(cuMemFreeAsync(memory, stream));
    EXPECT_OK(cuStreamQuery(stream));
    EXPECT_EQ(cuMemsetD8_v2(memory, 0, 1), CUDA_ERROR_INVALID_VALUE) << "it is free already";
  }
  EXPECT_OK(cuCtxRecordEvent(context, event));
  EXPECT_OK(cuEventQuery(event));
  // An event in the legacy stream comes after earlier work in the blocking streams.
  const CUstream blocking = make();
  Gate gate(blocking);
  EXPECT_OK(cuEventRecord(event, nullptr));
  EXPECT_EQ(cuEventQuery(event), CUDA_ERROR_NOT_READY);
}

TEST_F(Streams, DestroyLetsTheWorkFinish) {
  const CUstream stream = make(CU_STREAM_NON_BLOCKING);
  {
    Gate gate(stream);
    note(stream, "still runs");
    EXPECT_OK(cuStreamDestroy_v2(stream));
    EXPECT_EQ(cuStreamQuery(stream), CUDA_ERROR_INVALID_HANDLE);
  }
  EXPECT_OK(cuCtxSynchronize());
  EXPECT_THAT(log(), ElementsAre("still runs"));
}

struct Called {
  CUstream stream = nullptr;
  CUresult status = CUDA_ERROR_UNKNOWN;
  CUresult inside = CUDA_SUCCESS;
};

TEST_F(Streams, CallbackIsToldAndMayNotCallTheDriver) {
  const CUstream stream = make();
  Called called;
  EXPECT_OK(cuStreamAddCallback(
      stream,
      [](CUstream stream, CUresult status, void* data) {
        CUdeviceptr pointer = 0;
        *static_cast<Called*>(data) = {stream, status, cuMemAlloc_v2(&pointer, 8)};
      },
      &called, 0));
  EXPECT_OK(cuStreamSynchronize(stream));
  EXPECT_EQ(called.stream, stream);
  EXPECT_EQ(called.status, CUDA_SUCCESS);
  EXPECT_EQ(called.inside, CUDA_ERROR_NOT_PERMITTED);
  EXPECT_EQ(cuStreamAddCallback(stream, nullptr, nullptr, 0), CUDA_ERROR_INVALID_VALUE);
}

TEST_F(Streams, HostFunctionsMayAskAboutPointersOnly) {
  struct Asked {
    CUdeviceptr pointer;
    unsigned type = 0;
    CUresult allocated = CUDA_SUCCESS, asked = CUDA_ERROR_UNKNOWN;
  } asked;
  ASSERT_OK(cuMemAlloc_v2(&asked.pointer, 8));
  EXPECT_OK(cuLaunchHostFunc(
      make(),
      [](void* data) {
        Asked& asked = *static_cast<Asked*>(data);
        CUdeviceptr other = 0;
        asked.allocated = cuMemAlloc_v2(&other, 8);
        asked.asked =
            cuPointerGetAttribute(&asked.type, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, asked.pointer);
      },
      &asked));
  EXPECT_OK(cuCtxSynchronize());
  EXPECT_EQ(asked.allocated, CUDA_ERROR_NOT_PERMITTED);
  EXPECT_EQ(asked.asked, CUDA_SUCCESS);
  EXPECT_EQ(asked.type, CU_MEMORYTYPE_DEVICE);
  EXPECT_OK(cuMemFree_v2(asked.pointer));
}

TEST_F(Streams, Queries) {
  const CUstream stream = make(CU_STREAM_NON_BLOCKING);
  unsigned flags = 0;
  int priority = 9, least = 9, greatest = 9;
  CUcontext owner = nullptr;
  EXPECT_OK(cuStreamGetFlags(stream, &flags));
  EXPECT_EQ(flags, static_cast<unsigned>(CU_STREAM_NON_BLOCKING));
  EXPECT_OK(cuCtxGetStreamPriorityRange(&least, &greatest));
  EXPECT_EQ(least, 0);
  EXPECT_LT(greatest, least) << "several";
  const struct {
    int asked, got;
  } kPriorities[] = {{0, 0}, {-1, -1}, {greatest, greatest}, {greatest - 1, greatest}, {3, 0}};
  for (const auto& [asked, got] : kPriorities) {
    CUstream made = nullptr;
    CUstreamAttrValue value{};
    EXPECT_OK(cuStreamCreateWithPriority(&made, 0, asked));
    EXPECT_OK(cuStreamGetPriority(made, &priority));
    EXPECT_EQ(priority, got) << asked;
    EXPECT_OK(cuStreamGetAttribute(made, CU_STREAM_ATTRIBUTE_PRIORITY, &value));
    EXPECT_EQ(value.priority, got);
    value.priority = -2;
    EXPECT_OK(cuStreamSetAttribute(made, CU_STREAM_ATTRIBUTE_PRIORITY, &value));
    EXPECT_OK(cuStreamGetPriority(made, &priority));
    EXPECT_EQ(priority, -2);
  }
  EXPECT_OK(cuStreamGetPriority(stream, &priority));
  EXPECT_THAT(priority, testing::AllOf(testing::Ge(greatest), testing::Le(least)));
  EXPECT_OK(cuStreamGetCtx(stream, &owner));
  EXPECT_EQ(owner, context);
  EXPECT_OK(cuStreamGetCtx(CU_STREAM_PER_THREAD, &owner));
  EXPECT_EQ(owner, context);
}

TEST_F(Streams, BadHandles) {
  const CUstream stream = make();
  CUevent event = nullptr;
  EXPECT_OK(cuEventCreate(&event, 0));
  const auto bad_stream = reinterpret_cast<CUstream>(event);
  const auto bad_event = reinterpret_cast<CUevent>(stream);
  EXPECT_EQ(cuStreamSynchronize(bad_stream), CUDA_ERROR_INVALID_HANDLE);
  EXPECT_EQ(cuStreamDestroy_v2(bad_stream), CUDA_ERROR_INVALID_HANDLE);
  EXPECT_EQ(cuStreamDestroy_v2(nullptr), CUDA_ERROR_INVALID_HANDLE);
  EXPECT_EQ(cuEventRecord(bad_event, stream), CUDA_ERROR_INVALID_HANDLE);
  EXPECT_EQ(cuEventRecord(event, bad_stream), CUDA_ERROR_INVALID_HANDLE);
  EXPECT_EQ(cuStreamWaitEvent(stream, bad_event, 0), CUDA_ERROR_INVALID_HANDLE);
  EXPECT_EQ(cuStreamWaitEvent(stream, event, 1), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuEventDestroy_v2(nullptr), CUDA_ERROR_INVALID_HANDLE);
  EXPECT_EQ(cuStreamCreate(nullptr, 0), CUDA_ERROR_INVALID_VALUE);
  CUstream unused = nullptr;
  EXPECT_EQ(cuStreamCreate(&unused, 2), CUDA_ERROR_INVALID_VALUE);
  CUevent none = nullptr;
  EXPECT_EQ(cuEventCreate(&none, 0x100), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuEventCreate(&none, CU_EVENT_INTERPROCESS), CUDA_ERROR_INVALID_VALUE);
}

TEST_F(Streams, EventOfAnotherContextIsNotRecorded) {
  CUevent event = nullptr;
  EXPECT_OK(cuEventCreate(&event, 0));
  CUcontext other = nullptr;
  EXPECT_OK(cuCtxCreate_v2(&other, 0, 0));
  EXPECT_EQ(cuEventRecord(event, nullptr), CUDA_ERROR_INVALID_HANDLE);
  EXPECT_OK(cuCtxDestroy_v2(other));
}

// Many threads use one context: nothing is lost, nothing crashes.
TEST_F(Streams, ManyThreads) {
  constexpr int kThreads = 4, kRounds = 50;
  std::atomic<int> ran{0};
  std::vector<std::thread> threads;
  for (int t = 0; t < kThreads; ++t) {
    threads.emplace_back([&] {
      ASSERT_OK(cuCtxSetCurrent(context));
      for (int round = 0; round < kRounds; ++round) {
        CUstream stream = nullptr;
        CUevent event = nullptr;
        CUdeviceptr pointer = 0;
        int value = round, back = -1;
        ASSERT_OK(cuStreamCreate(&stream, round % 2 ? CU_STREAM_NON_BLOCKING : 0));
        ASSERT_OK(cuEventCreate(&event, 0));
        ASSERT_OK(cuMemAlloc_v2(&pointer, 4));
        ASSERT_OK(cuMemcpyHtoDAsync_v2(pointer, &value, 4, stream));
        ASSERT_OK(cuLaunchHostFunc(
            stream, [](void* ran) { ++*static_cast<std::atomic<int>*>(ran); }, &ran));
        ASSERT_OK(cuEventRecord(event, stream));
        ASSERT_OK(cuStreamWaitEvent(nullptr, event, 0));
        ASSERT_OK(cuMemcpyDtoH_v2(&back, pointer, 4));
        ASSERT_EQ(back, value);
        ASSERT_OK(cuMemFree_v2(pointer));
        ASSERT_OK(cuEventDestroy_v2(event));
        ASSERT_OK(cuStreamDestroy_v2(stream));
      }
    });
  }
  for (auto& thread : threads) thread.join();
  EXPECT_OK(cuCtxSynchronize());
  EXPECT_EQ(ran, kThreads * kRounds);
}

}  // namespace
