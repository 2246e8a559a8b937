// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Structures by value: as kernel parameters of several alignments, as arguments and results of
// device functions, and an array parameter indexed at run time.
#include "device.h"

struct Small {
  char tag;
  short step;
  char sign;
};

struct Large {
  double scale;
  Small small;
  int table[6];
  const float* source;
  unsigned char bytes[5];
};

static __device__ __noinline__ Large advanced(Large value, int by) {
  value.scale += by;
  value.table[by % 6] *= 2;
  value.small.step += by;
  return value;
}

extern "C" __global__ void struct_parameters(char first, Large large, Small small, char last,
                                             float2 pair, float4 quad, double* out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  Large next = advanced(large, i % 7);
  double sum = next.scale * next.table[i % 6] + next.small.step * next.small.sign;
  sum += small.tag + 2 * small.step + 4 * small.sign + first - last;
  sum += next.source[i % 8] + next.bytes[i % 5];
  sum += i % 2 ? pair.x - pair.y : quad.x + 10 * quad.y + 100 * quad.z + 1000 * quad.w;
  out[i] = sum;
}

struct Matrix {
  float m[4][4];
};

// The parameter itself is indexed dynamically.
extern "C" __global__ void matrix_parameter(Matrix matrix, const float4* in, float* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n * 4) return;
  float4 v = in[i / 4];
  const float* row = matrix.m[i % 4];
  out[i] = fmaf(row[3], v.w, fmaf(row[2], v.z, fmaf(row[1], v.y, row[0] * v.x)));
}

struct Nothing {};

// More than 4 KiB less a little: the classic limit of a kernel's parameters is 4352 bytes.
struct Big {
  int values[1000];
};

extern "C" __global__ void big_parameter(Nothing, Big big, int* out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < 1000) out[i] = big.values[999 - i];
}
