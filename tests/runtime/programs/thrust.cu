// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Thrust: sort, scan, reduce, transform, by key and with iterators that are computed.
//
// compiler: nvcc
// nvcc: -std=c++17 --extended-lambda
// expect: sorted 1, scan 1, sum 5000050000, largest 100000
// expect: by key 1, unique 101
#include <thrust/device_vector.h>
#include <thrust/host_vector.h>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/reduce.h>
#include <thrust/scan.h>
#include <thrust/sequence.h>
#include <thrust/sort.h>
#include <thrust/transform.h>
#include <thrust/unique.h>

#include <cstdio>

struct Mix {
  __host__ __device__ unsigned operator()(unsigned i) const { return i * 2654435761u; }
};

int main() {
  const int n = 100000;
  thrust::device_vector<unsigned> keys(n);
  thrust::transform(thrust::counting_iterator<unsigned>(0), thrust::counting_iterator<unsigned>(n),
                    keys.begin(), Mix());
  thrust::sort(keys.begin(), keys.end());
  const bool sorted = thrust::is_sorted(keys.begin(), keys.end());
  thrust::device_vector<long long> numbers(n), sums(n);
  thrust::sequence(numbers.begin(), numbers.end(), 1);
  thrust::inclusive_scan(numbers.begin(), numbers.end(), sums.begin());
  const thrust::host_vector<long long> host = sums;
  bool right = true;
  for (long long i = 0; i < n; ++i) right &= host[i] == (i + 1) * (i + 2) / 2;
  std::printf("sorted %d, scan %d, sum %lld, largest %lld\n", sorted, right,
              thrust::reduce(numbers.begin(), numbers.end()),
              thrust::reduce(numbers.begin(), numbers.end(), 0ll, thrust::maximum<long long>()));
  thrust::device_vector<int> small(n), place(n);
  thrust::transform(thrust::counting_iterator<int>(0), thrust::counting_iterator<int>(n),
                    small.begin(), [] __host__ __device__(int i) { return (i * 7) % 101; });
  thrust::sequence(place.begin(), place.end());
  thrust::stable_sort_by_key(small.begin(), small.end(), place.begin());
  const thrust::host_vector<int> keys_host = small, places = place;
  bool stable = true;
  for (int i = 1; i < n; ++i) {
    stable &= keys_host[i - 1] < keys_host[i] ||
              (keys_host[i - 1] == keys_host[i] && places[i - 1] < places[i]);
  }
  const auto end = thrust::unique(small.begin(), small.end());
  std::printf("by key %d, unique %d\n", stable, static_cast<int>(end - small.begin()));
}
