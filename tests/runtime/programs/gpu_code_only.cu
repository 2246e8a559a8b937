// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A program without PTX cannot run; the message names the compiler option.
//
// compiler: nvcc
// nvcc: -gencode arch=compute_90,code=sm_90
// error: nvcc -gencode arch=compute_75,code=compute_75
// expect: cudaErrorNoKernelImageForDevice
#include <cstdio>

__global__ void nothing() {}

int main() {
  nothing<<<1, 1>>>();
  std::printf("%s\n", cudaGetErrorName(cudaGetLastError()));
}
