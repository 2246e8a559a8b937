// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Asynchronous work: streams, events, callbacks, pinned memory, pools, stream order.
//
// compiler: nvcc clang-cuda
// expect: callback: no error
// expect: host function
// expect: sum 523776, in order 1, time 1
#include <cstdio>

#define CHECK(call)                                                    \
  if (cudaError_t error = (call)) {                                    \
    std::printf("line %d: %s\n", __LINE__, cudaGetErrorString(error)); \
    return 1;                                                          \
  }

__global__ void iota(int* data) {
  data[blockIdx.x * blockDim.x + threadIdx.x] = blockIdx.x * blockDim.x + threadIdx.x;
}
__global__ void sum(const int* data, int* out) {
  __shared__ int total;
  if (threadIdx.x == 0) total = 0;
  __syncthreads();
  atomicAdd(&total, data[threadIdx.x]);
  __syncthreads();
  if (threadIdx.x == 0) *out = total;
}

int main() {
  cudaStream_t first, second;
  cudaEvent_t ready, start, end;
  CHECK(cudaStreamCreate(&first));
  CHECK(cudaStreamCreateWithFlags(&second, cudaStreamNonBlocking));
  CHECK(cudaEventCreateWithFlags(&ready, cudaEventDisableTiming));
  CHECK(cudaEventCreate(&start));
  CHECK(cudaEventCreate(&end));
  int *data, *pinned;
  CHECK(cudaMallocAsync(&data, 1025 * sizeof(int), first));
  CHECK(cudaMallocHost(&pinned, sizeof(int)));
  CHECK(cudaEventRecord(start, first));
  iota<<<4, 256, 0, first>>>(data);
  CHECK(cudaEventRecord(ready, first));
  CHECK(cudaStreamWaitEvent(second, ready));
  sum<<<1, 1024, 0, second>>>(data, data + 1024);
  CHECK(cudaMemcpyAsync(pinned, data + 1024, sizeof(int), cudaMemcpyDefault, second));
  CHECK(cudaStreamAddCallback(
      second,
      [](cudaStream_t, cudaError_t status, void*) {
        std::printf("callback: %s\n", cudaGetErrorString(status));
      },
      nullptr, 0));
  CHECK(cudaLaunchHostFunc(second, [](void*) { std::printf("host function\n"); }, nullptr));
  CHECK(cudaStreamSynchronize(second));
  CHECK(cudaEventRecord(end, first));
  CHECK(cudaEventSynchronize(end));
  float milliseconds = -1;
  CHECK(cudaEventElapsedTime(&milliseconds, start, end));
  CHECK(cudaFreeAsync(data, first));
  CHECK(cudaDeviceSynchronize());
  std::printf("sum %d, in order %d, time %d\n", *pinned, cudaEventQuery(ready) == cudaSuccess,
              milliseconds >= 0);
  CHECK(cudaFreeHost(pinned));
}
