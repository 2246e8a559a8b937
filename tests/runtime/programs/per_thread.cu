// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Each thread has a default stream of its own: nvcc calls the _ptsz functions.
//
// compiler: nvcc
// nvcc: -default-stream per-thread -std=c++17
// expect: 4 threads, 0 wrong
#include <cstdio>
#include <thread>
#include <vector>

__global__ void fill(int* data, int value) { data[threadIdx.x] = value; }

int main() {
  int wrong[4] = {1, 1, 1, 1};
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([t, &wrong] {
      int *data = nullptr, host[64] = {};
      cudaMalloc(&data, sizeof host);
      for (int round = 0; round < 20; ++round) fill<<<1, 64>>>(data, 100 * t + round);
      cudaMemcpyAsync(host, data, sizeof host, cudaMemcpyDeviceToHost, 0);
      cudaStreamSynchronize(0);
      wrong[t] = 0;
      for (int value : host) wrong[t] += value != 100 * t + 19;
      cudaFree(data);
    });
  }
  for (auto& thread : threads) thread.join();
  std::printf("4 threads, %d wrong\n", wrong[0] + wrong[1] + wrong[2] + wrong[3]);
}
