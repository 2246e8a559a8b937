// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Green contexts: shares of a device's multiprocessors, contexts and streams with a share. Driver
// API 6.35. On an H200: 132 multiprocessors, in groups of multiples of 8.
#include <cstdlib>
#include <cstring>
#include <vector>

#include "client.h"
#include "kernels.h"

namespace {

constexpr unsigned kAll = 132;

class Green : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    setenv("HEDDLE_DEVICE", "H200", 1);
    setenv("HEDDLE_DEVICES", "2", 1);
    ASSERT_OK(cuInit(0));
  }
  void SetUp() override {
    while (cuCtxPopCurrent_v2(nullptr) == CUDA_SUCCESS) continue;
    ASSERT_OK(cuDevicePrimaryCtxRetain(&primary, 0));
    ASSERT_OK(cuCtxSetCurrent(primary));
    ASSERT_OK(cuDeviceGetDevResource(0, &whole, CU_DEV_RESOURCE_TYPE_SM));
  }
  void TearDown() override {
    EXPECT_OK(cuCtxSetCurrent(nullptr));
    EXPECT_OK(cuDevicePrimaryCtxRelease_v2(0));
    EXPECT_FALSE(is_primary_active()) << "a green context has kept it";
  }
  static bool is_primary_active() {
    unsigned flags = 0;
    int active = -1;
    EXPECT_OK(cuDevicePrimaryCtxGetState(0, &flags, &active));
    return active != 0;
  }
  std::vector<CUdevResource> split(unsigned groups, unsigned least, unsigned flags = 0) {
    std::vector<CUdevResource> result(groups);
    EXPECT_OK(cuDevSmResourceSplitByCount(result.data(), &groups, &whole, &rest, flags, least));
    result.resize(groups);
    return result;
  }
  CUgreenCtx make(CUdevResource resource) {
    CUdevResourceDesc descriptor = nullptr;
    CUgreenCtx green = nullptr;
    EXPECT_OK(cuDevResourceGenerateDesc(&descriptor, &resource, 1));
    EXPECT_OK(cuGreenCtxCreate(&green, descriptor, 0, CU_GREEN_CTX_DEFAULT_STREAM));
    return green;
  }
  static CUcontext view(CUgreenCtx green) {
    CUcontext context = nullptr;
    EXPECT_OK(cuCtxFromGreenCtx(&context, green));
    return context;
  }
  static CUcontext current() {
    CUcontext context = nullptr;
    EXPECT_OK(cuCtxGetCurrent(&context));
    return context;
  }
  static CUstream stream_of(CUgreenCtx green) {
    CUstream stream = nullptr;
    EXPECT_OK(cuGreenCtxStreamCreate(&stream, green, CU_STREAM_NON_BLOCKING, 0));
    return stream;
  }

  CUcontext primary = nullptr;
  CUdevResource whole{}, rest{};
};

TEST_F(Green, DeviceHasItsMultiprocessors) {
  EXPECT_EQ(whole.type, CU_DEV_RESOURCE_TYPE_SM);
  EXPECT_EQ(whole.sm.smCount, kAll);
  EXPECT_EQ(whole.sm.minSmPartitionSize, 8u);
  EXPECT_EQ(whole.sm.smCoscheduledAlignment, 8u);
  CUdevResource same{};
  EXPECT_OK(cuCtxGetDevResource(primary, &same, CU_DEV_RESOURCE_TYPE_SM));
  EXPECT_EQ(same.sm.smCount, kAll);
  EXPECT_EQ(cuDeviceGetDevResource(7, &same, CU_DEV_RESOURCE_TYPE_SM), CUDA_ERROR_INVALID_DEVICE);
  EXPECT_EQ(cuDeviceGetDevResource(0, nullptr, CU_DEV_RESOURCE_TYPE_SM), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuDeviceGetDevResource(0, &same, CU_DEV_RESOURCE_TYPE_INVALID),
            CUDA_ERROR_INVALID_RESOURCE_TYPE);
  EXPECT_EQ(cuCtxGetDevResource(nullptr, &same, CU_DEV_RESOURCE_TYPE_SM),
            CUDA_ERROR_INVALID_CONTEXT);
}

