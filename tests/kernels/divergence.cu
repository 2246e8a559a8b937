// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Divergent control flow: Collatz sequences, N queens by backtracking, nested loops with break and
// continue, and a loop entered in the middle.
#include "device.h"

extern "C" __global__ void collatz(const unsigned* start, unsigned* steps, unsigned long long* peak,
                                   int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  unsigned long long v = start[i];
  unsigned long long highest = v;
  unsigned count = 0;
  while (v != 1) {
    if (v & 1) {
      v = 3 * v + 1;
      if (v > highest) highest = v;
    } else {
      v >>= 1;
    }
    ++count;
  }
  steps[i] = count;
  peak[i] = highest;
}

// Thread i counts the solutions on a board of `size` whose first two queens stand in columns
// i / size and i % size.
extern "C" __global__ void queens(int size, unsigned* solutions) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= size * size) return;
  unsigned all = (1u << size) - 1;
  unsigned first = 1u << (i / size);
  unsigned second = 1u << (i % size);
  unsigned count = 0;
  if (((first | first << 1 | first >> 1) & second) == 0) {
    unsigned columns[16];
    unsigned left[16];
    unsigned right[16];
    unsigned open[16];
    int row = 2;
    columns[row] = first | second;
    left[row] = (first << 1 | second) << 1;
    right[row] = (first >> 1 | second) >> 1;
    open[row] = all & ~(columns[row] | left[row] | right[row]);
    while (row >= 2) {
      if (row == size) {
        ++count;
        --row;
        continue;
      }
      unsigned place = open[row] & (0u - open[row]);
      if (place == 0) {
        --row;
        continue;
      }
      open[row] ^= place;
      columns[row + 1] = columns[row] | place;
      left[row + 1] = (left[row] | place) << 1;
      right[row + 1] = (right[row] | place) >> 1;
      ++row;
      open[row] = all & ~(columns[row] | left[row] | right[row]);
    }
  }
  solutions[i] = count;
}

extern "C" __global__ void nested_loops(const int* values, int n, int* out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  unsigned hash = 17;
  for (int a = 0; a < n; ++a) {
    int v = (values[a] ^ i) & 31;
    if (v == 0) continue;
    for (int b = v;; b = b * 3 % 32) {
      if (b == 5) break;
      if (b > 20 && (i & 1)) goto next;
      hash = hash * 33 + b;
      if (b == v && hash & 8) break;
      if (--v < -10) return;
    }
    hash ^= a;
    if ((int)hash % 97 == 0) break;
  next:
    ++hash;
  }
  out[i] = hash;
}

// Irreducible: both halves of the loop body are entered from outside.
extern "C" __global__ void two_entries(int* out, int rounds) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  unsigned v = i;
  int k = 0;
  if (i % 3 == 0) goto second;
first:
  v = v * 5 + 1;
  if ((int)v % 7 == 0) goto done;
second:
  v = v * 3 - k;
  if (++k < rounds + i % 4) goto first;
done:
  out[i] = v;
}
