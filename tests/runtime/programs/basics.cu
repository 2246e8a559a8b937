// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Features that most programs use: templates, symbols, managed and constant memory, printf;
// compiled with nvcc's defaults, with GPU code for one GPU and PTX.
//
// compiler: nvcc
// nvcc: -arch=sm_75
// expect: from the kernel: 0
// expect: from the kernel: 1
// expect: 8 11 14 17, managed 8, variable 3, Heddle's device 1
// expect: kernel max_int ptx 75
#include <cstdio>
#include <cstring>

#define CHECK(call)                                                    \
  if (cudaError_t error = (call)) {                                    \
    std::printf("line %d: %s\n", __LINE__, cudaGetErrorString(error)); \
    return 1;                                                          \
  }

__device__ int variable = 3;
__constant__ float factors[2] = {2, 3};
__managed__ int managed = 7;

template <class T>
__global__ void transform(T* data, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) data[i] = data[i] * factors[1] + variable + managed - 2;
}

__global__ void hello() { printf("from the kernel: %d\n", threadIdx.x); }

template <class T>
__global__ void max_int(T* data) {
  atomicMax(data, 5);
}

int main() {
  const int n = 1000;
  float* data = nullptr;
  CHECK(cudaMallocManaged(&data, n * sizeof(float)));
  for (int i = 0; i < n; ++i) data[i] = static_cast<float>(i);
  managed = 7;
  transform<<<(n + 255) / 256, 256>>>(data, n);
  CHECK(cudaGetLastError());
  hello<<<1, 2>>>();
  CHECK(cudaDeviceSynchronize());
  managed++;
  int from_symbol = 0;
  CHECK(cudaMemcpyFromSymbol(&from_symbol, variable, sizeof from_symbol));
  cudaDeviceProp properties;
  CHECK(cudaGetDeviceProperties(&properties, 0));
  std::printf("%g %g %g %g, managed %d, variable %d, Heddle's device %d\n", data[0], data[1],
              data[2], data[3], managed, from_symbol, properties.warpSize == 32);
  cudaFuncAttributes attributes;
  CHECK(cudaFuncGetAttributes(&attributes, max_int<int>));
  int blocks = 0;
  CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, max_int<int>, 128, 0));
  std::printf("kernel max_int ptx %d\n", blocks > 0 ? attributes.ptxVersion : 0);
  CHECK(cudaFree(data));
}
