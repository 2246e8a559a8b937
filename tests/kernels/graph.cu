// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Graphs: breadth-first search by levels, and connected components by a lock-free union-find.
#include "device.h"

// Compressed rows: the neighbours of v are edges[rows[v]] up to edges[rows[v + 1]].
extern "C" __global__ void bfs_level(const int* rows, const int* edges, int* distance, int vertices,
                                     int level, int* changed) {
  int v = blockIdx.x * blockDim.x + threadIdx.x;
  if (v >= vertices || distance[v] != level) return;
  for (int e = rows[v]; e < rows[v + 1]; ++e) {
    if (atomicCAS(&distance[edges[e]], -1, level + 1) == -1) *changed = 1;
  }
}

static __device__ int find_root(volatile int* parents, int v) {
  while (parents[v] != v) v = parents[v];
  return v;
}

// Larger roots are hung below smaller ones, so a component's root is its smallest vertex.
extern "C" __global__ void unite_edges(const int2* edges, int count, int* parents) {
  int e = blockIdx.x * blockDim.x + threadIdx.x;
  if (e >= count) return;
  int a = edges[e].x;
  int b = edges[e].y;
  while (true) {
    a = find_root(parents, a);
    b = find_root(parents, b);
    if (a == b) return;
    int low = a < b ? a : b;
    int high = a < b ? b : a;
    if (atomicCAS(&parents[high], high, low) == high) return;
  }
}

extern "C" __global__ void flatten(int* parents, int vertices) {
  int v = blockIdx.x * blockDim.x + threadIdx.x;
  if (v < vertices) parents[v] = find_root(parents, v);
}
