// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Two devices: peer access, copies between them, variables and streams of each, one managed
// variable for both.
//
// compiler: nvcc
// env: HEDDLE_DEVICES=2
// expect: devices 2, peer 1
// expect: device 0: 1000, variable 10
// expect: device 1: 2000, variable 20
// expect: over 3000, back 3000, managed 3
#include <cstdio>

#define CHECK(call)                                                    \
  if (cudaError_t error = (call)) {                                    \
    std::printf("line %d: %s\n", __LINE__, cudaGetErrorString(error)); \
    return 1;                                                          \
  }

__device__ int variable;
__managed__ int managed;

__global__ void work(int* out, int device) {
  variable = 10 * (device + 1);
  *out = 1000 * (device + 1);
  atomicAdd_system(&managed, device + 1);
}

__global__ void add(int* mine, const int* other) { *mine += *other; }

int main() {
  int count = 0, possible = 0;
  CHECK(cudaGetDeviceCount(&count));
  CHECK(cudaDeviceCanAccessPeer(&possible, 0, 1));
  std::printf("devices %d, peer %d\n", count, possible);
  int* data[2];
  cudaStream_t streams[2];
  managed = 0;
  for (int device = 0; device < 2; ++device) {
    CHECK(cudaSetDevice(device));
    CHECK(cudaStreamCreate(&streams[device]));
    CHECK(cudaMalloc(&data[device], 2 * sizeof(int)));
    work<<<1, 1, 0, streams[device]>>>(data[device], device);
    CHECK(cudaGetLastError());
  }
  for (int device = 0; device < 2; ++device) {
    int value = 0, found = 0;
    CHECK(cudaSetDevice(device));
    CHECK(cudaStreamSynchronize(streams[device]));
    CHECK(cudaMemcpy(&value, data[device], sizeof value, cudaMemcpyDefault));
    CHECK(cudaMemcpyFromSymbol(&found, variable, sizeof found));
    std::printf("device %d: %d, variable %d\n", device, value, found);
  }
  CHECK(cudaSetDevice(0));
  CHECK(cudaDeviceEnablePeerAccess(1, 0));
  add<<<1, 1>>>(data[0], data[1]);
  CHECK(cudaMemcpyPeer(data[1] + 1, 1, data[0], 0, sizeof(int)));
  int over = 0, back = 0;
  CHECK(cudaMemcpy(&over, data[0], sizeof over, cudaMemcpyDeviceToHost));
  CHECK(cudaMemcpy(&back, data[1] + 1, sizeof back, cudaMemcpyDeviceToHost));
  CHECK(cudaDeviceSynchronize());
  std::printf("over %d, back %d, managed %d\n", over, back, managed);
}
