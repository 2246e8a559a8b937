// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Graphs: nodes of every type, edges, queries, clones, execution, updates. Driver API 6.24.
#include <algorithm>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <functional>
#include <iterator>
#include <mutex>
#include <string>
#include <vector>

#include "client.h"
#include "kernels.h"

namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::UnorderedElementsAre;

// The kernel of a loop with conditional nodes: counts down, and sets the condition.
constexpr const char* kConditional = R"ptx(
.version 8.3
.target sm_75
.address_size 64
.extern .func cudaGraphSetConditional(.param .b64 handle, .param .b32 value);
.visible .entry count_down(.param .u64 counter, .param .u64 handle)
{
  .reg .b64 %rd<3>;
  .reg .b32 %r;
  ld.param.u64 %rd1, [counter];
  ld.param.u64 %rd2, [handle];
  ld.global.u32 %r, [%rd1];
  sub.s32 %r, %r, 1;
  st.global.u32 [%rd1], %r;
  {
    .param .b64 h;
    .param .b32 v;
    st.param.b64 [h], %rd2;
    st.param.b32 [v], %r;
    call.uni cudaGraphSetConditional, (h, v);
  }
  ret;
}
.visible .entry choose(.param .u64 handle, .param .u32 value)
{
  .reg .b64 %rd;
  .reg .b32 %r;
  ld.param.u64 %rd, [handle];
  ld.param.u32 %r, [value];
  {
    .param .b64 h;
    .param .b32 v;
    st.param.b64 [h], %rd;
    st.param.b32 [v], %r;
    call.uni cudaGraphSetConditional, (h, v);
  }
  ret;
}
)ptx";

