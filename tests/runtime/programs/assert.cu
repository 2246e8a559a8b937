// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// assert in a kernel: the message, and the error that the next call gets.
//
// compiler: nvcc
// error: Assertion `value < 3` failed
// expect: cudaErrorAssert
// expect: cudaErrorAssert
#include <cassert>
#include <cstdio>

__global__ void check(int limit) {
  const int value = threadIdx.x;
  if (value < limit) assert(value < 3);
}

int main() {
  check<<<1, 32>>>(3);
  if (cudaDeviceSynchronize() != cudaSuccess) return 1;
  check<<<1, 32>>>(4);
  std::printf("%s\n", cudaGetErrorName(cudaDeviceSynchronize()));
  void* memory = nullptr;
  std::printf("%s\n", cudaGetErrorName(cudaMalloc(&memory, 4)));
}
