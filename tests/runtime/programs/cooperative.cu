// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Cooperative groups: tiles, a grid that waits for itself, a cluster, attributes of launches.
//
// compiler: nvcc
// nvcc: -std=c++17 -gencode arch=compute_90,code=compute_90
// expect: grid 4096, tile 496, clusters 2
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>

#include <cstdio>

namespace cg = cooperative_groups;

#define CHECK(call)                                                    \
  if (cudaError_t error = (call)) {                                    \
    std::printf("line %d: %s\n", __LINE__, cudaGetErrorString(error)); \
    return 1;                                                          \
  }

__global__ void grid_sum(int* parts, int* out) {
  cg::grid_group grid = cg::this_grid();
  if (threadIdx.x == 0) parts[blockIdx.x] = blockDim.x;
  grid.sync();
  if (grid.thread_rank() == 0) {
    *out = 0;
    for (unsigned i = 0; i < gridDim.x; ++i) *out += parts[(i + 1) % gridDim.x];
  }
}

__global__ void tile_sum(int* out) {
  auto tile = cg::tiled_partition<32>(cg::this_thread_block());
  const int total = cg::reduce(tile, static_cast<int>(tile.thread_rank()), cg::plus<int>());
  if (tile.thread_rank() == 0) *out = total;
}

__global__ void cluster_ranks(int* out) {
  __shared__ int mine;
  cg::cluster_group cluster = cg::this_cluster();
  if (threadIdx.x == 0) mine = cluster.block_rank();
  cluster.sync();
  if (threadIdx.x == 0)
    atomicMax(out, *cluster.map_shared_rank(&mine, cluster.num_blocks() - 1) + 1);
  cluster.sync();
}

int main() {
  int *parts, *out;
  CHECK(cudaMalloc(&parts, 64 * sizeof(int)));
  CHECK(cudaMallocManaged(&out, 3 * sizeof(int)));
  out[2] = 0;
  int* first = out;
  void* arguments[] = {&parts, &first};
  CHECK(cudaLaunchCooperativeKernel(grid_sum, 16, 256, arguments));
  tile_sum<<<1, 32>>>(out + 1);
  cudaLaunchConfig_t config = {};
  config.gridDim = 8;
  config.blockDim = 32;
  cudaLaunchAttribute attribute;
  attribute.id = cudaLaunchAttributeClusterDimension;
  attribute.val.clusterDim.x = 2;
  attribute.val.clusterDim.y = attribute.val.clusterDim.z = 1;
  config.attrs = &attribute;
  config.numAttrs = 1;
  CHECK(cudaLaunchKernelEx(&config, cluster_ranks, out + 2));
  CHECK(cudaDeviceSynchronize());
  std::printf("grid %d, tile %d, clusters %d\n", out[0], out[1], out[2]);
}