class Graphs : public InContext {
 protected:
  void SetUp() override {
    InContext::SetUp();
    ASSERT_OK(cuModuleLoadData(&module, kKernels));
    ASSERT_OK(cuModuleGetFunction(&add_to, module, "add_to"));
    ASSERT_OK(cuGraphCreate(&graph, 0));
    ASSERT_OK(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
    ASSERT_OK(cuMemAlloc_v2(&data, kCount * 4));
    ASSERT_OK(cuMemsetD32_v2(data, 0, kCount));
    ASSERT_OK(cuCtxSynchronize());
  }
  void TearDown() override {
    if (graph) {
      EXPECT_OK(cuGraphDestroy(graph));
    }
    InContext::TearDown();
  }

  /// data[i] += addend
  CUgraphNode add_kernel(unsigned char addend, std::vector<CUgraphNode> after = {}) {
    unsigned count = kCount;
    void* params[] = {&data, &data, &count, &addend};
    CUDA_KERNEL_NODE_PARAMS node{};
    node.func = add_to;
    node.gridDimX = node.gridDimY = node.gridDimZ = 1;
    node.blockDimX = kCount;
    node.blockDimY = node.blockDimZ = 1;
    node.kernelParams = params;
    CUgraphNode made = nullptr;
    EXPECT_OK(cuGraphAddKernelNode_v2(&made, graph, after.data(), after.size(), &node));
    return made;
  }
  CUgraphNode add_empty(std::vector<CUgraphNode> after = {}) {
    CUgraphNode made = nullptr;
    EXPECT_OK(cuGraphAddEmptyNode(&made, graph, after.data(), after.size()));
    return made;
  }

  /// A host function that records its name.
  struct Note {
    Graphs* test;
    std::string name;
  };
  CUgraphNode add_note(const char* name, std::vector<CUgraphNode> after = {}) {
    notes_.push_back(std::make_unique<Note>(Note{this, name}));
    const CUDA_HOST_NODE_PARAMS params{take_note, notes_.back().get()};
    CUgraphNode made = nullptr;
    EXPECT_OK(cuGraphAddHostNode(&made, graph, after.data(), after.size(), &params));
    return made;
  }
  static void take_note(void* data) {
    const auto* note = static_cast<Note*>(data);
    const std::lock_guard lock(note->test->mutex_);
    note->test->log_.push_back(note->name);
  }
  std::vector<std::string> log() {
    const std::lock_guard lock(mutex_);
    return log_;
  }

  CUgraphExec instantiate(unsigned long long flags = 0) {
    CUgraphExec exec = nullptr;
    EXPECT_OK(cuGraphInstantiateWithFlags(&exec, graph, flags));
    return exec;
  }
  void launch(CUgraphExec exec) {
    EXPECT_OK(cuGraphLaunch(exec, stream));
    EXPECT_OK(cuStreamSynchronize(stream));
  }
  unsigned value(unsigned index = 0) {
    unsigned got = 0;
    EXPECT_OK(cuMemcpyDtoH_v2(&got, data + index * 4, 4));
    return got;
  }

  static constexpr unsigned kCount = 32;
  CUmodule module = nullptr;
  CUfunction add_to = nullptr;
  CUgraph graph = nullptr;
  CUstream stream = nullptr;
  CUdeviceptr data = 0;

 private:
  std::mutex mutex_;
  std::vector<std::string> log_;
  std::vector<std::unique_ptr<Note>> notes_;
};

TEST_F(Graphs, CreateAndDestroy) {
  EXPECT_EQ(cuGraphCreate(nullptr, 0), CUDA_ERROR_INVALID_VALUE);
  CUgraph other = nullptr;
  EXPECT_EQ(cuGraphCreate(&other, 1), CUDA_ERROR_INVALID_VALUE);
  EXPECT_OK(cuGraphCreate(&other, 0));
  const CUgraphNode mine = add_empty();
  CUgraphNode node = nullptr;
  EXPECT_EQ(cuGraphAddEmptyNode(&node, other, &mine, 1), CUDA_ERROR_INVALID_VALUE)
      << "a node of another graph";
  EXPECT_OK(cuGraphAddEmptyNode(&node, other, nullptr, 0));
  EXPECT_OK(cuGraphDestroy(other));
  EXPECT_EQ(cuGraphDestroy(other), CUDA_ERROR_INVALID_VALUE);
  CUgraphNodeType type;
  EXPECT_EQ(cuGraphNodeGetType(node, &type), CUDA_ERROR_INVALID_VALUE) << "went with its graph";
  EXPECT_EQ(cuGraphDestroy(nullptr), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuGraphAddEmptyNode(nullptr, graph, nullptr, 0), CUDA_ERROR_INVALID_VALUE);
  const CUgraphNode twice[] = {mine, mine};
  EXPECT_EQ(cuGraphAddEmptyNode(&node, graph, twice, 2), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuGraphAddEmptyNode(&node, graph, nullptr, 1), CUDA_ERROR_INVALID_VALUE);
}

TEST_F(Graphs, KernelRunsAtEachLaunchWithCopiedParameters) {
  add_kernel(3);
  const auto exec = instantiate();
  EXPECT_EQ(value(), 0u) << "nothing runs before the launch";
  launch(exec);
  EXPECT_EQ(value(), 3u);
  launch(exec);
  EXPECT_EQ(value(kCount - 1), 6u);
  EXPECT_OK(cuGraphExecDestroy(exec));
  EXPECT_EQ(cuGraphExecDestroy(exec), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuGraphLaunch(exec, stream), CUDA_ERROR_INVALID_VALUE);
}

TEST_F(Graphs, KernelParametersCanBeReadAndChanged) {
  const auto node = add_kernel(3);
  CUDA_KERNEL_NODE_PARAMS params{};
  ASSERT_OK(cuGraphKernelNodeGetParams_v2(node, &params));
  EXPECT_EQ(params.func, add_to);
  EXPECT_EQ(params.blockDimX, kCount);
  ASSERT_NE(params.kernelParams, nullptr);
  EXPECT_EQ(*static_cast<unsigned char*>(params.kernelParams[3]), 3);
  EXPECT_EQ(*static_cast<CUdeviceptr*>(params.kernelParams[0]), data);
  unsigned char addend = 5;
  unsigned count = kCount;
  void* changed[] = {&data, &data, &count, &addend};
  params.kernelParams = changed;
  ASSERT_OK(cuGraphKernelNodeSetParams_v2(node, &params));
  const auto exec = instantiate();
  launch(exec);
  EXPECT_EQ(value(), 5u);
  // In the executable graph only.
  addend = 7;
  ASSERT_OK(cuGraphExecKernelNodeSetParams_v2(exec, node, &params));
  launch(exec);
  EXPECT_EQ(value(), 12u);
  CUDA_KERNEL_NODE_PARAMS_v1 old{};
  ASSERT_OK(cuGraphKernelNodeGetParams(node, &old));
  EXPECT_EQ(*static_cast<unsigned char*>(old.kernelParams[3]), 5) << "the node has not changed";
  params.gridDimX = ~0u;
  EXPECT_EQ(cuGraphKernelNodeSetParams_v2(node, &params), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuGraphKernelNodeSetParams_v2(node, nullptr), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuGraphKernelNodeGetParams_v2(add_empty(), &params), CUDA_ERROR_INVALID_VALUE);
  params.gridDimX = 1;
  params.func = nullptr;
  EXPECT_EQ(cuGraphKernelNodeSetParams_v2(node, &params), CUDA_ERROR_INVALID_VALUE);
}

TEST_F(Graphs, KernelAttributes) {
  const auto node = add_kernel(1), other = add_kernel(1);
  CUkernelNodeAttrValue value{};
  value.priority = -3;
  EXPECT_OK(cuGraphKernelNodeSetAttribute(node, CU_KERNEL_NODE_ATTRIBUTE_PRIORITY, &value));
  value = {};
  EXPECT_OK(cuGraphKernelNodeCopyAttributes(other, node));
  EXPECT_OK(cuGraphKernelNodeGetAttribute(other, CU_KERNEL_NODE_ATTRIBUTE_PRIORITY, &value));
  EXPECT_EQ(value.priority, -3);
  value.clusterDim = {3, 1, 1};
  testing::internal::CaptureStderr();
  EXPECT_EQ(cuGraphKernelNodeSetAttribute(node, CU_KERNEL_NODE_ATTRIBUTE_CLUSTER_DIMENSION, &value),
            CUDA_ERROR_INVALID_CLUSTER_SIZE)
      << "of one block";
  const auto pair = add_kernel(1);
  CUDA_KERNEL_NODE_PARAMS params{};
  EXPECT_OK(cuGraphKernelNodeGetParams_v2(pair, &params));
  params.gridDimX = 2;
  EXPECT_OK(cuGraphKernelNodeSetParams_v2(pair, &params));
  value.clusterDim = {2, 1, 1};
  EXPECT_OK(
      cuGraphKernelNodeSetAttribute(pair, CU_KERNEL_NODE_ATTRIBUTE_CLUSTER_DIMENSION, &value));
  EXPECT_EQ(cuGraphKernelNodeCopyAttributes(node, pair), CUDA_ERROR_INVALID_CLUSTER_SIZE);
  EXPECT_THAT(testing::internal::GetCapturedStderr(),
              HasSubstr("a grid of 1x1x1 CTAs is no whole number of clusters of 2x1x1"));
  EXPECT_EQ(cuGraphKernelNodeGetAttribute(other, CU_LAUNCH_ATTRIBUTE_MAX, &value),
            CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuGraphKernelNodeGetAttribute(add_empty(), CU_KERNEL_NODE_ATTRIBUTE_PRIORITY, &value),
            CUDA_ERROR_INVALID_VALUE);
}

TEST_F(Graphs, CopiesAndMemsets) {
  std::vector<unsigned> host(kCount, 0);
  CUDA_MEMSET_NODE_PARAMS set{data, 0, 0x11223344, 4, kCount, 1};
  CUgraphNode fill = nullptr, copy = nullptr;
  ASSERT_OK(cuGraphAddMemsetNode(&fill, graph, nullptr, 0, &set, context));
  CUDA_MEMCPY3D params{};
  params.srcMemoryType = CU_MEMORYTYPE_DEVICE;
  params.srcDevice = data;
  params.dstMemoryType = CU_MEMORYTYPE_HOST;
  params.dstHost = host.data();
  params.WidthInBytes = kCount * 4;
  params.Height = params.Depth = 1;
  ASSERT_OK(cuGraphAddMemcpyNode(&copy, graph, &fill, 1, &params, context));
  const auto exec = instantiate();
  launch(exec);
  EXPECT_THAT(host, testing::Each(0x11223344u));
  set.value = 9;
  EXPECT_OK(cuGraphExecMemsetNodeSetParams(exec, fill, &set, context));
  launch(exec);
  EXPECT_THAT(host, testing::Each(9u));
  CUDA_MEMSET_NODE_PARAMS read{};
  EXPECT_OK(cuGraphMemsetNodeGetParams(fill, &read));
  EXPECT_EQ(read.value, 0x11223344u);
  CUDA_MEMCPY3D again{};
  EXPECT_OK(cuGraphMemcpyNodeGetParams(copy, &again));
  EXPECT_EQ(again.WidthInBytes, kCount * 4);
  set.elementSize = 3;
  EXPECT_EQ(cuGraphMemsetNodeSetParams(fill, &set), CUDA_ERROR_INVALID_VALUE);
  set.elementSize = 4;
  set.width = kCount + 1;
  EXPECT_EQ(cuGraphMemsetNodeSetParams(fill, &set), CUDA_ERROR_INVALID_VALUE) << "too long";
  set.width = 0;
  EXPECT_EQ(cuGraphExecMemsetNodeSetParams(exec, fill, &set, context), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuGraphExecMemcpyNodeSetParams(exec, fill, &params, context), CUDA_ERROR_INVALID_VALUE)
      << "no copy node";
}

TEST_F(Graphs, OrderIsThatOfTheEdges) {
  const auto first = add_note("first");
  const auto left = add_note("left", {first}), right = add_note("right", {first});
  add_note("last", {left, right});
  launch(instantiate());
  const auto all = log();
  EXPECT_THAT(all, UnorderedElementsAre("first", "left", "right", "last"));
  EXPECT_EQ(all.front(), "first");
  EXPECT_EQ(all.back(), "last");
}

// Two branches that wait for each other: only possible when they run at the same time.
TEST_F(Graphs, IndependentBranchesOverlap) {
  static std::atomic<int> here;
  here = 0;
  const CUDA_HOST_NODE_PARAMS meet{[](void*) {
                                     ++here;
                                     while (here < 2) std::this_thread::yield();
                                   },
                                   nullptr};
  CUgraphNode node = nullptr;
  EXPECT_OK(cuGraphAddHostNode(&node, graph, nullptr, 0, &meet));
  EXPECT_OK(cuGraphAddHostNode(&node, graph, nullptr, 0, &meet));
  launch(instantiate());
  EXPECT_EQ(here, 2);
}

TEST_F(Graphs, LaunchesOfOneExecDoNotOverlap) {
  static std::atomic<int> running, most;
  running = most = 0;
  const CUDA_HOST_NODE_PARAMS busy{[](void*) {
                                     most = std::max(most.load(), ++running);
                                     std::this_thread::sleep_for(std::chrono::milliseconds(2));
                                     --running;
                                   },
                                   nullptr};
  CUgraphNode node = nullptr;
  EXPECT_OK(cuGraphAddHostNode(&node, graph, nullptr, 0, &busy));
  const auto exec = instantiate();
  CUstream other = nullptr;
  EXPECT_OK(cuStreamCreate(&other, CU_STREAM_NON_BLOCKING));
  for (int i = 0; i < 5; ++i) {
    EXPECT_OK(cuGraphLaunch(exec, stream));
    EXPECT_OK(cuGraphLaunch(exec, other));
  }
  EXPECT_OK(cuGraphExecDestroy(exec)) << "what runs goes on";
  EXPECT_OK(cuCtxSynchronize());
  EXPECT_EQ(most, 1);
}

TEST_F(Graphs, EdgesAndQueries) {
  const auto a = add_empty(), b = add_empty(), c = add_empty({a});
  EXPECT_OK(cuGraphAddDependencies(graph, &b, &c, 1));
  EXPECT_EQ(cuGraphAddDependencies(graph, &b, &c, 1), CUDA_ERROR_INVALID_VALUE) << "twice";
  EXPECT_EQ(cuGraphAddDependencies(graph, &c, &c, 1), CUDA_ERROR_INVALID_VALUE) << "itself";
  size_t count = 0;
  EXPECT_OK(cuGraphGetNodes(graph, nullptr, &count));
  EXPECT_EQ(count, 3u);
  std::vector<CUgraphNode> nodes(5, a);
  count = nodes.size();
  EXPECT_OK(cuGraphGetNodes(graph, nodes.data(), &count));
  EXPECT_EQ(count, 3u);
  EXPECT_THAT(nodes, ElementsAre(a, b, c, nullptr, nullptr));
  count = 1;
  EXPECT_OK(cuGraphGetRootNodes(graph, nodes.data(), &count));
  EXPECT_EQ(count, 1u);
  EXPECT_OK(cuGraphGetRootNodes(graph, nullptr, &count));
  EXPECT_EQ(count, 2u);
  CUgraphNode from[2], to[2];
  count = 2;
  EXPECT_OK(cuGraphGetEdges(graph, from, to, &count));
  EXPECT_THAT(from, ElementsAre(a, b));
  EXPECT_THAT(to, ElementsAre(c, c));
  EXPECT_EQ(cuGraphGetEdges(graph, from, nullptr, &count), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuGraphGetEdges(graph, nullptr, nullptr, nullptr), CUDA_ERROR_INVALID_VALUE);
  EXPECT_OK(cuGraphNodeGetDependencies(c, nullptr, &count));
  EXPECT_EQ(count, 2u);
  EXPECT_OK(cuGraphNodeGetDependentNodes(a, nodes.data(), &(count = 1)));
  EXPECT_EQ(nodes[0], c);
  EXPECT_OK(cuGraphRemoveDependencies(graph, &a, &c, 1));
  EXPECT_EQ(cuGraphRemoveDependencies(graph, &a, &c, 1), CUDA_ERROR_INVALID_VALUE) << "is gone";
  EXPECT_OK(cuGraphDestroyNode(b));
  EXPECT_EQ(cuGraphDestroyNode(b), CUDA_ERROR_INVALID_VALUE);
  EXPECT_OK(cuGraphNodeGetDependencies(c, nullptr, &count));
  EXPECT_EQ(count, 0u) << "edges go with their node";
}

TEST_F(Graphs, EdgeData) {
  const auto a = add_kernel(1), b = add_kernel(1);
  CUgraphEdgeData data{};
  data.from_port = CU_GRAPH_KERNEL_NODE_PORT_PROGRAMMATIC;
  data.type = CU_GRAPH_DEPENDENCY_TYPE_PROGRAMMATIC;
  EXPECT_OK(cuGraphAddDependencies_v2(graph, &a, &b, &data, 1));
  CUgraphNode from[1], to[1];
  size_t count = 1;
  EXPECT_EQ(cuGraphGetEdges(graph, from, to, &count), CUDA_ERROR_LOSSY_QUERY);
  EXPECT_EQ(cuGraphNodeGetDependencies(b, from, &count), CUDA_ERROR_LOSSY_QUERY);
  CUgraphEdgeData read{};
  EXPECT_OK(cuGraphGetEdges_v2(graph, from, to, &read, &count));
  EXPECT_EQ(read.from_port, CU_GRAPH_KERNEL_NODE_PORT_PROGRAMMATIC);
  EXPECT_EQ(cuGraphRemoveDependencies(graph, &a, &b, 1), CUDA_ERROR_INVALID_VALUE) << "other data";
  EXPECT_OK(cuGraphRemoveDependencies_v2(graph, &a, &b, &data, 1));
  data.reserved[2] = 1;
  EXPECT_EQ(cuGraphAddDependencies_v2(graph, &a, &b, &data, 1), CUDA_ERROR_INVALID_VALUE);
}

TEST_F(Graphs, RingsAreRefused) {
  const auto a = add_empty(), b = add_empty({a});
  EXPECT_OK(cuGraphAddDependencies(graph, &b, &a, 1));
  CUgraphExec exec = nullptr;
  CUgraphNode culprit = nullptr;
  char log[100] = "";
  EXPECT_EQ(cuGraphInstantiate_v2(&exec, graph, &culprit, log, sizeof log),
            CUDA_ERROR_INVALID_VALUE);
  EXPECT_THAT(std::string(log), HasSubstr("ring"));
  EXPECT_TRUE(culprit == a || culprit == b);
  CUDA_GRAPH_INSTANTIATE_PARAMS params{};
  EXPECT_EQ(cuGraphInstantiateWithParams(&exec, graph, &params), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(params.result_out, CUDA_GRAPH_INSTANTIATE_INVALID_STRUCTURE);
}

TEST_F(Graphs, InstantiateFlags) {
  CUgraphExec exec = nullptr;
  EXPECT_EQ(cuGraphInstantiateWithFlags(&exec, graph, 0x100), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuGraphInstantiateWithFlags(nullptr, graph, 0), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuGraphInstantiateWithFlags(&exec, graph, CUDA_GRAPH_INSTANTIATE_FLAG_DEVICE_LAUNCH),
            CUDA_ERROR_NOT_SUPPORTED);
  CUDA_GRAPH_INSTANTIATE_PARAMS params{};
  params.flags = CUDA_GRAPH_INSTANTIATE_FLAG_UPLOAD | CUDA_GRAPH_INSTANTIATE_FLAG_USE_NODE_PRIORITY;
  params.hUploadStream = stream;
  EXPECT_OK(cuGraphInstantiateWithParams(&exec, graph, &params));
  cuuint64_t flags = 0;
  EXPECT_OK(cuGraphExecGetFlags(exec, &flags));
  EXPECT_EQ(flags, static_cast<cuuint64_t>(CUDA_GRAPH_INSTANTIATE_FLAG_USE_NODE_PRIORITY));
  EXPECT_OK(cuGraphUpload(exec, stream));
  launch(exec);  // of an empty graph
}

TEST_F(Graphs, Clone) {
  const auto a = add_kernel(2), b = add_kernel(3, {a});
  CUgraph clone = nullptr;
  ASSERT_OK(cuGraphClone(&clone, graph));
  CUgraphNode twin = nullptr;
  ASSERT_OK(cuGraphNodeFindInClone(&twin, b, clone));
  EXPECT_NE(twin, b);
  size_t count = 0;
  EXPECT_OK(cuGraphNodeGetDependencies(twin, nullptr, &count));
  EXPECT_EQ(count, 1u);
  EXPECT_OK(cuGraphDestroyNode(b)) << "the clone keeps its own";
  const auto saved = graph;
  graph = clone;
  launch(instantiate());
  graph = saved;
  EXPECT_EQ(value(), 5u);
  EXPECT_EQ(cuGraphNodeFindInClone(&twin, add_empty(), clone), CUDA_ERROR_INVALID_VALUE);
  EXPECT_OK(cuGraphDestroy(clone));
}

TEST_F(Graphs, ChildGraph) {
  CUgraph child = nullptr;
  ASSERT_OK(cuGraphCreate(&child, 0));
  const auto parent = graph;
  graph = child;
  const auto inner = add_kernel(4);
  graph = parent;
  const auto before = add_kernel(1);
  CUgraphNode node = nullptr;
  ASSERT_OK(cuGraphAddChildGraphNode(&node, graph, &before, 1, child));
  EXPECT_OK(cuGraphDestroy(child)) << "it was cloned";
  CUgraph within = nullptr;
  ASSERT_OK(cuGraphChildGraphNodeGetGraph(node, &within));
  EXPECT_EQ(cuGraphDestroy(within), CUDA_ERROR_INVALID_VALUE) << "belongs to the node";
  CUgraphNode twin = nullptr;
  EXPECT_OK(cuGraphNodeFindInClone(&twin, inner, within));
  const auto exec = instantiate();
  launch(exec);
  EXPECT_EQ(value(), 5u);
  // A graph of the same shape can take the child's place.
  ASSERT_OK(cuGraphCreate(&child, 0));
  graph = child;
  add_kernel(10);
  graph = parent;
  EXPECT_OK(cuGraphExecChildGraphNodeSetParams(exec, node, child));
  launch(exec);
  EXPECT_EQ(value(), 16u);
  EXPECT_OK(cuGraphDestroy(child));
  EXPECT_EQ(cuGraphAddChildGraphNode(&node, graph, nullptr, 0, graph), CUDA_ERROR_INVALID_VALUE);
}

TEST_F(Graphs, AnyNodeByItsType) {
  CUgraphNodeParams params{};
  params.type = CU_GRAPH_NODE_TYPE_MEMSET;
  params.memset = {data, 0, 6, 4, kCount, 1, context};
  CUgraphNode node = nullptr;
  ASSERT_OK(cuGraphAddNode_v2(&node, graph, nullptr, nullptr, 0, &params));
  const auto exec = instantiate();
  launch(exec);
  EXPECT_EQ(value(), 6u);
  params.memset.value = 8;
  EXPECT_OK(cuGraphExecNodeSetParams(exec, node, &params));
  launch(exec);
  EXPECT_EQ(value(), 8u);
  EXPECT_OK(cuGraphNodeSetParams(node, &params));
  params.reserved0[1] = 1;
  EXPECT_EQ(cuGraphNodeSetParams(node, &params), CUDA_ERROR_INVALID_VALUE);
  params = {};
  params.type = CU_GRAPH_NODE_TYPE_HOST;
  EXPECT_EQ(cuGraphNodeSetParams(node, &params), CUDA_ERROR_INVALID_VALUE) << "another type";
  params.type = static_cast<CUgraphNodeType>(77);
  EXPECT_EQ(cuGraphAddNode(&node, graph, nullptr, 0, &params), CUDA_ERROR_INVALID_VALUE);
  params.type = CU_GRAPH_NODE_TYPE_EXT_SEMAS_WAIT;
  EXPECT_EQ(cuGraphAddNode(&node, graph, nullptr, 0, &params), CUDA_ERROR_NOT_SUPPORTED);
}

TEST_F(Graphs, EnableAndDisable) {
  const auto node = add_kernel(5);
  const auto empty = add_empty();
  const auto exec = instantiate();
  unsigned enabled = 9;
  EXPECT_OK(cuGraphNodeGetEnabled(exec, node, &enabled));
  EXPECT_EQ(enabled, 1u);
  EXPECT_OK(cuGraphNodeSetEnabled(exec, node, 0));
  launch(exec);
  EXPECT_EQ(value(), 0u);
  EXPECT_OK(cuGraphNodeSetEnabled(exec, node, 1));
  launch(exec);
  EXPECT_EQ(value(), 5u);
  EXPECT_EQ(cuGraphNodeSetEnabled(exec, empty, 0), CUDA_ERROR_INVALID_VALUE);
}

TEST_F(Graphs, UpdateOfTheWhole) {
  add_kernel(1, {add_kernel(1)});
  const auto exec = instantiate();
  const auto first = graph;
  ASSERT_OK(cuGraphCreate(&graph, 0));
  const auto a = add_kernel(10), b = add_kernel(20, {a});
  CUgraphExecUpdateResultInfo info{};
  ASSERT_OK(cuGraphExecUpdate_v2(exec, graph, &info));
  EXPECT_EQ(info.result, CU_GRAPH_EXEC_UPDATE_SUCCESS);
  launch(exec);
  EXPECT_EQ(value(), 30u);
  // One edge fewer.
  EXPECT_OK(cuGraphRemoveDependencies(graph, &a, &b, 1));
  EXPECT_EQ(cuGraphExecUpdate_v2(exec, graph, &info), CUDA_ERROR_GRAPH_EXEC_UPDATE_FAILURE);
  EXPECT_EQ(info.result, CU_GRAPH_EXEC_UPDATE_ERROR_TOPOLOGY_CHANGED);
  EXPECT_EQ(info.errorNode, b);
  // One node fewer.
  EXPECT_OK(cuGraphDestroyNode(b));
  EXPECT_EQ(cuGraphExecUpdate_v2(exec, graph, &info), CUDA_ERROR_GRAPH_EXEC_UPDATE_FAILURE);
  EXPECT_EQ(info.result, CU_GRAPH_EXEC_UPDATE_ERROR_TOPOLOGY_CHANGED);
  EXPECT_EQ(info.errorNode, nullptr);
  // A node of another type.
  const auto empty = add_empty({a});
  CUgraphNode culprit = nullptr;
  CUgraphExecUpdateResult result;
  EXPECT_EQ(cuGraphExecUpdate(exec, graph, &culprit, &result),
            CUDA_ERROR_GRAPH_EXEC_UPDATE_FAILURE);
  EXPECT_EQ(result, CU_GRAPH_EXEC_UPDATE_ERROR_NODE_TYPE_CHANGED);
  EXPECT_EQ(culprit, empty);
  launch(exec);
  EXPECT_EQ(value(), 60u) << "a failed update changes nothing";
  EXPECT_OK(cuGraphDestroy(first));
}

TEST_F(Graphs, Events) {
  CUevent event = nullptr, start = nullptr;
  ASSERT_OK(cuEventCreate(&event, 0));
  ASSERT_OK(cuEventCreate(&start, 0));
  const auto kernel = add_kernel(1);
  CUgraphNode record = nullptr, wait = nullptr;
  ASSERT_OK(cuGraphAddEventWaitNode(&wait, graph, &kernel, 1, start));
  ASSERT_OK(cuGraphAddEventRecordNode(&record, graph, &wait, 1, event));
  CUevent read = nullptr;
  EXPECT_OK(cuGraphEventRecordNodeGetEvent(record, &read));
  EXPECT_EQ(read, event);
  EXPECT_OK(cuGraphEventWaitNodeGetEvent(wait, &read));
  EXPECT_EQ(read, start);
  EXPECT_EQ(cuGraphEventWaitNodeGetEvent(record, &read), CUDA_ERROR_INVALID_VALUE);
  const auto exec = instantiate();
  CUstream other = nullptr;
  ASSERT_OK(cuStreamCreate(&other, CU_STREAM_NON_BLOCKING));
  {
    Gate gate(other);
    EXPECT_OK(cuEventRecord(start, other));
    EXPECT_OK(cuGraphLaunch(exec, stream));
    EXPECT_EQ(cuEventQuery(event), CUDA_ERROR_NOT_READY) << "recorded by the launch, not done";
  }
  EXPECT_OK(cuEventSynchronize(event));
  EXPECT_EQ(value(), 1u);
  EXPECT_OK(cuGraphEventRecordNodeSetEvent(record, start));
  EXPECT_OK(cuGraphExecEventRecordNodeSetEvent(exec, record, event));
  EXPECT_EQ(cuGraphEventRecordNodeSetEvent(record, nullptr), CUDA_ERROR_INVALID_VALUE);
  EXPECT_OK(cuStreamSynchronize(stream));
}

TEST_F(Graphs, Words) {
  CUstreamBatchMemOpParams operations[2] = {};
  operations[0].writeValue = {CU_STREAM_MEM_OP_WRITE_VALUE_32, data, {.value = 77}, 0, 0};
  operations[1].waitValue = {
      CU_STREAM_MEM_OP_WAIT_VALUE_32, data, {.value = 77}, CU_STREAM_WAIT_VALUE_EQ, 0};
  CUDA_BATCH_MEM_OP_NODE_PARAMS params{context, 2, operations, 0};
  CUgraphNode node = nullptr;
  ASSERT_OK(cuGraphAddBatchMemOpNode(&node, graph, nullptr, 0, &params));
  const auto exec = instantiate();
  launch(exec);
  EXPECT_EQ(value(), 77u);
  operations[0].writeValue.value = operations[1].waitValue.value = 78;
  EXPECT_OK(cuGraphExecBatchMemOpNodeSetParams(exec, node, &params));
  launch(exec);
  EXPECT_EQ(value(), 78u);
  params.count = 1;
  EXPECT_EQ(cuGraphExecBatchMemOpNodeSetParams(exec, node, &params), CUDA_ERROR_INVALID_VALUE);
  CUDA_BATCH_MEM_OP_NODE_PARAMS read{};
  EXPECT_OK(cuGraphBatchMemOpNodeGetParams(node, &read));
  ASSERT_EQ(read.count, 2u);
  EXPECT_EQ(read.paramArray[0].writeValue.value, 77u);
}

class GraphMemory : public Graphs {
 protected:
  CUgraphNode allocate(CUdeviceptr* out) {
    CUDA_MEM_ALLOC_NODE_PARAMS params{};
    params.poolProps.allocType = CU_MEM_ALLOCATION_TYPE_PINNED;
    params.poolProps.location = {CU_MEM_LOCATION_TYPE_DEVICE, device};
    params.bytesize = 256;
    CUgraphNode node = nullptr;
    EXPECT_OK(cuGraphAddMemAllocNode(&node, graph, nullptr, 0, &params));
    *out = params.dptr;
    return node;
  }
  void SetUp() override {
    Graphs::SetUp();
    ASSERT_OK(cuDeviceGraphMemTrim(device));
  }
  cuuint64_t bytes(CUgraphMem_attribute attribute) {
    cuuint64_t value = 0;
    EXPECT_OK(cuDeviceGetGraphMemAttribute(device, attribute, &value));
    return value;
  }
  cuuint64_t used() { return bytes(CU_GRAPH_MEM_ATTR_USED_MEM_CURRENT); }
  cuuint64_t reserved() { return bytes(CU_GRAPH_MEM_ATTR_RESERVED_MEM_CURRENT); }
};

TEST_F(GraphMemory, AllocatedUsedAndFreedByOneGraph) {
  CUdeviceptr memory = 0;
  const auto node = allocate(&memory);
  CUDA_MEMSET_NODE_PARAMS set{memory, 0, 5, 4, 64, 1};
  CUgraphNode fill = nullptr, free = nullptr;
  ASSERT_OK(cuGraphAddMemsetNode(&fill, graph, &node, 1, &set, context));
  ASSERT_OK(cuGraphAddMemFreeNode(&free, graph, &fill, 1, memory));
  EXPECT_EQ(cuGraphAddMemFreeNode(&free, graph, &fill, 1, memory), CUDA_ERROR_INVALID_VALUE)
      << "twice";
  EXPECT_EQ(cuGraphAddMemFreeNode(&free, graph, nullptr, 0, data), CUDA_ERROR_INVALID_VALUE)
      << "not of a graph";
  CUDA_MEM_ALLOC_NODE_PARAMS read{};
  EXPECT_OK(cuGraphMemAllocNodeGetParams(node, &read));
  EXPECT_EQ(read.dptr, memory);
  const auto exec = instantiate();
  launch(exec);
  launch(exec);
  EXPECT_EQ(used(), 256u) << "its own until it is trimmed";
  EXPECT_OK(cuDeviceGraphMemTrim(device));
  EXPECT_EQ(used(), 0u);
  EXPECT_EQ(cuMemFree_v2(memory), CUDA_ERROR_INVALID_VALUE) << "the graph frees it";
  // Operations that graphs with memory nodes do not support.
  CUgraph clone = nullptr;
  CUgraphExec second = nullptr;
  EXPECT_EQ(cuGraphClone(&clone, graph), CUDA_ERROR_NOT_SUPPORTED);
  EXPECT_EQ(cuGraphDestroyNode(fill), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuGraphRemoveDependencies(graph, &node, &fill, 1), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuGraphInstantiateWithFlags(&second, graph, 0), CUDA_ERROR_INVALID_VALUE);
  EXPECT_OK(cuGraphExecDestroy(exec));
  EXPECT_OK(cuGraphInstantiateWithFlags(&second, graph, 0));
}

TEST_F(GraphMemory, FreedByTheProgram) {
  CUdeviceptr memory = 0;
  allocate(&memory);
  const auto exec = instantiate();
  EXPECT_EQ(cuMemFreeAsync(memory, stream), CUDA_ERROR_INVALID_VALUE) << "not allocated yet";
  launch(exec);
  EXPECT_EQ(used(), 256u);
  EXPECT_EQ(cuGraphLaunch(exec, stream), CUDA_ERROR_INVALID_VALUE) << "is still allocated";
  EXPECT_OK(cuMemsetD8Async(memory, 1, 256, stream));
  EXPECT_OK(cuMemFreeAsync(memory, stream));
  launch(exec);
  EXPECT_OK(cuMemFree_v2(memory));
  EXPECT_EQ(used(), 256u) << "on a GPU, too, graphs keep what they had";
  EXPECT_OK(cuDeviceGraphMemTrim(device));
  EXPECT_EQ(used(), 0u);
  cuuint64_t high = 0;
  EXPECT_OK(cuDeviceGetGraphMemAttribute(device, CU_GRAPH_MEM_ATTR_USED_MEM_HIGH, &high));
  EXPECT_GE(high, 256u);
  high = 0;
  EXPECT_OK(cuDeviceSetGraphMemAttribute(device, CU_GRAPH_MEM_ATTR_USED_MEM_HIGH, &high));
  EXPECT_OK(cuDeviceGraphMemTrim(device));
}

// Programs measure the memory that graphs keep, trim it, and measure again.
TEST_F(GraphMemory, StaysReservedUntilTheTrim) {
  size_t before = 0, kept = 0, after = 0, total = 0;
  ASSERT_OK(cuMemGetInfo_v2(&before, &total));
  const auto others = reserved();
  CUdeviceptr memory = 0;
  allocate(&memory);
  EXPECT_EQ(reserved(), others + 256);
  const auto exec = instantiate();
  launch(exec);
  EXPECT_OK(cuMemFreeAsync(memory, stream));
  EXPECT_OK(cuStreamSynchronize(stream));
  EXPECT_OK(cuGraphExecDestroy(exec));
  EXPECT_OK(cuGraphDestroy(graph));
  EXPECT_EQ(cuMemsetD8_v2(memory, 0, 1), CUDA_ERROR_INVALID_VALUE) << "it is no longer there";
  EXPECT_EQ(reserved(), others + 256);
  ASSERT_OK(cuMemGetInfo_v2(&kept, &total));
  EXPECT_EQ(before - kept, 256u);
  // The next graph reuses that memory, which does not count twice.
  ASSERT_OK(cuGraphCreate(&graph, 0));
  allocate(&memory);
  EXPECT_EQ(reserved(), others + 256);
  EXPECT_OK(cuGraphDestroy(graph));
  EXPECT_OK(cuDeviceGraphMemTrim(device));
  EXPECT_EQ(reserved(), others);
  EXPECT_EQ(used(), 0u);
  EXPECT_GE(bytes(CU_GRAPH_MEM_ATTR_RESERVED_MEM_HIGH), 256u);
  ASSERT_OK(cuMemGetInfo_v2(&after, &total));
  EXPECT_EQ(after, before);
  // Other allocations get that memory when they need it.
  ASSERT_OK(cuGraphCreate(&graph, 0));
  allocate(&memory);
  EXPECT_OK(cuGraphDestroy(graph));
  CUmemGenericAllocationHandle rest = 0;
  CUmemAllocationProp properties{};
  properties.type = CU_MEM_ALLOCATION_TYPE_PINNED;
  properties.location = {CU_MEM_LOCATION_TYPE_DEVICE, device};
  EXPECT_OK(cuMemCreate(&rest, after >> 21 << 21, &properties, 0));
  EXPECT_OK(cuMemRelease(rest));
  ASSERT_OK(cuGraphCreate(&graph, 0));
}

TEST_F(GraphMemory, NoBytesInACapture) {
  ASSERT_OK(cuStreamBeginCapture_v2(stream, CU_STREAM_CAPTURE_MODE_RELAXED));
  CUdeviceptr memory = 7;
  EXPECT_OK(cuMemAllocAsync(&memory, 0, stream));
  EXPECT_EQ(memory, 0u);
  EXPECT_OK(cuMemFreeAsync(memory, stream));
  CUgraph captured = nullptr;
  ASSERT_OK(cuStreamEndCapture(stream, &captured));
  CUgraphExec exec = nullptr;
  ASSERT_OK(cuGraphInstantiateWithFlags(&exec, captured, 0));
  launch(exec);
  EXPECT_OK(cuGraphExecDestroy(exec));
  EXPECT_OK(cuGraphDestroy(captured));
}

TEST_F(GraphMemory, FreedByTheNextLaunch) {
  CUdeviceptr memory = 0;
  allocate(&memory);
  const auto exec = instantiate(CUDA_GRAPH_INSTANTIATE_FLAG_AUTO_FREE_ON_LAUNCH);
  launch(exec);
  launch(exec);
  EXPECT_EQ(used(), 256u);
  EXPECT_OK(cuMemFree_v2(memory));
}

class Conditionals : public Graphs {
 protected:
  void SetUp() override {
    Graphs::SetUp();
    ASSERT_OK(cuModuleLoadData(&loops, kConditional));
  }
  CUgraphConditionalHandle handle(unsigned start, unsigned flags = CU_GRAPH_COND_ASSIGN_DEFAULT) {
    CUgraphConditionalHandle made = 0;
    EXPECT_OK(cuGraphConditionalHandleCreate(&made, graph, context, start, flags));
    return made;
  }
  CUgraphNode condition(CUgraphConditionalHandle handle, CUgraphConditionalNodeType type,
                        unsigned size, std::vector<CUgraphNode> after, CUgraph* bodies) {
    CUgraphNodeParams params{};
    params.type = CU_GRAPH_NODE_TYPE_CONDITIONAL;
    params.conditional.handle = handle;
    params.conditional.type = type;
    params.conditional.size = size;
    params.conditional.ctx = context;
    CUgraphNode node = nullptr;
    EXPECT_OK(cuGraphAddNode_v2(&node, graph, after.data(), nullptr, after.size(), &params));
    std::copy_n(params.conditional.phGraph_out, size, bodies);
    return node;
  }
  CUgraphNode call(CUgraph into, const char* name, void** params) {
    CUDA_KERNEL_NODE_PARAMS node{};
    EXPECT_OK(cuModuleGetFunction(&node.func, loops, name));
    node.gridDimX = node.gridDimY = node.gridDimZ = 1;
    node.blockDimX = node.blockDimY = node.blockDimZ = 1;
    node.kernelParams = params;
    CUgraphNode made = nullptr;
    EXPECT_OK(cuGraphAddKernelNode_v2(&made, into, nullptr, 0, &node));
    return made;
  }
  void add_kernel_to(CUgraph into, unsigned char addend) {
    const auto saved = std::exchange(graph, into);
    add_kernel(addend);
    graph = saved;
  }
  CUmodule loops = nullptr;
};

TEST_F(Conditionals, WhileRunsUntilTheKernelSaysStop) {
  const auto flag = handle(1);
  CUgraph body = nullptr;
  condition(flag, CU_GRAPH_COND_TYPE_WHILE, 1, {}, &body);
  CUdeviceptr counter = data;
  CUgraphConditionalHandle argument = flag;
  void* params[] = {&counter, &argument};
  call(body, "count_down", params);
  EXPECT_OK(cuMemsetD32Async(data, 10, 1, stream));
  const auto exec = instantiate();
  launch(exec);
  EXPECT_EQ(value(), 0u);
  EXPECT_OK(cuMemsetD32Async(data, 3, 1, stream));
  launch(exec);
  EXPECT_EQ(value(), 0u) << "each launch begins with the default value";
}

TEST_F(Conditionals, IfElseAndSwitch) {
  const auto yes = handle(0), which = handle(0);
  CUgraphConditionalHandle if_argument = yes, switch_argument = which;
  unsigned one = 1, two = 2;
  void* if_params[] = {&if_argument, &one};
  void* switch_params[] = {&switch_argument, &two};
  const auto set_if = call(graph, "choose", if_params);
  const auto set_switch = call(graph, "choose", switch_params);
  CUgraph branches[2], cases[3];
  const auto if_node = condition(yes, CU_GRAPH_COND_TYPE_IF, 2, {set_if}, branches);
  condition(which, CU_GRAPH_COND_TYPE_SWITCH, 3, {set_switch, if_node}, cases);
  add_kernel_to(branches[0], 1);
  add_kernel_to(branches[1], 2);
  for (unsigned char i = 0; i < 3; ++i) {
    add_kernel_to(cases[i], static_cast<unsigned char>(10 * (i + 1)));
  }
  const auto exec = instantiate();
  launch(exec);
  EXPECT_EQ(value(), 31u) << "the first branch and the third case";
  one = 0;
  two = 7;
  CUDA_KERNEL_NODE_PARAMS params{};
  ASSERT_OK(cuGraphKernelNodeGetParams_v2(set_if, &params));
  params.kernelParams = if_params;
  EXPECT_OK(cuGraphExecKernelNodeSetParams_v2(exec, set_if, &params));
  params.kernelParams = switch_params;
  EXPECT_OK(cuGraphExecKernelNodeSetParams_v2(exec, set_switch, &params));
  launch(exec);
  EXPECT_EQ(value(), 33u) << "the else branch and no case";
}

TEST_F(Conditionals, Errors) {
  CUgraphConditionalHandle flag = 0;
  EXPECT_EQ(cuGraphConditionalHandleCreate(&flag, graph, context, 0, 2), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuGraphConditionalHandleCreate(nullptr, graph, context, 0, 0),
            CUDA_ERROR_INVALID_VALUE);
  flag = handle(0, 0);
  CUgraphExec exec = nullptr;
  CUDA_GRAPH_INSTANTIATE_PARAMS instantiate{};
  EXPECT_EQ(cuGraphInstantiateWithParams(&exec, graph, &instantiate), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(instantiate.result_out, CUDA_GRAPH_INSTANTIATE_CONDITIONAL_HANDLE_UNUSED);
  CUgraphNodeParams params{};
  params.type = CU_GRAPH_NODE_TYPE_CONDITIONAL;
  params.conditional = {flag, CU_GRAPH_COND_TYPE_WHILE, 2, nullptr, context};
  CUgraphNode node = nullptr;
  EXPECT_EQ(cuGraphAddNode_v2(&node, graph, nullptr, nullptr, 0, &params), CUDA_ERROR_INVALID_VALUE)
      << "a loop has one body";
  params.conditional = {flag + 1, CU_GRAPH_COND_TYPE_IF, 1, nullptr, context};
  EXPECT_EQ(cuGraphAddNode_v2(&node, graph, nullptr, nullptr, 0, &params),
            CUDA_ERROR_INVALID_VALUE);
  CUgraph body = nullptr;
  condition(flag, CU_GRAPH_COND_TYPE_IF, 1, {}, &body);
  EXPECT_EQ(cuGraphDestroy(body), CUDA_ERROR_INVALID_VALUE);
  CUgraph clone = nullptr;
  EXPECT_EQ(cuGraphClone(&clone, graph), CUDA_ERROR_NOT_SUPPORTED);
}

// A handle is valid in the graph that it was made for, and in nested bodies of any depth.
TEST_F(Conditionals, HandleOfAnOuterGraph) {
  const auto outer = handle(1), middle = handle(1), inner = handle(1);
  CUgraph bodies[2] = {};
  condition(outer, CU_GRAPH_COND_TYPE_IF, 1, {}, &bodies[0]);
  const auto whole = std::exchange(graph, bodies[0]);
  condition(middle, CU_GRAPH_COND_TYPE_WHILE, 1, {}, &bodies[1]);
  const auto own = handle(1);  // of the body itself
  CUgraphNodeParams params{};
  params.type = CU_GRAPH_NODE_TYPE_CONDITIONAL;
  params.conditional = {own, CU_GRAPH_COND_TYPE_IF, 1, nullptr, context};
  CUgraphNode node = nullptr;
  EXPECT_EQ(cuGraphAddNode_v2(&node, whole, nullptr, nullptr, 0, &params), CUDA_ERROR_INVALID_VALUE)
      << "not the other way round";
  CUgraph branch = nullptr;
  condition(own, CU_GRAPH_COND_TYPE_IF, 1, {}, &branch);
  EXPECT_EQ(cuGraphAddNode_v2(&node, graph, nullptr, nullptr, 0, &params), CUDA_ERROR_INVALID_VALUE)
      << "a handle has one node";
  graph = bodies[1];
  CUgraph branches[2] = {};
  condition(inner, CU_GRAPH_COND_TYPE_IF, 2, {}, branches);
  add_kernel_to(branches[0], 5);
  unsigned zero = 0;
  CUgraphConditionalHandle argument = middle;
  void* stop[] = {&argument, &zero};
  call(graph, "choose", stop);
  graph = whole;
  add_kernel_to(branch, 20);
  const auto exec = instantiate();
  launch(exec);
  EXPECT_EQ(value(), 25u);
  launch(exec);
  EXPECT_EQ(value(), 50u) << "each launch begins with the default values";
}

// The nodes of a body are checked when the graph is instantiated: programs build bodies that they
// never launch.
TEST_F(Conditionals, NodesThatABodyMayNotHave) {
  CUgraph body = nullptr;
  condition(handle(1), CU_GRAPH_COND_TYPE_IF, 1, {}, &body);
  CUevent event = nullptr;
  ASSERT_OK(cuEventCreate(&event, 0));
  CUgraph child = nullptr;
  ASSERT_OK(cuGraphCreate(&child, 0));
  const CUDA_HOST_NODE_PARAMS host{take_note, nullptr};
  CUgraphNode node = nullptr, within = nullptr;
  EXPECT_OK(cuGraphAddHostNode(&within, child, nullptr, 0, &host));
  using Add = std::function<CUresult(CUgraphNode*)>;
  const Add adds[] = {
      [&](CUgraphNode* out) { return cuGraphAddHostNode(out, body, nullptr, 0, &host); },
      [&](CUgraphNode* out) { return cuGraphAddEventRecordNode(out, body, nullptr, 0, event); },
      [&](CUgraphNode* out) { return cuGraphAddEventWaitNode(out, body, nullptr, 0, event); },
      [&](CUgraphNode* out) { return cuGraphAddChildGraphNode(out, body, nullptr, 0, child); },
  };
  for (const auto& add : adds) {
    EXPECT_OK(add(&node));
    CUgraphExec exec = nullptr;
    CUDA_GRAPH_INSTANTIATE_PARAMS params{};
    EXPECT_EQ(cuGraphInstantiateWithParams(&exec, graph, &params), CUDA_ERROR_NOT_SUPPORTED);
    EXPECT_EQ(params.result_out, CUDA_GRAPH_INSTANTIATE_NODE_OPERATION_NOT_SUPPORTED);
    EXPECT_NE(params.hErrNode_out, nullptr);
    char log[200] = "";
    EXPECT_EQ(cuGraphInstantiate_v2(&exec, graph, nullptr, log, sizeof log),
              CUDA_ERROR_NOT_SUPPORTED);
    EXPECT_THAT(log, testing::HasSubstr("body of a conditional node"));
    EXPECT_OK(cuGraphDestroyNode(node));
  }
  const auto exec = instantiate();
  launch(exec);
}

// The grid of a kernel node may be empty at first; a launch needs a grid that is not empty, as
// cuLaunchKernel does.
TEST_F(Graphs, GridThatIsEmptyUntilTheLaunch) {
  const auto node = add_kernel(3);
  CUDA_KERNEL_NODE_PARAMS params{};
  ASSERT_OK(cuGraphKernelNodeGetParams_v2(node, &params));
  const unsigned grid = params.gridDimX;
  for (unsigned* const dim : {&params.gridDimX, &params.gridDimY, &params.gridDimZ}) {
    const unsigned before = std::exchange(*dim, 0);
    CUgraphNode other = nullptr;
    EXPECT_OK(cuGraphAddKernelNode_v2(&other, graph, nullptr, 0, &params));
    EXPECT_OK(cuGraphDestroyNode(other));
    *dim = before;
  }
  params.gridDimX = 0;
  EXPECT_OK(cuGraphKernelNodeSetParams_v2(node, &params));
  ASSERT_OK(cuGraphKernelNodeGetParams_v2(node, &params));  // its arguments are elsewhere now
  EXPECT_EQ(params.gridDimX, 0u);
  const auto exec = instantiate();
  EXPECT_EQ(cuGraphLaunch(exec, stream), CUDA_ERROR_INVALID_VALUE);
  EXPECT_OK(cuGraphNodeSetEnabled(exec, node, 0));
  EXPECT_OK(cuGraphLaunch(exec, stream)) << "it is not run";
  EXPECT_OK(cuGraphNodeSetEnabled(exec, node, 1));
  params.gridDimX = grid;
  EXPECT_OK(cuGraphExecKernelNodeSetParams_v2(exec, node, &params));
  launch(exec);
  EXPECT_EQ(value(), 3u);
  params.blockDimX = 0;
  EXPECT_EQ(cuGraphExecKernelNodeSetParams_v2(exec, node, &params), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuLaunchKernel(params.func, 0, 1, 1, 1, 1, 1, 0, stream, params.kernelParams, nullptr),
            CUDA_ERROR_INVALID_VALUE);
}

TEST_F(Graphs, UserObjects) {
  static std::atomic<int> destroyed;
  destroyed = 0;
  const auto count = [](void*) { ++destroyed; };
  CUuserObject object = nullptr;
  EXPECT_EQ(cuUserObjectCreate(&object, nullptr, count, 1, 0), CUDA_ERROR_INVALID_VALUE);
  ASSERT_OK(cuUserObjectCreate(&object, nullptr, count, 2, CU_USER_OBJECT_NO_DESTRUCTOR_SYNC));
  EXPECT_OK(cuGraphRetainUserObject(graph, object, 1, CU_GRAPH_USER_OBJECT_MOVE));
  EXPECT_EQ(cuUserObjectRelease(object, 0), CUDA_ERROR_INVALID_VALUE);
  EXPECT_OK(cuUserObjectRelease(object, 1));
  const auto exec = instantiate();
  EXPECT_OK(cuGraphDestroy(graph));
  graph = nullptr;
  EXPECT_EQ(destroyed, 0) << "the executable graph has it too";
  launch(exec);
  EXPECT_OK(cuGraphExecDestroy(exec));
  for (int i = 0; i < 1000 && !destroyed; ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
  }
  EXPECT_EQ(destroyed, 1);
  EXPECT_EQ(cuUserObjectRetain(object, 1), CUDA_ERROR_INVALID_VALUE);
}

TEST_F(Graphs, DotText) {
  add_kernel(1, {add_empty()});
  const std::string path = testing::TempDir() + "/heddle_graph.dot";
  ASSERT_OK(cuGraphDebugDotPrint(graph, path.c_str(), CU_GRAPH_DEBUG_DOT_FLAGS_VERBOSE));
  std::ifstream file(path);
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  EXPECT_THAT(text, testing::AllOf(HasSubstr("digraph"), HasSubstr("add_to"), HasSubstr("EMPTY"),
                                   HasSubstr("->"), HasSubstr("32x1x1")));
  EXPECT_EQ(cuGraphDebugDotPrint(graph, "/no/such/folder/x.dot", 0), CUDA_ERROR_OPERATING_SYSTEM);
  EXPECT_EQ(cuGraphDebugDotPrint(graph, nullptr, 0), CUDA_ERROR_INVALID_VALUE);
}

// The names of cuGraphDebugDotPrint, which are unique for all graphs and nodes.
TEST_F(Graphs, Ids) {
  const CUgraphNode first = add_empty(), second = add_empty();
  unsigned graph_id = 0, clone_id = 0, exec_id = 0, first_id = 7, second_id = 7, cloned_id = 7;
  unsigned long long first_tool = 0, second_tool = 0;
  ASSERT_OK(cuGraphGetId(graph, &graph_id));
  EXPECT_OK(cuGraphNodeGetLocalId(first, &first_id));
  EXPECT_OK(cuGraphNodeGetLocalId(second, &second_id));
  EXPECT_NE(first_id, second_id);
  EXPECT_OK(cuGraphNodeGetToolsId(first, &first_tool));
  EXPECT_OK(cuGraphNodeGetToolsId(second, &second_tool));
  EXPECT_NE(first_tool, second_tool);
  const std::string path = testing::TempDir() + "/heddle_graph_ids.dot";
  ASSERT_OK(cuGraphDebugDotPrint(graph, path.c_str(), 0));
  std::ifstream file(path);
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  for (const unsigned id : {first_id, second_id}) {
    EXPECT_THAT(text,
                HasSubstr("graph_" + std::to_string(graph_id) + "_node_" + std::to_string(id)));
  }

  CUgraph clone = nullptr, found = nullptr;
  CUgraphNode cloned = nullptr;
  ASSERT_OK(cuGraphClone(&clone, graph));
  ASSERT_OK(cuGraphNodeFindInClone(&cloned, first, clone));
  EXPECT_OK(cuGraphGetId(clone, &clone_id));
  EXPECT_NE(clone_id, graph_id);
  EXPECT_OK(cuGraphNodeGetLocalId(cloned, &cloned_id));
  EXPECT_EQ(cloned_id, first_id);
  EXPECT_OK(cuGraphNodeGetContainingGraph(cloned, &found));
  EXPECT_EQ(found, clone);
  EXPECT_OK(cuGraphNodeGetContainingGraph(first, &found));
  EXPECT_EQ(found, graph);

  const auto exec = instantiate();
  EXPECT_OK(cuGraphExecGetId(exec, &exec_id));
  EXPECT_NE(exec_id, graph_id);
  EXPECT_NE(exec_id, clone_id);
  EXPECT_OK(cuGraphDestroy(clone));
  EXPECT_EQ(cuGraphGetId(clone, &clone_id), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuGraphGetId(graph, nullptr), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuGraphExecGetId(nullptr, &exec_id), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuGraphNodeGetLocalId(cloned, &cloned_id), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuGraphNodeGetToolsId(first, nullptr), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuGraphNodeGetContainingGraph(cloned, &found), CUDA_ERROR_INVALID_VALUE);
}

TEST_F(Graphs, FreedMemoryIsAFaultAndNoCrash) {
  CUdeviceptr gone = 0;
  ASSERT_OK(cuMemAlloc_v2(&gone, 1 << 20));
  CUDA_MEMSET_NODE_PARAMS set{gone, 0, 1, 4, 1 << 18, 1};
  CUgraphNode node = nullptr;
  ASSERT_OK(cuGraphAddMemsetNode(&node, graph, nullptr, 0, &set, context));
  const auto exec = instantiate();
  EXPECT_OK(cuMemFree_v2(gone));
  testing::internal::CaptureStderr();
  EXPECT_OK(cuGraphLaunch(exec, stream));
  EXPECT_EQ(cuStreamSynchronize(stream), CUDA_ERROR_ILLEGAL_ADDRESS);
  EXPECT_THAT(testing::internal::GetCapturedStderr(), HasSubstr("freed"));
}

TEST_F(Graphs, NodesOfADestroyedContextDoNotLaunch) {
  CUcontext other = nullptr;
  CUdeviceptr memory = 0;
  ASSERT_OK(cuCtxCreate_v2(&other, 0, device));
  ASSERT_OK(cuMemAlloc_v2(&memory, 64));
  CUDA_MEMSET_NODE_PARAMS set{memory, 0, 1, 4, 16, 1};
  CUgraphNode node = nullptr;
  ASSERT_OK(cuGraphAddMemsetNode(&node, graph, nullptr, 0, &set, other));
  const auto exec = instantiate();
  ASSERT_OK(cuCtxDestroy_v2(other));
  EXPECT_EQ(cuGraphLaunch(exec, stream), CUDA_ERROR_CONTEXT_IS_DESTROYED);
}

// A fault in a graph is an error of the context, as in a stream.
TEST_F(Graphs, TrapEndsTheContext) {
  CUDA_KERNEL_NODE_PARAMS node{};
  ASSERT_OK(cuModuleGetFunction(&node.func, module, "stop"));
  node.gridDimX = node.gridDimY = node.gridDimZ = 1;
  node.blockDimX = node.blockDimY = node.blockDimZ = 1;
  CUgraphNode stop = nullptr;
  ASSERT_OK(cuGraphAddKernelNode_v2(&stop, graph, nullptr, 0, &node));
  add_kernel(1, {stop});
  const auto exec = instantiate();
  testing::internal::CaptureStderr();
  EXPECT_OK(cuGraphLaunch(exec, stream));
  EXPECT_EQ(cuStreamSynchronize(stream), CUDA_ERROR_LAUNCH_FAILED);
  EXPECT_THAT(testing::internal::GetCapturedStderr(), HasSubstr("stop"));
  EXPECT_EQ(cuGraphLaunch(exec, stream), CUDA_ERROR_LAUNCH_FAILED);
}

}  // namespace
