// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Graphs: the runtime's node parameters become the driver'"'"'s and come back. Runtime API 6.30.
#include "../driver/kernels.h"
#include "program.h"

namespace {

class Graphs : public testing::Test {
 protected:
  void SetUp() override {
    ASSERT_OK(cudaStreamCreate(&stream));
    ASSERT_OK(cudaGraphCreate(&graph, 0));
  }
  void TearDown() override {
    EXPECT_OK(cudaGraphDestroy(graph));
    EXPECT_OK(cudaStreamDestroy(stream));
  }
  /// Instantiates the graph, launches it once and waits.
  void run() {
    cudaGraphExec_t instance = nullptr;
    ASSERT_OK(cudaGraphInstantiate(&instance, graph, 0));
    EXPECT_OK(cudaGraphLaunch(instance, stream));
    EXPECT_OK(cudaStreamSynchronize(stream));
    EXPECT_OK(cudaGraphExecDestroy(instance));
  }

  Program program{kKernels};
  cudaStream_t stream = nullptr;
  cudaGraph_t graph = nullptr;
};

/// The kernel add_to(out, in, n, addend) with n threads.
struct AddTo {
  const void* symbol;
  void *out, *in;
  unsigned n;
  unsigned char addend;
  void* arguments[4] = {&out, &in, &n, &addend};

