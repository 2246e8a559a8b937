// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Levenshtein distance by anti-diagonals: a wavefront with a barrier per step; one pair of words
// per block, characters as bytes in shared memory.
#include "device.h"

constexpr int kLongest = 128;

// Word w is text[offsets[w]] up to text[offsets[w + 1]]; block p compares words 2 p and 2 p + 1.
extern "C" __global__ void edit_distance(const char* text, const int* offsets, int* distances) {
  __shared__ char a[kLongest];
  __shared__ char b[kLongest];
  __shared__ int lines[3][kLongest + 1];
  int begin_a = offsets[2 * blockIdx.x];
  int begin_b = offsets[2 * blockIdx.x + 1];
  int size_a = begin_b - begin_a;
  int size_b = offsets[2 * blockIdx.x + 2] - begin_b;
  for (int i = threadIdx.x; i < size_a; i += blockDim.x) a[i] = text[begin_a + i];
  for (int i = threadIdx.x; i < size_b; i += blockDim.x) b[i] = text[begin_b + i];
  __syncthreads();
  // lines[d % 3][i] is the distance of the first i characters of a and the first d - i of b.
  for (int d = 0; d <= size_a + size_b; ++d) {
    int first = d > size_b ? d - size_b : 0;
    int last = d < size_a ? d : size_a;
    for (int i = first + threadIdx.x; i <= last; i += blockDim.x) {
      int j = d - i;
      int best;
      if (i == 0 || j == 0) {
        best = d;
      } else {
        int remove = lines[(d + 2) % 3][i - 1] + 1;
        int insert = lines[(d + 2) % 3][i] + 1;
        int replace = lines[(d + 1) % 3][i - 1] + (a[i - 1] != b[j - 1]);
        best = remove < insert ? remove : insert;
        best = best < replace ? best : replace;
      }
      lines[d % 3][i] = best;
    }
    __syncthreads();
  }
  if (threadIdx.x == 0) distances[blockIdx.x] = lines[(size_a + size_b) % 3][size_a];
}
