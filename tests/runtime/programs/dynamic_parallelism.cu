// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Kernels that launch kernels, with all features of the programming guide: streams of the device,
// the tail stream, fire and forget, events, copies, errors, recursion. NVIDIA's library for it is
// linked, but not used.
//
// compiler: nvcc
// nvcc: -rdc=true -lcudadevrt
// expect: recursion 63 of 63
// expect: order 1 2 3 4
// expect: refused invalid configuration, then none
// expect: limits 1 1 1
// expect: sum 6300
// expect: no error
#include <cstdio>

__global__ void add(int* p, int v) { atomicAdd(p + threadIdx.x + blockIdx.x * blockDim.x, v); }

__global__ void tree(int* count, int depth) {
  atomicAdd(count, 1);
  if (depth == 0) return;
  tree<<<1, 1>>>(count, depth - 1);
  tree<<<1, 1, 0, cudaStreamFireAndForget>>>(count, depth - 1);
}

__global__ void come(int* order, int slot) { order[slot] = atomicAdd(order, 1) + 1; }

__global__ void streams(int* order) {
  come<<<1, 1, 0, cudaStreamTailLaunch>>>(order, 4);
  cudaStream_t a, b;
  cudaStreamCreateWithFlags(&a, cudaStreamNonBlocking);
  cudaStreamCreateWithFlags(&b, cudaStreamNonBlocking);
  cudaEvent_t done;
  cudaEventCreateWithFlags(&done, cudaEventDisableTiming);
  come<<<1, 1, 0, a>>>(order, 1);
  cudaEventRecord(done, a);
  cudaStreamWaitEvent(b, done, 0);
  come<<<1, 1, 0, b>>>(order, 2);
  cudaEventRecord(done, b);
  cudaStreamWaitEvent(nullptr, done, 0);
  come<<<1, 1>>>(order, 3);
  cudaEventDestroy(done);
  cudaStreamDestroy(a);
  cudaStreamDestroy(b);
}

__global__ void refused(int* p) {
  add<<<1, 4096>>>(p, 1);
  const cudaError_t first = cudaGetLastError(), second = cudaGetLastError();
  std::printf("refused %s, then %s\n",
              first == cudaErrorInvalidConfiguration ? "invalid configuration" : "?",
              second == cudaSuccess ? "none" : "?");
}

__global__ void limits() {
  int device = -1, threads = 0, blocks = 0;
  cudaGetDevice(&device);
  cudaDeviceGetAttribute(&threads, cudaDevAttrMaxThreadsPerBlock, device);
  cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, add, 128, 0);
  std::printf("limits %d %d %d\n", device == 0, threads == 1024, blocks > 0);
}

// Each of 100 threads allocates memory from the device's heap and has a child fill it; a tail
// launch adds it up.
__global__ void sum(int* total, int** parts) {
  for (int i = 0; i < 100; ++i) atomicAdd(total, parts[i][0] + parts[i][63]);
}
__global__ void fill(int* total, int** parts) {
  int* mine;
  if (cudaMalloc(reinterpret_cast<void**>(&mine), 64 * sizeof(int)) != cudaSuccess) return;
  parts[threadIdx.x] = mine;
  cudaMemsetAsync(mine, 0, 64 * sizeof(int), nullptr);
  add<<<2, 32>>>(mine, threadIdx.x % 2 ? 31 : 32);
  if (threadIdx.x == 0) sum<<<1, 1, 0, cudaStreamTailLaunch>>>(total, parts);
}

int main() {
  int* memory;
  cudaMallocManaged(&memory, 4096);
  int* order = memory + 16;
  tree<<<1, 1>>>(memory, 5);
  streams<<<1, 1>>>(order);
  cudaDeviceSynchronize();
  std::printf("recursion %d of 63\n", memory[0]);
  std::printf("order %d %d %d %d\n", order[1], order[2], order[3], order[4]);
  refused<<<1, 1>>>(memory);
  cudaDeviceSynchronize();
  limits<<<1, 1>>>();
  cudaDeviceSynchronize();
  fill<<<1, 100>>>(memory + 32, reinterpret_cast<int**>(memory + 64));
  cudaDeviceSynchronize();
  std::printf("sum %d\n", memory[32]);
  std::printf("%s\n", cudaGetErrorString(cudaGetLastError()));
}