TEST_F(Green, SplitsMakeEqualGroupsAndARest) {
  struct Case {
    unsigned groups, least, flags, made, size, rest;
  };
  for (const Case& c : {Case{4, 16, 0, 4, 16, 68},
                        {100, 16, 0, 8, 16, 4},
                        {1, 17, 0, 1, 24, 108},
                        {100, 0, 0, 16, 8, 4},
                        {2, 66, 0, 1, 72, 60},
                        {100, 1, CU_DEV_SM_RESOURCE_SPLIT_IGNORE_SM_COSCHEDULING, 66, 2, 0},
                        {2, 66, CU_DEV_SM_RESOURCE_SPLIT_IGNORE_SM_COSCHEDULING, 2, 66, 0}}) {
    unsigned possible = 0;
    EXPECT_OK(cuDevSmResourceSplitByCount(nullptr, &possible, &whole, nullptr, c.flags, c.least));
    EXPECT_EQ(possible, kAll / c.size);
    const auto groups = split(c.groups, c.least, c.flags);
    EXPECT_EQ(groups.size(), c.made);
    for (const auto& group : groups) EXPECT_EQ(group.sm.smCount, c.size);
    EXPECT_EQ(rest.type, c.rest ? CU_DEV_RESOURCE_TYPE_SM : CU_DEV_RESOURCE_TYPE_INVALID);
    EXPECT_EQ(rest.sm.smCount, c.rest);
  }
}

