// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Stream capture: the calls that become nodes, captures over several streams, invalidation. Driver
// API 6.18.
#include <thread>
#include <vector>

#include "client.h"
#include "kernels.h"

namespace {

class Capture : public InContext {
 protected:
  void SetUp() override {
    InContext::SetUp();
    ASSERT_OK(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
    ASSERT_OK(cuStreamCreate(&other, CU_STREAM_NON_BLOCKING));
    ASSERT_OK(cuEventCreate(&fork, 0));
    ASSERT_OK(cuEventCreate(&join, 0));
    ASSERT_OK(cuMemAlloc_v2(&data, 256));
    ASSERT_OK(cuMemsetD8_v2(data, 0, 256));
    ASSERT_OK(cuCtxSynchronize());
  }
  void begin(CUstreamCaptureMode mode = CU_STREAM_CAPTURE_MODE_GLOBAL) {
    ASSERT_OK(cuStreamBeginCapture_v2(stream, mode));
  }
  CUstreamCaptureStatus status(CUstream of) {
    CUstreamCaptureStatus got = CU_STREAM_CAPTURE_STATUS_NONE;
    EXPECT_OK(cuStreamIsCapturing(of, &got));
    return got;
  }
  /// Ends a capture that an error has invalidated.
  void end_invalid() {
    CUgraph graph = reinterpret_cast<CUgraph>(this);
    EXPECT_EQ(cuStreamEndCapture(stream, &graph), CUDA_ERROR_STREAM_CAPTURE_INVALIDATED);
    EXPECT_EQ(graph, nullptr);
    EXPECT_EQ(status(stream), CU_STREAM_CAPTURE_STATUS_NONE);
  }
  CUgraph end() {
    CUgraph graph = nullptr;
    EXPECT_OK(cuStreamEndCapture(stream, &graph));
    return graph;
  }
  static size_t count_nodes(CUgraph graph) {
    size_t count = 0;
    EXPECT_OK(cuGraphGetNodes(graph, nullptr, &count));
    return count;
  }
  void launch(CUgraph graph) {
    CUgraphExec exec = nullptr;
    ASSERT_OK(cuGraphInstantiateWithFlags(&exec, graph, 0));
    ASSERT_OK(cuGraphLaunch(exec, stream));
    ASSERT_OK(cuStreamSynchronize(stream));
    ASSERT_OK(cuGraphExecDestroy(exec));
  }
  unsigned word(unsigned index = 0) {
    unsigned got = 0;
    EXPECT_OK(cuMemcpyDtoH_v2(&got, data + index * 4, 4));
    return got;
  }

  CUstream stream = nullptr, other = nullptr;
  CUevent fork = nullptr, join = nullptr;
  CUdeviceptr data = 0;
};

TEST_F(Capture, EveryKindOfWorkBecomesANode) {
  CUmodule module = nullptr;
  CUfunction count = nullptr;
  ASSERT_OK(cuModuleLoadData(&module, kKernels));
  ASSERT_OK(cuModuleGetFunction(&count, module, "count"));
  static int called;
  called = 0;
  int host = 0;
  begin();
  EXPECT_EQ(status(stream), CU_STREAM_CAPTURE_STATUS_ACTIVE);
  EXPECT_OK(cuMemsetD32Async(data, 7, 4, stream));
  EXPECT_OK(cuLaunchKernel(count, 1, 1, 1, 1, 1, 1, 0, stream, nullptr, nullptr));
  EXPECT_OK(cuMemcpyDtoHAsync_v2(&host, data, 4, stream));
  EXPECT_OK(cuLaunchHostFunc(stream, [](void*) { ++called; }, nullptr));
  EXPECT_OK(cuStreamWriteValue32_v2(stream, data + 8, 5, 0));
  EXPECT_OK(cuEventRecordWithFlags(fork, stream, CU_EVENT_RECORD_EXTERNAL));
  EXPECT_OK(cuStreamWaitEvent(stream, join, CU_EVENT_WAIT_EXTERNAL));
  const auto graph = end();
  EXPECT_EQ(called + host, 0) << "nothing ran";
  const CUgraphNodeType kTypes[] = {
      CU_GRAPH_NODE_TYPE_MEMSET,       CU_GRAPH_NODE_TYPE_KERNEL,
      CU_GRAPH_NODE_TYPE_MEMCPY,       CU_GRAPH_NODE_TYPE_HOST,
      CU_GRAPH_NODE_TYPE_BATCH_MEM_OP, CU_GRAPH_NODE_TYPE_EVENT_RECORD,
      CU_GRAPH_NODE_TYPE_WAIT_EVENT};
  CUgraphNode nodes[7];
  size_t number = 7;
  ASSERT_OK(cuGraphGetNodes(graph, nodes, &number));
  ASSERT_EQ(number, 7u);
  for (size_t i = 0; i < 7; ++i) {
    CUgraphNodeType type;
    EXPECT_OK(cuGraphNodeGetType(nodes[i], &type));
    EXPECT_EQ(type, kTypes[i]) << i;
    EXPECT_OK(cuGraphNodeGetDependencies(nodes[i], nullptr, &number));
    EXPECT_EQ(number, i ? 1u : 0u);
  }
  launch(graph);
  EXPECT_EQ(host, 7);
  EXPECT_EQ(called, 1);
  EXPECT_EQ(word(2), 5u);
  EXPECT_OK(cuEventQuery(fork));
  EXPECT_OK(cuGraphDestroy(graph));
}

TEST_F(Capture, SpreadsByEventsAndIsJoined) {
  begin();
  EXPECT_OK(cuMemsetD32Async(data, 1, 1, stream));
  EXPECT_OK(cuEventRecord(fork, stream));
  EXPECT_OK(cuStreamWaitEvent(other, fork, 0));
  EXPECT_EQ(status(other), CU_STREAM_CAPTURE_STATUS_ACTIVE);
  EXPECT_OK(cuMemsetD32Async(data + 4, 2, 1, other));
  EXPECT_OK(cuMemsetD32Async(data + 8, 3, 1, stream));
  EXPECT_OK(cuEventRecord(join, other));
  EXPECT_OK(cuStreamWaitEvent(stream, join, 0));
  EXPECT_OK(cuMemsetD32Async(data + 12, 4, 1, stream));
  const auto graph = end();
  EXPECT_EQ(status(other), CU_STREAM_CAPTURE_STATUS_NONE);
  CUgraphNode nodes[4];
  size_t count = 4;
  ASSERT_OK(cuGraphGetNodes(graph, nodes, &count));
  ASSERT_EQ(count, 4u);
  EXPECT_OK(cuGraphNodeGetDependencies(nodes[3], nullptr, &count));
  EXPECT_EQ(count, 2u) << "both branches";
  launch(graph);
  for (unsigned i = 0; i < 4; ++i) EXPECT_EQ(word(i), i + 1);
  EXPECT_EQ(cuEventQuery(fork), CUDA_ERROR_CAPTURED_EVENT);
  EXPECT_EQ(cuEventSynchronize(fork), CUDA_ERROR_CAPTURED_EVENT);
  EXPECT_EQ(cuStreamWaitEvent(other, fork, 0), CUDA_ERROR_CAPTURED_EVENT) << "the capture is over";
  EXPECT_OK(cuEventRecord(fork, stream));
  EXPECT_OK(cuEventSynchronize(fork)) << "an ordinary event again";
}

TEST_F(Capture, UnjoinedWorkIsAnError) {
  begin();
  EXPECT_OK(cuEventRecord(fork, stream));
  EXPECT_OK(cuStreamWaitEvent(other, fork, 0));
  EXPECT_OK(cuMemsetD32Async(data, 2, 1, other));
  CUgraph graph = nullptr;
  EXPECT_EQ(cuStreamEndCapture(other, &graph), CUDA_ERROR_STREAM_CAPTURE_UNMATCHED);
  EXPECT_EQ(cuStreamEndCapture(stream, &graph), CUDA_ERROR_STREAM_CAPTURE_INVALIDATED);
  begin();
  EXPECT_OK(cuEventRecord(fork, stream));
  EXPECT_OK(cuStreamWaitEvent(other, fork, 0));
  EXPECT_OK(cuMemsetD32Async(data, 2, 1, other));
  EXPECT_EQ(cuStreamEndCapture(stream, &graph), CUDA_ERROR_STREAM_CAPTURE_UNJOINED);
  EXPECT_EQ(graph, nullptr);
}

TEST_F(Capture, BeginAndEnd) {
  CUgraph graph = nullptr;
  EXPECT_EQ(cuStreamEndCapture(stream, &graph), CUDA_ERROR_ILLEGAL_STATE);
  EXPECT_EQ(cuStreamBeginCapture_v2(nullptr, CU_STREAM_CAPTURE_MODE_GLOBAL),
            CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED);
  EXPECT_EQ(cuStreamBeginCapture_v2(stream, static_cast<CUstreamCaptureMode>(3)),
            CUDA_ERROR_INVALID_VALUE);
  begin();
  EXPECT_EQ(cuStreamBeginCapture_v2(stream, CU_STREAM_CAPTURE_MODE_GLOBAL),
            CUDA_ERROR_ILLEGAL_STATE);
  EXPECT_EQ(cuStreamEndCapture(stream, nullptr), CUDA_ERROR_INVALID_VALUE);
  std::thread([&] {
    EXPECT_OK(cuCtxSetCurrent(context));
    EXPECT_EQ(cuStreamEndCapture(stream, &graph), CUDA_ERROR_STREAM_CAPTURE_WRONG_THREAD);
  }).join();
  EXPECT_EQ(count_nodes(end()), 0u);
  begin(CU_STREAM_CAPTURE_MODE_RELAXED);
  std::thread([&] {
    EXPECT_OK(cuCtxSetCurrent(context));
    EXPECT_OK(cuStreamEndCapture(stream, &graph));
  }).join();
}

TEST_F(Capture, SynchronizingInvalidates) {
  begin();
  EXPECT_EQ(cuStreamSynchronize(stream), CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED);
  EXPECT_EQ(status(stream), CU_STREAM_CAPTURE_STATUS_INVALIDATED);
  EXPECT_EQ(cuMemsetD32Async(data, 1, 1, stream), CUDA_ERROR_STREAM_CAPTURE_INVALIDATED);
  end_invalid();
  begin();
  EXPECT_EQ(cuStreamQuery(stream), CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED);
  end_invalid();
  begin();
  EXPECT_EQ(cuCtxSynchronize(), CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED);
  end_invalid();
  begin();
  EXPECT_EQ(cuStreamAddCallback(
                stream, [](CUstream, CUresult, void*) {}, nullptr, 0),
            CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED);
  end_invalid();
}

TEST_F(Capture, WaitingForTheOutsideInvalidates) {
  EXPECT_OK(cuEventRecord(fork, other));
  begin();
  EXPECT_EQ(cuStreamWaitEvent(stream, fork, 0), CUDA_ERROR_STREAM_CAPTURE_ISOLATION);
  end_invalid();
  EXPECT_EQ(cuEventRecordWithFlags(fork, stream, CU_EVENT_RECORD_EXTERNAL),
            CUDA_ERROR_INVALID_VALUE)
      << "only in a capture";
  EXPECT_EQ(cuStreamWaitEvent(stream, fork, CU_EVENT_WAIT_EXTERNAL), CUDA_ERROR_INVALID_VALUE);
}

TEST_F(Capture, TwoCapturesDoNotMerge) {
  begin();
  ASSERT_OK(cuStreamBeginCapture_v2(other, CU_STREAM_CAPTURE_MODE_GLOBAL));
  EXPECT_OK(cuEventRecord(fork, stream));
  EXPECT_EQ(cuStreamWaitEvent(other, fork, 0), CUDA_ERROR_STREAM_CAPTURE_MERGE);
  CUgraph graph = nullptr;
  EXPECT_EQ(cuStreamEndCapture(other, &graph), CUDA_ERROR_STREAM_CAPTURE_INVALIDATED);
  end_invalid();
}

TEST_F(Capture, LegacyStreamIsUnusableBesideABlockingStream) {
  CUstream blocking = nullptr;
  ASSERT_OK(cuStreamCreate(&blocking, CU_STREAM_DEFAULT));
  ASSERT_OK(cuStreamBeginCapture_v2(blocking, CU_STREAM_CAPTURE_MODE_RELAXED));
  CUstreamCaptureStatus got;
  EXPECT_EQ(cuStreamIsCapturing(nullptr, &got), CUDA_ERROR_STREAM_CAPTURE_IMPLICIT);
  EXPECT_EQ(status(blocking), CU_STREAM_CAPTURE_STATUS_ACTIVE) << "asking does no harm";
  EXPECT_EQ(cuMemsetD8Async(data, 0, 1, nullptr), CUDA_ERROR_STREAM_CAPTURE_IMPLICIT);
  EXPECT_EQ(status(blocking), CU_STREAM_CAPTURE_STATUS_INVALIDATED);
  CUgraph graph = nullptr;
  EXPECT_EQ(cuStreamEndCapture(blocking, &graph), CUDA_ERROR_STREAM_CAPTURE_INVALIDATED);
  begin();  // of a non-blocking stream, so that the legacy stream may be used
  EXPECT_OK(cuMemsetD8Async(data, 0, 1, nullptr));
  end();
}

TEST_F(Capture, ModesSayWhoMayCallWhatIsUnsafe) {
  CUdeviceptr memory = 0;
  begin(CU_STREAM_CAPTURE_MODE_RELAXED);
  EXPECT_OK(cuMemAlloc_v2(&memory, 16));
  end();
  begin(CU_STREAM_CAPTURE_MODE_THREAD_LOCAL);
  std::thread([&] {
    EXPECT_OK(cuCtxSetCurrent(context));
    EXPECT_OK(cuMemAlloc_v2(&memory, 16)) << "another thread's capture is its own matter";
  }).join();
  EXPECT_EQ(cuMemAlloc_v2(&memory, 16), CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED);
  end_invalid();
  begin(CU_STREAM_CAPTURE_MODE_GLOBAL);
  CUstreamCaptureMode mode = CU_STREAM_CAPTURE_MODE_RELAXED;
  EXPECT_OK(cuThreadExchangeStreamCaptureMode(&mode));
  EXPECT_EQ(mode, CU_STREAM_CAPTURE_MODE_GLOBAL);
  EXPECT_OK(cuMemAlloc_v2(&memory, 16)) << "this thread knows what it does";
  EXPECT_OK(cuThreadExchangeStreamCaptureMode(&mode));
  EXPECT_EQ(mode, CU_STREAM_CAPTURE_MODE_RELAXED);
  std::thread([&] {
    EXPECT_OK(cuCtxSetCurrent(context));
    EXPECT_EQ(cuMemAlloc_v2(&memory, 16), CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED);
  }).join();
  end_invalid();
  mode = static_cast<CUstreamCaptureMode>(9);
  EXPECT_EQ(cuThreadExchangeStreamCaptureMode(&mode), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuThreadExchangeStreamCaptureMode(nullptr), CUDA_ERROR_INVALID_VALUE);
}

TEST_F(Capture, InfoAndDependencies) {
  CUstreamCaptureStatus got;
  cuuint64_t first = 0, second = 0;
  EXPECT_OK(cuStreamGetCaptureInfo(stream, &got, &first));
  EXPECT_EQ(got, CU_STREAM_CAPTURE_STATUS_NONE);
  EXPECT_EQ(cuStreamUpdateCaptureDependencies(stream, nullptr, 0, 0), CUDA_ERROR_ILLEGAL_STATE);
  begin();
  CUgraph graph = nullptr;
  const CUgraphNode* nodes = nullptr;
  const CUgraphEdgeData* edges = nullptr;
  size_t count = 99;
  EXPECT_OK(cuStreamGetCaptureInfo_v2(stream, &got, &first, &graph, &nodes, &count));
  EXPECT_EQ(got, CU_STREAM_CAPTURE_STATUS_ACTIVE);
  EXPECT_EQ(count, 0u);
  // A node that the program adds takes part in the order.
  CUgraphNode mine = nullptr;
  ASSERT_OK(cuGraphAddEmptyNode(&mine, graph, nullptr, 0));
  EXPECT_OK(
      cuStreamUpdateCaptureDependencies(stream, &mine, 1, CU_STREAM_SET_CAPTURE_DEPENDENCIES));
  EXPECT_EQ(cuStreamUpdateCaptureDependencies(stream, &mine, 1, 7), CUDA_ERROR_INVALID_VALUE);
  EXPECT_OK(cuStreamGetCaptureInfo_v3(stream, &got, nullptr, nullptr, &nodes, &edges, &count));
  ASSERT_EQ(count, 1u);
  EXPECT_EQ(nodes[0], mine);
  EXPECT_EQ(cuStreamGetCaptureInfo_v3(stream, &got, nullptr, nullptr, nullptr, &edges, &count),
            CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuStreamGetCaptureInfo_v2(stream, nullptr, nullptr, nullptr, nullptr, nullptr),
            CUDA_ERROR_INVALID_VALUE);
  EXPECT_OK(cuMemsetD8Async(data, 1, 1, stream));
  EXPECT_OK(cuGraphNodeGetDependentNodes(mine, nullptr, &count));
  EXPECT_EQ(count, 1u);
  EXPECT_EQ(cuGraphDestroy(graph), CUDA_ERROR_INVALID_VALUE) << "is captured into";
  EXPECT_EQ(end(), graph);
  begin();
  EXPECT_OK(cuStreamGetCaptureInfo(stream, &got, &second));
  EXPECT_NE(first, second);
  end();
}

TEST_F(Capture, IntoAGraphOfTheProgram) {
  CUgraph graph = nullptr;
  ASSERT_OK(cuGraphCreate(&graph, 0));
  CUgraphNode root = nullptr;
  ASSERT_OK(cuGraphAddEmptyNode(&root, graph, nullptr, 0));
  ASSERT_OK(
      cuStreamBeginCaptureToGraph(stream, graph, &root, nullptr, 1, CU_STREAM_CAPTURE_MODE_GLOBAL));
  EXPECT_OK(cuMemsetD32Async(data, 3, 1, stream));
  CUgraphExec exec = nullptr;
  EXPECT_EQ(cuGraphInstantiateWithFlags(&exec, graph, 0), CUDA_ERROR_INVALID_VALUE)
      << "not while it is captured into";
  EXPECT_EQ(end(), graph);
  size_t count = 0;
  EXPECT_OK(cuGraphNodeGetDependentNodes(root, nullptr, &count));
  EXPECT_EQ(count, 1u);
  launch(graph);
  EXPECT_EQ(word(), 3u);
  EXPECT_OK(cuGraphDestroy(graph));
  EXPECT_EQ(cuStreamBeginCaptureToGraph(stream, graph, nullptr, nullptr, 0,
                                        CU_STREAM_CAPTURE_MODE_GLOBAL),
            CUDA_ERROR_INVALID_VALUE);
}

// The body of a conditional node, while the graph that has it is captured, too.
TEST_F(Capture, IntoTheBodyOfACondition) {
  begin();
  EXPECT_OK(cuMemsetD32Async(data, 1, 1, stream));
  CUstreamCaptureStatus now;
  CUgraph graph = nullptr;
  const CUgraphNode* nodes = nullptr;
  size_t count = 0;
  ASSERT_OK(cuStreamGetCaptureInfo_v2(stream, &now, nullptr, &graph, &nodes, &count));
  CUgraphConditionalHandle yes = 0;
  ASSERT_OK(cuGraphConditionalHandleCreate(&yes, graph, context, 1, CU_GRAPH_COND_ASSIGN_DEFAULT));
  CUgraphNodeParams params{};
  params.type = CU_GRAPH_NODE_TYPE_CONDITIONAL;
  params.conditional = {yes, CU_GRAPH_COND_TYPE_IF, 1, nullptr, context};
  CUgraphNode condition = nullptr;
  ASSERT_OK(cuGraphAddNode_v2(&condition, graph, nodes, nullptr, count, &params));
  ASSERT_OK(
      cuStreamUpdateCaptureDependencies(stream, &condition, 1, CU_STREAM_SET_CAPTURE_DEPENDENCIES));
  const CUgraph body = params.conditional.phGraph_out[0];
  ASSERT_OK(cuStreamBeginCaptureToGraph(other, body, nullptr, nullptr, 0,
                                        CU_STREAM_CAPTURE_MODE_RELAXED));
  EXPECT_EQ(
      cuStreamBeginCaptureToGraph(other, body, nullptr, nullptr, 0, CU_STREAM_CAPTURE_MODE_RELAXED),
      CUDA_ERROR_INVALID_VALUE);
  EXPECT_OK(cuMemsetD32Async(data + 4, 2, 1, other));
  EXPECT_OK(cuMemcpyDtoDAsync_v2(data + 8, data, 8, other));
  CUgraph ended = nullptr;
  EXPECT_OK(cuStreamEndCapture(other, &ended));
  EXPECT_EQ(ended, body);
  // Again, after the existing nodes.
  size_t last = 2;
  CUgraphNode in_body[2] = {};
  ASSERT_OK(cuGraphGetNodes(body, in_body, &last));
  ASSERT_OK(cuStreamBeginCaptureToGraph(other, body, &in_body[1], nullptr, 1,
                                        CU_STREAM_CAPTURE_MODE_RELAXED));
  EXPECT_OK(cuMemsetD32Async(data, 3, 1, other));
  EXPECT_OK(cuStreamEndCapture(other, &ended));
  EXPECT_OK(cuMemcpyDtoDAsync_v2(data + 16, data, 4, stream));
  EXPECT_EQ(end(), graph);
  launch(graph);
  const unsigned expected[] = {3, 2, 1, 2, 3};
  for (unsigned i = 0; i < 5; ++i) EXPECT_EQ(word(i), expected[i]) << i;
}

TEST_F(Capture, DependenciesOfACaptureAreChecked) {
  CUgraph graph = nullptr, another = nullptr;
  CUgraphNode node = nullptr, foreign = nullptr;
  ASSERT_OK(cuGraphCreate(&graph, 0));
  ASSERT_OK(cuGraphCreate(&another, 0));
  ASSERT_OK(cuGraphAddEmptyNode(&node, graph, nullptr, 0));
  ASSERT_OK(cuGraphAddEmptyNode(&foreign, another, nullptr, 0));
  const auto try_with = [&](std::vector<CUgraphNode> nodes, const CUgraphEdgeData* data) {
    return cuStreamBeginCaptureToGraph(stream, graph, nodes.data(), data, nodes.size(),
                                       CU_STREAM_CAPTURE_MODE_GLOBAL);
  };
  CUgraphEdgeData wrong{};
  wrong.type = 77;
  EXPECT_EQ(try_with({foreign}, nullptr), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(try_with({node, node}, nullptr), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(try_with({nullptr}, nullptr), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(try_with({node}, &wrong), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(status(stream), CU_STREAM_CAPTURE_STATUS_NONE);
}

TEST_F(Capture, AllocationsBecomeNodes) {
  CUdeviceptr memory = 0;
  begin();
  ASSERT_OK(cuMemAllocAsync(&memory, 64, stream));
  EXPECT_OK(cuMemsetD32Async(memory, 6, 16, stream));
  EXPECT_OK(cuMemcpyDtoDAsync_v2(data, memory, 64, stream));
  EXPECT_OK(cuMemFreeAsync(memory, stream));
  EXPECT_EQ(cuMemFreeAsync(data, stream), CUDA_ERROR_INVALID_VALUE);
  const auto graph = end();
  EXPECT_EQ(count_nodes(graph), 4u);
  launch(graph);
  EXPECT_EQ(word(15), 6u);
}

TEST_F(Capture, LaunchedGraphBecomesAGraphWithin) {
  begin();
  EXPECT_OK(cuMemsetD32Async(data, 4, 1, stream));
  const auto inner = end();
  CUgraphExec exec = nullptr;
  ASSERT_OK(cuGraphInstantiateWithFlags(&exec, inner, 0));
  EXPECT_OK(cuGraphDestroy(inner));
  begin();
  EXPECT_OK(cuGraphLaunch(exec, stream));
  const auto outer = end();
  EXPECT_OK(cuGraphExecDestroy(exec));
  CUgraphNode node = nullptr;
  CUgraphNodeType type;
  size_t count = 1;
  ASSERT_OK(cuGraphGetNodes(outer, &node, &count));
  EXPECT_OK(cuGraphNodeGetType(node, &type));
  EXPECT_EQ(type, CU_GRAPH_NODE_TYPE_GRAPH);
  EXPECT_EQ(word(), 0u);
  launch(outer);
  EXPECT_EQ(word(), 4u);
}

TEST_F(Capture, DestroyedStreamEndsItsCapture) {
  begin();
  EXPECT_OK(cuStreamDestroy_v2(stream));
  CUdeviceptr memory = 0;
  EXPECT_OK(cuMemAlloc_v2(&memory, 16)) << "no capture is left that could mind";
}

TEST_F(Capture, PerThreadDefaultStream) {
  ASSERT_OK(cuStreamBeginCapture_v2_ptsz(nullptr, CU_STREAM_CAPTURE_MODE_GLOBAL));
  EXPECT_OK(cuMemsetD32Async_ptsz(data, 8, 1, nullptr));
  EXPECT_EQ(cuMemcpyDtoD_v2_ptds(data, data + 8, 4), CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED);
  CUgraph graph = nullptr;
  EXPECT_EQ(cuStreamEndCapture_ptsz(nullptr, &graph), CUDA_ERROR_STREAM_CAPTURE_INVALIDATED);
}

}  // namespace
