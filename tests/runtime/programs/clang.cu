// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Templates, shared memory, device and constant variables, compiled and registered by clang.
//
// compiler: clang
// expect: sums 10.5 19.5, counted 10, scaled 6
// expect: no error
#include <cstdio>

#include "cuda_like.h"

__device__ int counted;
__constant__ int scale = 1;

template <class T>
__global__ void add(T* data, T value, int n) {
  __shared__ T copy[8];
  const unsigned i = global_thread(), t = __nvvm_read_ptx_sreg_tid_x();
  if (static_cast<int>(i) >= n) return;
  copy[t] = data[i];
  data[i] = copy[t] + value;
  __nvvm_atom_add_gen_i(&counted, 1);
}

__global__ void multiply(int* value) { *value *= scale; }

int main() {
  float host[10];
  for (int i = 0; i < 10; ++i) host[i] = static_cast<float>(i);
  void* data = nullptr;
  cudaMalloc(&data, sizeof host);
  cudaMemcpy(data, host, sizeof host, cudaMemcpyHostToDevice);
  add<<<2, 8>>>(static_cast<float*>(data), 10.5f, 10);
  cudaMemcpy(host, data, sizeof host, cudaMemcpyDeviceToHost);
  int count = -1, value = 2, three = 3;
  cudaMemcpyFromSymbol(&count, &counted, 4, 0, cudaMemcpyDeviceToHost);
  cudaMemcpyToSymbol(&scale, &three, 4, 0, cudaMemcpyHostToDevice);
  cudaMemcpy(data, &value, 4, cudaMemcpyHostToDevice);
  multiply<<<1, 1>>>(static_cast<int*>(data));
  cudaMemcpy(&value, data, 4, cudaMemcpyDeviceToHost);
  std::printf("sums %g %g, counted %d, scaled %d\n", host[0], host[9], count, value);
  std::printf("%s\n", cudaGetErrorString(cudaGetLastError()));
  cudaFree(data);
}
