// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// CUB: device-wide radix sort, scan, reduce, histogram, select.
//
// compiler: nvcc
// nvcc: -std=c++17
// expect: sort 1, scan 1, sum 4999950000, histogram 1, selected 50000
#include <cub/cub.cuh>

#include <algorithm>
#include <cstdio>
#include <vector>

#define CHECK(call)                                                    \
  if (cudaError_t error = (call)) {                                    \
    std::printf("line %d: %s\n", __LINE__, cudaGetErrorString(error)); \
    return 1;                                                          \
  }

struct IsEven {
  __device__ bool operator()(unsigned x) const { return x % 2 == 0; }
};

template <class Call>
cudaError_t with_storage(Call call) {
  size_t bytes = 0;
  void* storage = nullptr;
  if (cudaError_t error = call(storage, bytes)) return error;
  if (cudaError_t error = cudaMalloc(&storage, bytes)) return error;
  if (cudaError_t error = call(storage, bytes)) return error;
  return cudaFree(storage);
}

int main() {
  const int n = 100000;
  std::vector<unsigned> host(n);
  for (int i = 0; i < n; ++i) host[i] = static_cast<unsigned>((i * 7919ll) % n);
  unsigned *in, *out, *counts;
  unsigned long long* total;
  CHECK(cudaMalloc(&in, n * sizeof *in));
  CHECK(cudaMalloc(&out, n * sizeof *out));
  CHECK(cudaMallocManaged(&counts, 16 * sizeof *counts));
  CHECK(cudaMallocManaged(&total, sizeof *total));
  CHECK(cudaMemcpy(in, host.data(), n * sizeof *in, cudaMemcpyHostToDevice));
  std::vector<unsigned> back(n);
  const auto fetch = [&] {
    return cudaMemcpy(back.data(), out, n * sizeof *out, cudaMemcpyDefault);
  };

  CHECK(with_storage([&](void* storage, size_t& bytes) {
    return cub::DeviceRadixSort::SortKeys(storage, bytes, in, out, n);
  }));
  CHECK(fetch());
  bool sorted = true;
  for (int i = 0; i < n; ++i) sorted &= back[i] == static_cast<unsigned>(i);

  CHECK(with_storage([&](void* storage, size_t& bytes) {
    return cub::DeviceScan::ExclusiveSum(storage, bytes, in, out, n);
  }));
  CHECK(fetch());
  bool scanned = true;
  unsigned sum = 0;
  for (int i = 0; i < n; ++i) {
    scanned &= back[i] == sum;
    sum += host[i];
  }

  CHECK(with_storage([&](void* storage, size_t& bytes) {
    return cub::DeviceReduce::Reduce(storage, bytes, in, total, n, cuda::std::plus<>{}, 0ull);
  }));
  CHECK(cudaDeviceSynchronize());
  const unsigned long long reduced = *total;

  CHECK(with_storage([&](void* storage, size_t& bytes) {
    return cub::DeviceHistogram::HistogramEven(storage, bytes, in, counts, 11, 0u, 100000u, n);
  }));
  CHECK(cudaDeviceSynchronize());
  bool even = true;
  for (int i = 0; i < 10; ++i) even &= counts[i] == 10000;

  CHECK(with_storage([&](void* storage, size_t& bytes) {
    return cub::DeviceSelect::If(storage, bytes, in, out, counts, n, IsEven());
  }));
  CHECK(cudaDeviceSynchronize());
  std::printf("sort %d, scan %d, sum %llu, histogram %d, selected %u\n", sorted, scanned, reduced,
              even, counts[0]);
}
