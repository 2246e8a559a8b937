// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Graphs: captured from a stream, and built node by node.
//
// compiler: nvcc clang-cuda
// nvcc: -std=c++17
// expect: captured: 3 nodes, 30
// expect: built: 45
// expect: updated: 105
#include <cstdio>

#define CHECK(call)                                                    \
  if (cudaError_t error = (call)) {                                    \
    std::printf("line %d: %s\n", __LINE__, cudaGetErrorString(error)); \
    return 1;                                                          \
  }

__global__ void add(int* value, int n) { *value += n; }

int main() {
  cudaStream_t stream;
  cudaGraph_t graph;
  cudaGraphExec_t instance;
  int *value, host = 0;
  size_t nodes = 0;
  CHECK(cudaStreamCreate(&stream));
  CHECK(cudaMalloc(&value, sizeof *value));
  CHECK(cudaMemset(value, 0, sizeof *value));

  CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
  add<<<1, 1, 0, stream>>>(value, 4);
  add<<<1, 1, 0, stream>>>(value, 6);
  CHECK(cudaMemcpyAsync(&host, value, sizeof host, cudaMemcpyDeviceToHost, stream));
  CHECK(cudaStreamEndCapture(stream, &graph));
  CHECK(cudaGraphGetNodes(graph, nullptr, &nodes));
  CHECK(cudaGraphInstantiate(&instance, graph, 0));
  for (int i = 0; i < 3; ++i) CHECK(cudaGraphLaunch(instance, stream));
  CHECK(cudaStreamSynchronize(stream));
  std::printf("captured: %zu nodes, %d\n", nodes, host);
  CHECK(cudaGraphExecDestroy(instance));
  CHECK(cudaGraphDestroy(graph));

  CHECK(cudaGraphCreate(&graph, 0));
  cudaGraphNode_t kernel, copy;
  int n = 15;
  void* arguments[] = {&value, &n};
  cudaKernelNodeParams parameters = {};
  parameters.func = reinterpret_cast<void*>(add);
  parameters.gridDim = parameters.blockDim = dim3(1);
  parameters.kernelParams = arguments;
  CHECK(cudaGraphAddKernelNode(&kernel, graph, nullptr, 0, &parameters));
  CHECK(cudaGraphAddMemcpyNode1D(&copy, graph, &kernel, 1, &host, value, sizeof host,
                                 cudaMemcpyDeviceToHost));
  CHECK(cudaGraphInstantiate(&instance, graph, 0));
  CHECK(cudaGraphLaunch(instance, stream));
  CHECK(cudaStreamSynchronize(stream));
  std::printf("built: %d\n", host);
  n = 60;
  CHECK(cudaGraphExecKernelNodeSetParams(instance, kernel, &parameters));
  CHECK(cudaGraphLaunch(instance, stream));
  CHECK(cudaStreamSynchronize(stream));
  std::printf("updated: %d\n", host);
}
