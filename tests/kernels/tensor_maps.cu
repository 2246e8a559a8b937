// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tensor copies of sm_90a: a stencil, and tensor maps in constant memory, in global memory, and
// made by the device.
#include "tensor_copy.h"

namespace {

constexpr int kTile = 32, kBorder = 36;  // a tile, and with its border in multiples of 16 bytes

struct OneBarrier {
  alignas(8) unsigned long long object;
};

/// Loads a box; all threads of the block wait for it.
HEDDLE_INLINE void load_and_wait(const TensorMap* map, int x, int y, void* to, unsigned bytes,
                                 OneBarrier& barrier, unsigned parity) {
  unsigned object = shared_address(&barrier.object);
  if (threadIdx.x == 0) {
    if (parity == 0) {
      barrier_begin(object, 1);
      fence_barrier_begin();
    }
    barrier_expect(object, bytes);
    tensor_load(shared_address(to), map, x, y, object);
  }
  __syncthreads();
  barrier_wait(object, parity);
}

HEDDLE_INLINE void fence_shared() { asm volatile("fence.proxy.async.shared::cta;" : : : "memory"); }

}  // namespace

// out = in + its four neighbours, 0 outside of the image. Thread x computes column x of a tile.
extern "C" __global__ void tensor_stencil(const __grid_constant__ TensorMap in,
                                          const __grid_constant__ TensorMap out) {
  __shared__ alignas(128) float from[kTile + 2][kBorder];
  __shared__ alignas(128) float to[kTile][kTile];
  __shared__ OneBarrier barrier;
  int x = blockIdx.x * kTile, y = blockIdx.y * kTile, column = threadIdx.x;
  load_and_wait(&in, x - 1, y - 1, from, sizeof from, barrier, 0);
  for (int row = 0; row < kTile; ++row)
    to[row][column] = from[row + 1][column + 1] + from[row][column + 1] +
                      from[row + 2][column + 1] + from[row + 1][column] + from[row + 1][column + 2];
  fence_shared();
  __syncthreads();
  if (threadIdx.x == 0) {
    tensor_store(&out, x, y, shared_address(to));
    tensor_stores_done();
  }
}

__constant__ TensorMap constant_map;

// Each of two maps names 32 x 32 words: their sum is added to what `out` has.
extern "C" __global__ void add_two(const TensorMap* second, const __grid_constant__ TensorMap out) {
  __shared__ alignas(128) unsigned words[2][kTile][kTile];
  __shared__ OneBarrier barrier;
  load_and_wait(&constant_map, 0, 0, words[0], sizeof words[0], barrier, 0);
  load_and_wait(second, 0, 0, words[1], sizeof words[1], barrier, 1);
  for (int row = 0; row < kTile; ++row) words[0][row][threadIdx.x] += words[1][row][threadIdx.x];
  fence_shared();
  __syncthreads();
  if (threadIdx.x == 0) {
    tensor_add(&out, 0, 0, shared_address(words[0]));
    tensor_stores_done();
  }
}

// Copies a tile of `columns` x `rows` words with a map that the block makes in shared memory, from
// zero bytes, and copies to `room` in global memory, as Triton does.
extern "C" __global__ void made_by_device(const unsigned* in, unsigned* out, TensorMap* room,
                                          int columns, int rows) {
  __shared__ alignas(128) TensorMap map;
  __shared__ alignas(1024) unsigned words[kTile][kTile];
  __shared__ OneBarrier barrier;
  unsigned at = shared_address(&map);
  ((unsigned*)&map)[threadIdx.x] = 0;
  __syncwarp();
  if (threadIdx.x == 0) {
    unsigned long long pitch = 4ull * columns;
    asm volatile(
        "tensormap.replace.tile.global_address.shared::cta.b1024.b64 [%0], %1;\n\t"
        "tensormap.replace.tile.rank.shared::cta.b1024.b32 [%0], 1;\n\t"
        "tensormap.replace.tile.box_dim.shared::cta.b1024.b32 [%0], 0, 32;\n\t"
        "tensormap.replace.tile.box_dim.shared::cta.b1024.b32 [%0], 1, 32;\n\t"
        "tensormap.replace.tile.global_dim.shared::cta.b1024.b32 [%0], 0, %2;\n\t"
        "tensormap.replace.tile.global_dim.shared::cta.b1024.b32 [%0], 1, %3;\n\t"
        "tensormap.replace.tile.global_stride.shared::cta.b1024.b64 [%0], 0, %4;\n\t"
        "tensormap.replace.tile.element_stride.shared::cta.b1024.b32 [%0], 0, 1;\n\t"
        "tensormap.replace.tile.element_stride.shared::cta.b1024.b32 [%0], 1, 1;\n\t"
        "tensormap.replace.tile.elemtype.shared::cta.b1024.b32 [%0], 2;\n\t"
        "tensormap.replace.tile.interleave_layout.shared::cta.b1024.b32 [%0], 0;\n\t"
        "tensormap.replace.tile.swizzle_mode.shared::cta.b1024.b32 [%0], 3;\n\t"
        "tensormap.replace.tile.fill_mode.shared::cta.b1024.b32 [%0], 0;"
        :
        : "r"(at), "l"(in), "r"(columns), "r"(rows), "l"(pitch)
        : "memory");
  }
  __syncwarp();
  asm volatile(
      "tensormap.cp_fenceproxy.global.shared::cta.tensormap::generic.release.gpu.sync.aligned"
      " [%0], [%1], 128;\n\t"
      "fence.proxy.tensormap::generic.acquire.gpu [%0], 128;"
      :
      : "l"(room), "r"(at)
      : "memory");
  load_and_wait(room, 0, 0, words, sizeof words, barrier, 0);
  // Chunks of 16 bytes are swizzled.
  for (int row = 0; row < kTile; ++row)
    out[row * kTile + threadIdx.x] =
        words[row][((threadIdx.x / 4) ^ (row % 8)) * 4 + threadIdx.x % 4];
}
