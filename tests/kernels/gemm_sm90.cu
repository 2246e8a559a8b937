// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Matrix products of warps that leave through stmatrix.
#include "tiled_gemm.h"

// Stores two 8x8 matrices of halves; lanes 0 to 15 have the addresses of their rows.
template <bool kTransposed>
__device__ void store_matrices(unsigned address, const unsigned (&from)[2]) {
  if (kTransposed)
    asm volatile("stmatrix.sync.aligned.m8n8.x2.trans.shared.b16 [%0], {%1, %2};"
                 :
                 : "r"(address), "r"(from[0]), "r"(from[1])
                 : "memory");
  else
    asm volatile("stmatrix.sync.aligned.m8n8.x2.shared.b16 [%0], {%1, %2};"
                 :
                 : "r"(address), "r"(from[0]), "r"(from[1])
                 : "memory");
}

// D in halves, by rows or by columns. The tile goes through shared memory, so that each thread
// stores 16 bytes. Rows (columns) of D begin every `pitch` bytes, a multiple of 16.
template <bool kColumns>
__device__ void store_halves(const Operand& a, const Operand& b, int steps, char* d, int m, int n,
                             int pitch) {
  alignas(128) __shared__ char tile[64 * 128];
  unsigned base = shared_address(tile);
  int lane = threadIdx.x % 32;
  multiply<F16Halves, AlongK, AcrossK>(a, b, steps)
      .each([&](int row, int column, unsigned(&sums)[2]) {
        int r = row % 64 - lane / 4, c = column % 64 - lane % 4 * 2;  // of the fragment
        unsigned line = kColumns ? AcrossK::place(c + lane % 8, r / 8 + lane / 8 % 2)
                                 : AcrossK::place(r + lane % 16, c / 8);
        store_matrices<kColumns>(base + line, sums);
      });
  __syncthreads();
  int first_row = (kColumns ? blockIdx.x : blockIdx.y) * kTile, rows = kColumns ? n : m;
  int first_byte = (kColumns ? blockIdx.y : blockIdx.x) * kTile * 2;
  for (int i = threadIdx.x; i < 64 * 8; i += kThreads) {
    int row = first_row + i / 8, byte = first_byte + i % 8 * 16;
    if (row < rows && byte < pitch)
      *(uint4*)(d + (long long)row * pitch + byte) = *(uint4*)(tile + AcrossK::place(i / 8, i % 8));
  }
}
extern "C" __global__ void __launch_bounds__(kThreads)
    f16_by_rows(Operand a, Operand b, int steps, char* d, int m, int n, int pitch) {
  store_halves<false>(a, b, steps, d, m, n, pitch);
}
extern "C" __global__ void __launch_bounds__(kThreads)
    f16_by_columns(Operand a, Operand b, int steps, char* d, int m, int n, int pitch) {
  store_halves<true>(a, b, steps, d, m, n, pitch);
}
