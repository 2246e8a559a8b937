// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Separate compilation: a kernel here, functions and variables of the device in another file.
//
// compiler: nvcc
// nvcc: -rdc=true
// with: rdc_other.cu
// expect: 42 7 8
#include <cstdio>

extern __device__ int other_variable;
extern __device__ int other_function(int x);
int other_host();

__global__ void call(int* out) {
  out[0] = other_function(20);
  out[1] = other_variable;
}

int main() {
  int* out = nullptr;
  cudaMallocManaged(&out, 2 * sizeof(int));
  call<<<1, 1>>>(out);
  if (cudaDeviceSynchronize() != cudaSuccess) return 1;
  std::printf("%d %d %d\n", out[0], out[1], other_host());
}
