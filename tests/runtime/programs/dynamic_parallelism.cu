// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Kernels that launch kernels do not run; the launch says why.
//
// compiler: nvcc
// nvcc: -rdc=true
// error: kernels that launch kernels need NVIDIA's device run-time library
// expect: cudaErrorInvalidPtx
#include <cstdio>

__global__ void child() {}
__global__ void parent() { child<<<1, 1>>>(); }

int main() {
  parent<<<1, 1>>>();
  std::printf("%s\n", cudaGetErrorName(cudaGetLastError()));
}
