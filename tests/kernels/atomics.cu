// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Every atomic operation on global and on shared memory, in both widths. The final values do not
// depend on the order of the threads; where the returned values matter the test checks them as a
// set.
#include "device.h"

struct Cells {
  unsigned long long add64, min64, max64, and64, or64, xor64, cas64;
  long long smin64, smax64;
  double add_double;
  unsigned add, min, max, bit_and, bit_or, bit_xor, increment, decrement, cas;
  int smin, smax, subtract;
  float add_float;
};

static __device__ void update(Cells* cells, unsigned long long v, int i) {
  unsigned low = v;
  atomicAdd(&cells->add64, v);
  atomicMin(&cells->min64, v);
  atomicMax(&cells->max64, v);
  atomicAnd(&cells->and64, v | 0xf0f0f0f0f0f0f0f0ull);
  atomicOr(&cells->or64, v & 0x0f0f0f0f0f0f0f0full);
  atomicXor(&cells->xor64, v);
  atomicMin(&cells->smin64, (long long)v);
  atomicMax(&cells->smax64, (long long)v);
  atomicAdd(&cells->add_double, (double)(int)low);
  atomicAdd(&cells->add, low);
  atomicMin(&cells->min, low);
  atomicMax(&cells->max, low);
  atomicAnd(&cells->bit_and, low | 0xffff0000u);
  atomicOr(&cells->bit_or, low & 0xffffu);
  atomicXor(&cells->bit_xor, low);
  atomicInc(&cells->increment, 99);
  atomicDec(&cells->decrement, 99);
  atomicMin(&cells->smin, (int)low);
  atomicMax(&cells->smax, (int)low);
  atomicSub(&cells->subtract, i);
  atomicAdd(&cells->add_float, (float)(i % 16));
  // A compare-and-swap loop that multiplies.
  unsigned old = cells->cas;
  while (true) {
    unsigned seen = atomicCAS(&cells->cas, old, old * 5 + 1);
    if (seen == old) break;
    old = seen;
  }
  unsigned long long old64 = cells->cas64;
  while (true) {
    unsigned long long seen = atomicCAS(&cells->cas64, old64, old64 * 7 + 3);
    if (seen == old64) break;
    old64 = seen;
  }
}

extern "C" __global__ void atomics_global(Cells* cells, const unsigned long long* values) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  update(cells, values[i], i);
}

// One set of cells per block, initialised from and written back to cells[blockIdx.x].
extern "C" __global__ void atomics_shared(Cells* cells, const unsigned long long* values) {
  __shared__ Cells shared;
  if (threadIdx.x == 0) shared = cells[blockIdx.x];
  __syncthreads();
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  update(&shared, values[i], i);
  __syncthreads();
  if (threadIdx.x == 0) cells[blockIdx.x] = shared;
}

// The results of the operations: the old values.
extern "C" __global__ void atomic_results(unsigned* slots, unsigned* turns, unsigned* tokens,
                                          unsigned* out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  out[i * 3 + 0] = atomicAdd(slots, 1u);
  out[i * 3 + 1] = atomicInc(turns, 6);
  out[i * 3 + 2] = atomicExch(tokens, (unsigned)i + 1);
}
