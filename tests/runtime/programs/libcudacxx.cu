// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The C++ library of the toolkit on the device: atomics of every scope, barriers, asynchronous
// copies.
//
// compiler: nvcc
// nvcc: -std=c++17 -gencode arch=compute_90,code=compute_90
// expect: atomic 1024, barrier 1, pipeline 2016, semaphore 64
#include <cooperative_groups.h>

#include <cstdio>
#include <cuda/atomic>
#include <cuda/barrier>
#include <cuda/pipeline>
#include <cuda/semaphore>

__device__ cuda::atomic<int, cuda::thread_scope_device> counter;

__global__ void count(int* out) {
  if (counter.fetch_add(1, cuda::memory_order_acq_rel) == gridDim.x * blockDim.x - 1) {
    *out = counter.load();
  }
}

__global__ void reverse(int* data, int* right) {
  __shared__ int copy[128];
  __shared__ cuda::barrier<cuda::thread_scope_block> barrier;
  if (threadIdx.x == 0) init(&barrier, blockDim.x);
  __syncthreads();
  copy[threadIdx.x] = data[threadIdx.x];
  barrier.arrive_and_wait();
  if (copy[127 - threadIdx.x] == 127 - static_cast<int>(threadIdx.x)) atomicAdd(right, 1);
}

__global__ void staged(const int* data, int* out) {
  __shared__ int stage[64];
  __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, 1> state;
  const auto block = cooperative_groups::this_thread_block();
  auto pipeline = cuda::make_pipeline(block, &state);
  pipeline.producer_acquire();
  cuda::memcpy_async(block, stage, data, sizeof stage, pipeline);
  pipeline.producer_commit();
  pipeline.consumer_wait();
  atomicAdd(out, stage[threadIdx.x]);
  pipeline.consumer_release();
}

__device__ cuda::binary_semaphore<cuda::thread_scope_device> semaphore(1);

__global__ void one_at_a_time(int* value) {
  semaphore.acquire();
  *value = *value + 1;
  semaphore.release();
}

int main() {
  int *data, *out;
  cudaMallocManaged(&data, 128 * sizeof(int));
  cudaMallocManaged(&out, 4 * sizeof(int));
  for (int i = 0; i < 128; ++i) data[i] = i;
  for (int i = 0; i < 4; ++i) out[i] = 0;
  count<<<8, 128>>>(out);
  reverse<<<1, 128>>>(data, out + 1);
  staged<<<1, 64>>>(data, out + 2);
  one_at_a_time<<<2, 32>>>(out + 3);
  const cudaError_t error = cudaDeviceSynchronize();
  if (error) std::printf("%s\n", cudaGetErrorString(error));
  std::printf("atomic %d, barrier %d, pipeline %d, semaphore %d\n", out[0], out[1] == 128, out[2],
              out[3]);
}
