// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Grids, clusters, blocks and tiles with CUDA's cooperative_groups and barriers.
#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>
#include <cooperative_groups/reduce.h>
#include <cuda/barrier>

// A barrier in shared memory is initialised by init().
#pragma nv_diag_suppress static_var_with_dynamic_init

namespace cg = cooperative_groups;

// out = the sum of in, by blocks, and then by block 0 after a barrier of the grid.
extern "C" __global__ void grid_sum(const unsigned* in, unsigned* partial, unsigned* out,
                                    int count) {
  cg::grid_group grid = cg::this_grid();
  cg::thread_block block = cg::this_thread_block();
  __shared__ unsigned sum;
  if (block.thread_rank() == 0) sum = 0;
  block.sync();
  unsigned mine = 0;
  for (unsigned i = grid.thread_rank(); i < count; i += grid.size()) mine += in[i];
  auto tile = cg::tiled_partition<32>(block);
  mine = cg::reduce(tile, mine, cg::plus<unsigned>());
  if (tile.thread_rank() == 0) atomicAdd(&sum, mine);
  block.sync();
  if (block.thread_rank() == 0) partial[blockIdx.x] = sum;
  grid.sync();
  if (grid.thread_rank() == 0) {
    unsigned total = 0;
    for (unsigned i = 0; i < gridDim.x; ++i) total += partial[i];
    *out = total;
  }
}

// Every block reads the word of the next one in its cluster.
extern "C" __global__ void cluster_rotate(const unsigned* in, unsigned* out) {
  __shared__ unsigned word;
  cg::cluster_group cluster = cg::this_cluster();
  if (threadIdx.x == 0) word = in[blockIdx.x];
  cluster.sync();
  unsigned next = (cluster.block_rank() + 1) % cluster.num_blocks();
  if (threadIdx.x == 0) out[blockIdx.x] = *cluster.map_shared_rank(&word, next);
  cluster.sync();
}

// out = in, through shared memory, with memcpy_async of a block and of a barrier.
extern "C" __global__ void copy_through_shared(const uint4* in, uint4* out) {
  __shared__ uint4 buffer[2][128];
  __shared__ cuda::barrier<cuda::thread_scope_block> barrier;
  cg::thread_block block = cg::this_thread_block();
  if (threadIdx.x == 0) init(&barrier, blockDim.x);
  block.sync();
  const uint4* from = in + blockIdx.x * 2 * blockDim.x;
  cg::memcpy_async(block, buffer[0], from, cuda::aligned_size_t<16>(sizeof(uint4) * blockDim.x));
  cuda::memcpy_async(&buffer[1][threadIdx.x], from + blockDim.x + threadIdx.x,
                     cuda::aligned_size_t<16>(sizeof(uint4)), barrier);
  cg::wait(block);
  barrier.arrive_and_wait();
  unsigned other = blockDim.x - 1 - threadIdx.x;
  uint4* to = out + blockIdx.x * 2 * blockDim.x;
  to[other] = buffer[0][other];
  to[blockDim.x + other] = buffer[1][other];
}
