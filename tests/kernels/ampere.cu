// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Instructions that came with sm_80: a warp reduction in one instruction, asynchronous copies into
// shared memory, and tensor-core products of whole numbers (exact whatever the order of adding).
#include "device.h"

#define REDUX(operation, result, value) \
  asm volatile("redux.sync." operation " %0, %1, 0xffffffff;" : "=r"(result) : "r"(value))

extern "C" __global__ void warp_redux(const unsigned* values, unsigned* out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  unsigned r[6];
  REDUX("add.u32", r[0], values[i]);
  REDUX("min.s32", r[1], values[i]);
  REDUX("max.u32", r[2], values[i]);
  REDUX("and.b32", r[3], values[i]);
  REDUX("or.b32", r[4], values[i]);
  REDUX("xor.b32", r[5], values[i]);
  for (int k = 0; k < 6; ++k) out[i * 6 + k] = r[k];
}

static __device__ unsigned shared_address(const void* pointer) {
  unsigned address;
  asm("{\n\t"
      ".reg .u64 shared;\n\t"
      "cvta.to.shared.u64 shared, %1;\n\t"
      "cvt.u32.u64 %0, shared;\n\t"
      "}"
      : "=r"(address)
      : "l"(pointer));
  return address;
}

// Copies 16 bytes per thread in two committed groups, and reads each group as soon as it is there.
// The last thread of each block copies only 4 bytes of its 16; the rest is zero-filled.
extern "C" __global__ void async_copy(const uint4* in, uint4* out) {
  __shared__ uint4 buffer[2][256];
  int thread = threadIdx.x;
  for (int half = 0; half < 2; ++half) {
    const uint4* from = &in[(blockIdx.x * 2 + half) * blockDim.x + thread];
    unsigned bytes = thread == blockDim.x - 1 ? 4 : 16;
    asm volatile(
        "cp.async.cg.shared.global [%0], [%1], 16, %2;\n\t"
        "cp.async.commit_group;"
        :
        : "r"(shared_address(&buffer[half][thread])), "l"(from), "r"(bytes)
        : "memory");
  }
  int other = blockDim.x - 1 - thread;
  asm volatile("cp.async.wait_group 1;" : : : "memory");
  __syncthreads();
  out[blockIdx.x * 2 * blockDim.x + thread] = buffer[0][other];
  asm volatile("cp.async.wait_all;" : : : "memory");
  __syncthreads();
  out[(blockIdx.x * 2 + 1) * blockDim.x + thread] = buffer[1][other];
}

// D = A * B + C for 16 x 16 halves times 16 x 8 halves in f32, one warp. A is row major, B column
// major (as pairs of halves), C and D row major.
extern "C" __global__ void mma_f16(const unsigned* a, const unsigned* b, const float* c, float* d) {
  int group = threadIdx.x / 4;
  int place = threadIdx.x % 4;
  unsigned a0 = a[group * 8 + place];
  unsigned a1 = a[(group + 8) * 8 + place];
  unsigned a2 = a[group * 8 + place + 4];
  unsigned a3 = a[(group + 8) * 8 + place + 4];
  unsigned b0 = b[group * 8 + place];
  unsigned b1 = b[group * 8 + place + 4];
  int upper = group * 8 + place * 2;
  int lower = upper + 64;
  float d0, d1, d2, d3;
  asm volatile(
      "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, "
      "{%8, %9}, {%10, %11, %12, %13};"
      : "=f"(d0), "=f"(d1), "=f"(d2), "=f"(d3)
      : "r"(a0), "r"(a1), "r"(a2), "r"(a3), "r"(b0), "r"(b1), "f"(c[upper]), "f"(c[upper + 1]),
        "f"(c[lower]), "f"(c[lower + 1]));
  d[upper] = d0;
  d[upper + 1] = d1;
  d[lower] = d2;
  d[lower + 1] = d3;
}

// The same for 16 x 32 signed bytes times 32 x 8 signed bytes in s32.
extern "C" __global__ void mma_s8(const unsigned* a, const unsigned* b, const int* c, int* d) {
  int group = threadIdx.x / 4;
  int place = threadIdx.x % 4;
  unsigned a0 = a[group * 8 + place];
  unsigned a1 = a[(group + 8) * 8 + place];
  unsigned a2 = a[group * 8 + place + 4];
  unsigned a3 = a[(group + 8) * 8 + place + 4];
  unsigned b0 = b[group * 8 + place];
  unsigned b1 = b[group * 8 + place + 4];
  int upper = group * 8 + place * 2;
  int lower = upper + 64;
  int d0, d1, d2, d3;
  asm volatile(
      "mma.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, "
      "{%8, %9}, {%10, %11, %12, %13};"
      : "=r"(d0), "=r"(d1), "=r"(d2), "=r"(d3)
      : "r"(a0), "r"(a1), "r"(a2), "r"(a3), "r"(b0), "r"(b1), "r"(c[upper]), "r"(c[upper + 1]),
        "r"(c[lower]), "r"(c[lower + 1]));
  d[upper] = d0;
  d[upper + 1] = d1;
  d[lower] = d2;
  d[lower + 1] = d3;
}