  AddTo(Program& program, void* out, void* in, unsigned n, unsigned char addend)
      : symbol(program.kernel("add_to")), out(out), in(in), n(n), addend(addend) {}
  cudaKernelNodeParams parameters() {
    return {const_cast<void*>(symbol), {1, 1, 1}, {n, 1, 1}, 0, arguments, nullptr};
  }
};

TEST_F(Graphs, KernelNodes) {
  void* data = device_ints({1, 2, 3});
  AddTo add(program, data, data, 3, 10);
  const cudaKernelNodeParams parameters = add.parameters();
  cudaGraphNode_t first = nullptr, second = nullptr;
  ASSERT_OK(cudaGraphAddKernelNode(&first, graph, nullptr, 0, &parameters));
  ASSERT_OK(cudaGraphAddKernelNode(&second, graph, &first, 1, &parameters));
  cudaKernelNodeParams found{};
  EXPECT_OK(cudaGraphKernelNodeGetParams(first, &found));
  EXPECT_EQ(found.func, add.symbol);
  EXPECT_EQ(found.blockDim.x, 3u);
  add.addend = 5;
  EXPECT_OK(cudaGraphKernelNodeSetParams(second, &parameters));
  run();
  EXPECT_THAT(host_ints(data, 3), testing::ElementsAre(16, 17, 18));
  cudaGraphNodeType type;
  EXPECT_OK(cudaGraphNodeGetType(first, &type));
  EXPECT_EQ(type, cudaGraphNodeTypeKernel);
  size_t nodes = 0, edges = 0;
  EXPECT_OK(cudaGraphGetNodes(graph, nullptr, &nodes));
  EXPECT_OK(cudaGraphGetEdges(graph, nullptr, nullptr, nullptr, &edges));
  EXPECT_EQ(nodes, 2u);
  EXPECT_EQ(edges, 1u);
  EXPECT_OK(cudaFree(data));
}

TEST_F(Graphs, CopiesAndMemsets) {
  int host[4] = {1, 2, 3, 4}, back[4] = {};
  void* data = device_ints({0, 0, 0, 0});
  cudaGraphNode_t in = nullptr, set = nullptr, out = nullptr;
  ASSERT_OK(
      cudaGraphAddMemcpyNode1D(&in, graph, nullptr, 0, data, host, 16, cudaMemcpyHostToDevice));
  const cudaMemsetParams memset = {data, 0, 9, 4, 1, 1};
  ASSERT_OK(cudaGraphAddMemsetNode(&set, graph, &in, 1, &memset));
  cudaMemcpy3DParms copy{};
  copy.srcPtr = {data, 16, 16, 1};
  copy.dstPtr = {back, 16, 16, 1};
  copy.extent = {16, 1, 1};
  copy.kind = cudaMemcpyDeviceToHost;
  ASSERT_OK(cudaGraphAddMemcpyNode(&out, graph, &set, 1, &copy));
  run();
  EXPECT_THAT(back, testing::ElementsAre(9, 2, 3, 4));
  cudaMemcpy3DParms found{};
  EXPECT_OK(cudaGraphMemcpyNodeGetParams(in, &found));
  EXPECT_EQ(found.dstPtr.ptr, data);
  EXPECT_EQ(found.srcPtr.ptr, static_cast<void*>(host));
  EXPECT_EQ(found.extent.width, 16u);
  EXPECT_EQ(found.kind, cudaMemcpyHostToDevice);
  cudaMemsetParams found_set{};
  EXPECT_OK(cudaGraphMemsetNodeGetParams(set, &found_set));
  EXPECT_EQ(found_set.value, 9u);
  EXPECT_OK(cudaFree(data));
}

TEST_F(Graphs, Symbols) {
  const void* counter = program.variable("counter", 4);
  int to = 41, from = 0;
  cudaGraphNode_t write = nullptr, count = nullptr, read = nullptr;
  ASSERT_OK(cudaGraphAddMemcpyNodeToSymbol(&write, graph, nullptr, 0, counter, &to, 4, 0,
                                           cudaMemcpyHostToDevice));
  const cudaKernelNodeParams parameters = {
      const_cast<void*>(program.kernel("count")), {1, 1, 1}, {1, 1, 1}, 0, nullptr, nullptr};
  ASSERT_OK(cudaGraphAddKernelNode(&count, graph, &write, 1, &parameters));
  ASSERT_OK(cudaGraphAddMemcpyNodeFromSymbol(&read, graph, &count, 1, &from, counter, 4, 0,
                                             cudaMemcpyDeviceToHost));
  run();
  EXPECT_EQ(from, 42);
}

TEST_F(Graphs, NodesOfAnyKind) {
  void* data = device_ints({1});
  AddTo add(program, data, data, 1, 1);
  cudaGraphNodeParams kernel{};
  kernel.type = cudaGraphNodeTypeKernel;
  kernel.kernel = {const_cast<void*>(add.symbol), {1, 1, 1}, {1, 1, 1}, 0, add.arguments, nullptr};
  cudaGraphNode_t first = nullptr, second = nullptr, third = nullptr;
  ASSERT_OK(cudaGraphAddNode(&first, graph, nullptr, nullptr, 0, &kernel));
  static int called;
  called = 0;
  cudaGraphNodeParams host{};
  host.type = cudaGraphNodeTypeHost;
  host.host = {[](void* count) { ++*static_cast<int*>(count); }, &called};
  ASSERT_OK(cudaGraphAddNode(&second, graph, &first, nullptr, 1, &host));
  cudaGraphNodeParams copy{};
  int back = 0;
  copy.type = cudaGraphNodeTypeMemcpy;
  copy.memcpy.copyParams.srcPtr = {data, 4, 4, 1};
  copy.memcpy.copyParams.dstPtr = {&back, 4, 4, 1};
  copy.memcpy.copyParams.extent = {4, 1, 1};
  copy.memcpy.copyParams.kind = cudaMemcpyDeviceToHost;
  ASSERT_OK(cudaGraphAddNode(&third, graph, &second, nullptr, 1, &copy));
  run();
  EXPECT_EQ(called, 1);
  EXPECT_EQ(back, 2);
  EXPECT_OK(cudaFree(data));
}

TEST_F(Graphs, InstancesAreUpdated) {
  void* data = device_ints({0});
  AddTo add(program, data, data, 1, 1);
  cudaKernelNodeParams parameters = add.parameters();
  cudaGraphNode_t node = nullptr;
  ASSERT_OK(cudaGraphAddKernelNode(&node, graph, nullptr, 0, &parameters));
  cudaGraphExec_t instance = nullptr;
  ASSERT_OK(cudaGraphInstantiate(&instance, graph, 0));
  add.addend = 100;
  EXPECT_OK(cudaGraphExecKernelNodeSetParams(instance, node, &parameters));
  EXPECT_OK(cudaGraphLaunch(instance, stream));
  EXPECT_OK(cudaStreamSynchronize(stream));
  EXPECT_EQ(host_ints(data, 1)[0], 100);
  add.addend = 20;
  EXPECT_OK(cudaGraphKernelNodeSetParams(node, &parameters));
  cudaGraphExecUpdateResultInfo info{};
  EXPECT_OK(cudaGraphExecUpdate(instance, graph, &info));
  EXPECT_EQ(info.result, cudaGraphExecUpdateSuccess);
  EXPECT_OK(cudaGraphLaunch(instance, stream));
  EXPECT_OK(cudaStreamSynchronize(stream));
  EXPECT_EQ(host_ints(data, 1)[0], 120);
  EXPECT_OK(cudaGraphExecDestroy(instance));
  EXPECT_OK(cudaFree(data));
}

TEST_F(Graphs, Capture) {
  void* data = device_ints({1, 2});
  AddTo add(program, data, data, 2, 3);
  int back[2] = {};
  cudaStreamCaptureStatus status = cudaStreamCaptureStatusNone;
  ASSERT_OK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
  EXPECT_OK(cudaStreamIsCapturing(stream, &status));
  EXPECT_EQ(status, cudaStreamCaptureStatusActive);
  EXPECT_OK(cudaLaunchKernel(add.symbol, {1, 1, 1}, {2, 1, 1}, add.arguments, 0, stream));
  EXPECT_OK(cudaMemcpyAsync(back, data, 8, cudaMemcpyDeviceToHost, stream));
  cudaGraph_t captured = nullptr;
  ASSERT_OK(cudaStreamEndCapture(stream, &captured));
  EXPECT_THAT(host_ints(data, 2), testing::ElementsAre(1, 2)) << "nothing ran";
  std::swap(graph, captured);
  run();
  std::swap(graph, captured);
  EXPECT_THAT(back, testing::ElementsAre(4, 5));
  EXPECT_OK(cudaGraphDestroy(captured));
  EXPECT_OK(cudaFree(data));
}

}  // namespace
