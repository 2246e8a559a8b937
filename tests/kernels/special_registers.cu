// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The special registers for the place of a thread, in three-dimensional grids and blocks.
#include "device.h"

struct Place {
  unsigned tid[3], ntid[3], ctaid[3], nctaid[3];
  unsigned lane, warp_size, lanes_below, lanes_at, lanes_above;
};

#define READ_SPECIAL(variable, name) asm("mov.u32 %0, %%" name ";" : "=r"(variable))

extern "C" __global__ void whereabouts(Place* out) {
  Place place;
  place.tid[0] = threadIdx.x;
  place.tid[1] = threadIdx.y;
  place.tid[2] = threadIdx.z;
  place.ntid[0] = blockDim.x;
  place.ntid[1] = blockDim.y;
  place.ntid[2] = blockDim.z;
  place.ctaid[0] = blockIdx.x;
  place.ctaid[1] = blockIdx.y;
  place.ctaid[2] = blockIdx.z;
  place.nctaid[0] = gridDim.x;
  place.nctaid[1] = gridDim.y;
  place.nctaid[2] = gridDim.z;
  READ_SPECIAL(place.lane, "laneid");
  READ_SPECIAL(place.lanes_below, "lanemask_lt");
  READ_SPECIAL(place.lanes_at, "lanemask_eq");
  READ_SPECIAL(place.lanes_above, "lanemask_gt");
  asm("mov.u32 %0, WARP_SZ;" : "=r"(place.warp_size));
  unsigned block = (blockIdx.z * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x;
  unsigned thread = (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x;
  out[block * (blockDim.x * blockDim.y * blockDim.z) + thread] = place;
}

// Clocks move forward, and the address spaces of pointers are distinguished.
__device__ int in_global;

extern "C" __global__ void clocks_and_spaces(int* ok) {
  __shared__ int in_shared;
  int in_local = threadIdx.x;
  long long before;
  long long after;
  asm volatile("mov.u64 %0, %%clock64;" : "=l"(before) : : "memory");
  in_shared = 1;
  __syncthreads();
  asm volatile("mov.u64 %0, %%clock64;" : "=l"(after) : : "memory");
  int result = after >= before;
  const void* pointers[] = {&in_global, &in_shared, &in_local};
  for (int i = 0; i < 3; ++i) {
    int is_global;
    int is_shared;
    int is_local;
    asm volatile(
        "{\n\t"
        ".reg .pred p;\n\t"
        "isspacep.global p, %3;\n\t"
        "selp.s32 %0, 1, 0, p;\n\t"
        "isspacep.shared p, %3;\n\t"
        "selp.s32 %1, 1, 0, p;\n\t"
        "isspacep.local p, %3;\n\t"
        "selp.s32 %2, 1, 0, p;\n\t"
        "}"
        : "=r"(is_global), "=r"(is_shared), "=r"(is_local)
        : "l"(pointers[i]));
    result |= (is_global | is_shared << 1 | is_local << 2) << (4 + 4 * i);
  }
  ok[blockIdx.x * blockDim.x + threadIdx.x] = result;
}