TEST_F(Green, WrongSplits) {
  CUdevResource one{};
  unsigned groups = 1;
  const auto attempt = [&](const CUdevResource& from, unsigned flags, unsigned least) {
    groups = 1;
    return cuDevSmResourceSplitByCount(&one, &groups, &from, nullptr, flags, least);
  };
  EXPECT_EQ(attempt(whole, 8, 8), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(attempt(whole, 0, kAll + 1), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(attempt(whole, 0, kAll), CUDA_ERROR_INVALID_RESOURCE_CONFIGURATION) << "136 are none";
  EXPECT_EQ(attempt({}, 0, 8), CUDA_ERROR_INVALID_RESOURCE_TYPE);
  CUdevResource made_up{};
  made_up.type = CU_DEV_RESOURCE_TYPE_SM;
  made_up.sm.smCount = 64;
  EXPECT_EQ(attempt(made_up, 0, 8), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(attempt(split(1, 32)[0], 0, 8), CUDA_ERROR_INVALID_RESOURCE_CONFIGURATION);
  EXPECT_OK(attempt(rest, 0, 8));
  groups = 0;
  EXPECT_EQ(cuDevSmResourceSplitByCount(&one, &groups, &whole, nullptr, 0, 8),
            CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuDevSmResourceSplitByCount(&one, nullptr, &whole, nullptr, 0, 8),
            CUDA_ERROR_INVALID_VALUE);
}

// A resource that the program has modified is refused, or used with its new values; no call ends
// the process.
TEST_F(Green, ResourcesThatWereChanged) {
  CUdevResource one{};
  for (size_t at = 0; at + 4 <= sizeof whole; at += 4) {
    for (const unsigned value : {0u, 1u, 0x7fffffffu, ~0u}) {
      CUdevResource changed = whole;
      std::memcpy(reinterpret_cast<char*>(&changed) + at, &value, 4);
      unsigned groups = 1;
      const CUresult result = cuDevSmResourceSplitByCount(&one, &groups, &changed, nullptr, 0, 8);
      EXPECT_THAT(result, testing::AnyOf(CUDA_SUCCESS, CUDA_ERROR_INVALID_VALUE,
                                         CUDA_ERROR_INVALID_RESOURCE_TYPE,
                                         CUDA_ERROR_INVALID_RESOURCE_CONFIGURATION))
          << at << " " << value;
    }
  }
}

TEST_F(Green, DescriptorsJoinPartsOfOneSplit) {
  auto groups = split(3, 16), others = split(1, 16);
  CUdevResourceDesc descriptor = nullptr;
  std::vector<CUdevResource> parts = {groups[2], groups[0]};
  EXPECT_OK(cuDevResourceGenerateDesc(&descriptor, parts.data(), 2));
  CUgreenCtx green = nullptr;
  CUdevResource share{};
  EXPECT_EQ(cuGreenCtxCreate(&green, descriptor, 0, 0), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuGreenCtxCreate(&green, descriptor, 1, CU_GREEN_CTX_DEFAULT_STREAM),
            CUDA_ERROR_INVALID_VALUE)
      << "another device's";
  EXPECT_EQ(cuGreenCtxCreate(&green, nullptr, 0, CU_GREEN_CTX_DEFAULT_STREAM),
            CUDA_ERROR_INVALID_VALUE);
  EXPECT_OK(cuGreenCtxCreate(&green, descriptor, 0, CU_GREEN_CTX_DEFAULT_STREAM));
  EXPECT_OK(cuGreenCtxGetDevResource(green, &share, CU_DEV_RESOURCE_TYPE_SM));
  EXPECT_EQ(share.sm.smCount, 32u);
  CUdevResource half{};
  unsigned count = 1;
  EXPECT_OK(cuDevSmResourceSplitByCount(&half, &count, &share, nullptr, 0, 16));
  EXPECT_EQ(half.sm.smCount, 16u);
  EXPECT_OK(cuGreenCtxDestroy(green));
  for (const auto& wrong : std::vector<std::vector<CUdevResource>>{
           {groups[0], groups[0]}, {groups[0], others[0]}, {groups[0], whole}, {whole, whole}}) {
    parts = wrong;
    EXPECT_EQ(cuDevResourceGenerateDesc(&descriptor, parts.data(), 2),
              CUDA_ERROR_INVALID_RESOURCE_CONFIGURATION);
  }
  EXPECT_EQ(cuDevResourceGenerateDesc(&descriptor, parts.data(), 0), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuDevResourceGenerateDesc(&descriptor, nullptr, 1), CUDA_ERROR_INVALID_VALUE);
  parts = {CUdevResource{}};
  EXPECT_EQ(cuDevResourceGenerateDesc(&descriptor, parts.data(), 1),
            CUDA_ERROR_INVALID_RESOURCE_TYPE);
}

TEST_F(Green, IsAPrimaryContextWithAShare) {
  const CUgreenCtx green = make(split(1, 24)[0]);
  const CUcontext context = view(green);
  EXPECT_NE(context, primary);
  EXPECT_EQ(view(green), context);
  EXPECT_EQ(current(), primary) << "it is not made current";
  CUdevResource share{};
  EXPECT_OK(cuCtxGetDevResource(context, &share, CU_DEV_RESOURCE_TYPE_SM));
  EXPECT_EQ(share.sm.smCount, 24u);
  CUstream own = nullptr;
  ASSERT_OK(cuGreenCtxStreamCreate(&own, green, CU_STREAM_NON_BLOCKING, 0));
  for (const auto& [stream, count] : {std::pair{own, 24u}, std::pair{CUstream{}, kAll}}) {
    EXPECT_OK(cuStreamGetDevResource(stream, &share, CU_DEV_RESOURCE_TYPE_SM));
    EXPECT_EQ(share.sm.smCount, count);
  }
  EXPECT_EQ(cuStreamGetDevResource(own, nullptr, CU_DEV_RESOURCE_TYPE_SM),
            CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuStreamGetDevResource(own, &share, CU_DEV_RESOURCE_TYPE_INVALID),
            CUDA_ERROR_INVALID_RESOURCE_TYPE);
  EXPECT_OK(cuStreamDestroy_v2(own));

  // Objects of the primary context are valid in the green context, and vice versa.
  CUmodule module = nullptr;
  CUfunction count = nullptr;
  CUdeviceptr counter = 0, memory = 0;
  size_t size = 0;
  ASSERT_OK(cuModuleLoadData(&module, kKernels));
  ASSERT_OK(cuCtxPushCurrent_v2(context));
  EXPECT_EQ(current(), context);
  CUdevice device = -1;
  EXPECT_OK(cuCtxGetDevice(&device));
  EXPECT_EQ(device, 0);
  EXPECT_OK(cuModuleGetFunction(&count, module, "count"));
  EXPECT_OK(cuModuleGetGlobal_v2(&counter, &size, module, "counter"));
  EXPECT_OK(cuMemAlloc_v2(&memory, 64));
  EXPECT_OK(cuLaunchKernel(count, 1, 1, 1, 10, 1, 1, 0, nullptr, nullptr, nullptr));
  EXPECT_OK(cuLaunchKernel(count, 1, 1, 1, 10, 1, 1, 0, stream_of(green), nullptr, nullptr));
  EXPECT_OK(cuCtxSynchronize());
  unsigned value = 0;
  EXPECT_OK(cuMemcpyDtoH_v2(&value, counter, 4));
  EXPECT_EQ(value, 25u);
  CUgreenCtx found = nullptr;
  CUcontext of_stream = nullptr;
  unsigned long long id = 0, same_id = 0, primary_id = 0;
  EXPECT_OK(cuStreamGetGreenCtx(nullptr, &found));
  EXPECT_EQ(found, green);
  EXPECT_OK(cuGreenCtxGetId(nullptr, &id));
  EXPECT_OK(cuGreenCtxGetId(green, &same_id));
  EXPECT_EQ(id, same_id);
  EXPECT_OK(cuCtxGetId(primary, &primary_id));
  EXPECT_NE(id, primary_id);
  CUstream made_here = nullptr;
  EXPECT_OK(cuStreamCreate(&made_here, 0));
  CUcontext popped = nullptr;
  EXPECT_OK(cuCtxPopCurrent_v2(&popped));
  EXPECT_EQ(popped, context);

  EXPECT_OK(cuStreamGetGreenCtx(made_here, &found));
  EXPECT_EQ(found, green);
  EXPECT_OK(cuStreamGetCtx(made_here, &of_stream));
  EXPECT_EQ(of_stream, context);
  EXPECT_OK(cuStreamGetCtx_v2(made_here, &of_stream, &found));
  EXPECT_EQ(of_stream, primary);
  EXPECT_EQ(found, green);
  EXPECT_OK(cuStreamGetGreenCtx(nullptr, &found));
  EXPECT_EQ(found, nullptr);
  EXPECT_EQ(cuGreenCtxGetId(nullptr, &id), CUDA_ERROR_INVALID_CONTEXT);
  EXPECT_OK(cuMemFree_v2(memory));
  EXPECT_EQ(cuCtxDestroy_v2(context), CUDA_ERROR_INVALID_CONTEXT);
  EXPECT_OK(cuGreenCtxDestroy(green));
}

// A cooperative grid must fit into the share.
TEST_F(Green, LaunchesHaveTheShare) {
  const CUgreenCtx green = make(split(1, 8)[0]);
  CUmodule module = nullptr;
  CUfunction function = nullptr;
  ASSERT_OK(cuModuleLoadData(&module, kKernels));
  ASSERT_OK(cuModuleGetFunction(&function, module, "small_blocks"));
  int each = 0;
  ASSERT_OK(cuOccupancyMaxActiveBlocksPerMultiprocessor(&each, function, 64, 0));
  const auto launch = [&](unsigned blocks, CUstream stream) {
    return cuLaunchCooperativeKernel(function, blocks, 1, 1, 64, 1, 1, 0, stream, nullptr);
  };
  const unsigned most = 8 * static_cast<unsigned>(each);
  const CUstream stream = stream_of(green);
  EXPECT_OK(launch(most, stream));
  EXPECT_EQ(launch(most + 1, stream), CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE);
  EXPECT_OK(launch(most + 1, nullptr));
  CUlaunchAttribute cluster{};
  cluster.id = CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION;
  cluster.value.clusterDim = {2, 1, 1};
  CUlaunchConfig config{};
  config.gridDimX = 2, config.gridDimY = config.gridDimZ = 1;
  config.blockDimX = 64, config.blockDimY = config.blockDimZ = 1;
  config.attrs = &cluster, config.numAttrs = 1;
  int in_all = 0, in_share = 0;
  EXPECT_OK(cuOccupancyMaxActiveClusters(&in_all, function, &config));
  config.hStream = stream;
  EXPECT_OK(cuOccupancyMaxActiveClusters(&in_share, function, &config));
  EXPECT_EQ(in_all, 132 * each / 2);
  EXPECT_EQ(in_share, 8 * each / 2);
  EXPECT_OK(cuStreamDestroy_v2(stream));
  EXPECT_OK(cuGreenCtxDestroy(green));
}

TEST_F(Green, StreamsAreNonBlocking) {
  const CUgreenCtx green = make(whole);
  CUstream stream = nullptr;
  EXPECT_EQ(cuGreenCtxStreamCreate(&stream, green, 0, 0), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuGreenCtxStreamCreate(nullptr, green, CU_STREAM_NON_BLOCKING, 0),
            CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuGreenCtxStreamCreate(&stream, nullptr, CU_STREAM_NON_BLOCKING, 0),
            CUDA_ERROR_INVALID_CONTEXT);
  EXPECT_OK(cuGreenCtxDestroy(green));
}

TEST_F(Green, SynchronizingIsForItsOwnStreams) {
  const CUgreenCtx green = make(split(1, 8)[0]);
  const CUcontext context = view(green);
  const CUstream stream = stream_of(green);
  CUstream outside = nullptr;
  ASSERT_OK(cuStreamCreate(&outside, CU_STREAM_NON_BLOCKING));
  {
    Gate gate(outside);
    EXPECT_OK(cuCtxSynchronize_v2(context)) << "and does not wait for the gate";
    ASSERT_OK(cuCtxPushCurrent_v2(context));
    EXPECT_OK(cuCtxSynchronize());
    ASSERT_OK(cuCtxPopCurrent_v2(nullptr));
  }
  std::atomic<bool> done = false;
  {
    auto gate = std::make_unique<Gate>(stream);
    std::thread waits([&] {
      EXPECT_OK(cuCtxSynchronize_v2(primary));
      done = true;
    });
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    EXPECT_FALSE(done) << "the primary context waits for its green ones";
    gate->open();
    waits.join();
  }
  EXPECT_OK(cuGreenCtxDestroy(green));
}

TEST_F(Green, EventsOfAllItsStreams) {
  const CUgreenCtx green = make(split(1, 8)[0]), other = make(split(1, 8)[0]);
  const CUstream stream = stream_of(green), later = stream_of(other);
  CUevent event = nullptr;
  ASSERT_OK(cuEventCreate(&event, 0));
  {
    Gate gate(stream);
    EXPECT_OK(cuGreenCtxRecordEvent(green, event));
    EXPECT_EQ(cuEventQuery(event), CUDA_ERROR_NOT_READY);
    EXPECT_OK(cuGreenCtxWaitEvent(other, event));
    EXPECT_EQ(cuStreamQuery(later), CUDA_ERROR_NOT_READY);
  }
  EXPECT_OK(cuEventSynchronize(event));
  EXPECT_OK(cuStreamSynchronize(later));
  EXPECT_EQ(cuGreenCtxRecordEvent(green, nullptr), CUDA_ERROR_INVALID_HANDLE);
  EXPECT_EQ(cuGreenCtxWaitEvent(nullptr, event), CUDA_ERROR_INVALID_CONTEXT);
  CUcontext foreign = nullptr;
  CUevent of_foreign = nullptr;
  ASSERT_OK(cuCtxCreate_v2(&foreign, 0, 0));
  ASSERT_OK(cuEventCreate(&of_foreign, 0));
  EXPECT_EQ(cuGreenCtxRecordEvent(green, of_foreign), CUDA_ERROR_INVALID_HANDLE);
  ASSERT_OK(cuCtxDestroy_v2(foreign));
  ASSERT_OK(cuCtxSetCurrent(primary));

  // Neither works during a capture.
  CUgraph graph = nullptr;
  EXPECT_OK(cuStreamBeginCapture_v2(stream, CU_STREAM_CAPTURE_MODE_RELAXED));
  EXPECT_EQ(cuGreenCtxRecordEvent(green, event), CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED);
  EXPECT_OK(cuGreenCtxRecordEvent(other, event)) << "whose streams are not captured";
  EXPECT_EQ(cuStreamEndCapture(stream, &graph), CUDA_ERROR_STREAM_CAPTURE_INVALIDATED);
  EXPECT_OK(cuStreamBeginCapture_v2(stream, CU_STREAM_CAPTURE_MODE_RELAXED));
  EXPECT_OK(cuEventRecord(event, stream));
  EXPECT_EQ(cuGreenCtxWaitEvent(other, event), CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED);
  EXPECT_EQ(cuStreamEndCapture(stream, &graph), CUDA_ERROR_STREAM_CAPTURE_INVALIDATED);
  EXPECT_OK(cuGreenCtxDestroy(green));
  EXPECT_OK(cuGreenCtxDestroy(other));
}

TEST_F(Green, NothingWorksInADestroyedOne) {
  const CUgreenCtx green = make(split(1, 8)[0]);
  const CUcontext context = view(green);
  const CUstream stream = stream_of(green);
  ASSERT_OK(cuCtxPushCurrent_v2(context));
  EXPECT_OK(cuGreenCtxDestroy(green));
  EXPECT_EQ(cuGreenCtxDestroy(green), CUDA_ERROR_INVALID_CONTEXT);
  EXPECT_EQ(cuCtxSynchronize(), CUDA_ERROR_CONTEXT_IS_DESTROYED);
  ASSERT_OK(cuCtxPopCurrent_v2(nullptr));
  EXPECT_EQ(cuCtxPushCurrent_v2(context), CUDA_ERROR_INVALID_CONTEXT);
  EXPECT_EQ(cuMemsetD8Async(0, 0, 0, stream), CUDA_ERROR_CONTEXT_IS_DESTROYED);
  EXPECT_EQ(cuStreamSynchronize(stream), CUDA_ERROR_CONTEXT_IS_DESTROYED);
  EXPECT_OK(cuStreamDestroy_v2(stream));
}

// A green context keeps the primary context alive.
TEST_F(Green, RetainsThePrimaryContext) {
  const CUgreenCtx green = make(split(1, 8)[0]);
  EXPECT_OK(cuDevicePrimaryCtxRelease_v2(0));
  EXPECT_TRUE(is_primary_active());
  ASSERT_OK(cuCtxSetCurrent(view(green)));
  CUdeviceptr memory = 0;
  EXPECT_OK(cuMemAlloc_v2(&memory, 64));
  EXPECT_OK(cuMemsetD8_v2(memory, 1, 64));
  EXPECT_OK(cuCtxSynchronize());
  EXPECT_OK(cuDevicePrimaryCtxRetain(&primary, 0));
  EXPECT_OK(cuGreenCtxDestroy(green));
}

}  // namespace
