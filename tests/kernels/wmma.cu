// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Matrix products through nvcuda::wmma, whose fragments are opaque: D = alpha * A * B + beta * C,
// a warp for each tile.
#include <mma.h>

using namespace nvcuda;

template <class T>
struct Element {
  using Stored = T;
};
template <>
struct Element<wmma::precision::tf32> {
  using Stored = float;
};

template <int kM, int kN, int kK, class T, class Sum, class LayoutA, class LayoutB>
__device__ void multiply(const typename Element<T>::Stored* a, const typename Element<T>::Stored* b,
                         const Sum* c, Sum* d, int m, int n, int k, Sum alpha, Sum beta,
                         wmma::layout_t layout) {
  constexpr bool rows_a = std::is_same<LayoutA, wmma::row_major>::value;
  constexpr bool rows_b = std::is_same<LayoutB, wmma::row_major>::value;
  int row = blockIdx.y * kM, column = blockIdx.x * kN;
  wmma::fragment<wmma::matrix_a, kM, kN, kK, T, LayoutA> fragment_a;
  wmma::fragment<wmma::matrix_b, kM, kN, kK, T, LayoutB> fragment_b;
  wmma::fragment<wmma::accumulator, kM, kN, kK, Sum> sums, old;
  wmma::fill_fragment(sums, Sum(0));
  for (int from = 0; from < k; from += kK) {
    wmma::load_matrix_sync(fragment_a, rows_a ? a + row * k + from : a + from * m + row,
                           rows_a ? k : m);
    wmma::load_matrix_sync(fragment_b, rows_b ? b + from * n + column : b + column * k + from,
                           rows_b ? n : k);
    if constexpr (std::is_same<T, wmma::precision::tf32>::value) {
      for (int i = 0; i < fragment_a.num_elements; ++i)
        fragment_a.x[i] = wmma::__float_to_tf32(fragment_a.x[i]);
      for (int i = 0; i < fragment_b.num_elements; ++i)
        fragment_b.x[i] = wmma::__float_to_tf32(fragment_b.x[i]);
    }
    wmma::mma_sync(sums, fragment_a, fragment_b, sums);
  }
  bool rows = layout == wmma::mem_row_major;
  int at = rows ? row * n + column : column * m + row, pitch = rows ? n : m;
  wmma::load_matrix_sync(old, c + at, pitch, layout);
  for (int i = 0; i < sums.num_elements; ++i) sums.x[i] = alpha * sums.x[i] + beta * old.x[i];
  wmma::store_matrix_sync(d + at, sums, pitch, layout);
}

#define MULTIPLY(name, kM, kN, kK, T, Sum, LayoutA, LayoutB, layout)                             \
  extern "C" __global__ void name(const Element<T>::Stored* a, const Element<T>::Stored* b,      \
                                  const Sum* c, Sum* d, int m, int n, int k, Sum alpha,          \
                                  Sum beta) {                                                    \
    multiply<kM, kN, kK, T, Sum, wmma::LayoutA, wmma::LayoutB>(a, b, c, d, m, n, k, alpha, beta, \
                                                               wmma::layout);                    \
  }
MULTIPLY(f16_square, 16, 16, 16, half, float, row_major, row_major, mem_row_major)
MULTIPLY(f16_high, 32, 8, 16, half, float, row_major, col_major, mem_col_major)
MULTIPLY(f16_wide, 8, 32, 16, half, float, col_major, row_major, mem_row_major)
MULTIPLY(f16_halves, 16, 16, 16, half, half, col_major, col_major, mem_col_major)
MULTIPLY(bf16_square, 16, 16, 16, __nv_bfloat16, float, row_major, col_major, mem_row_major)
MULTIPLY(bf16_wide, 8, 32, 16, __nv_bfloat16, float, col_major, row_major, mem_col_major)
MULTIPLY(tf32, 16, 16, 8, wmma::precision::tf32, float, row_major, col_major, mem_row_major)
MULTIPLY(tf32_across, 16, 16, 8, wmma::precision::tf32, float, col_major, row_major, mem_col_major)
MULTIPLY(f64, 8, 8, 4, double, double, row_major, col_major, mem_row_major)
MULTIPLY(f64_across, 8, 8, 4, double, double, col_major, row_major, mem_col_major)
MULTIPLY(s8_square, 16, 16, 16, signed char, int, row_major, col_major, mem_row_major)
MULTIPLY(s8_high, 32, 8, 16, signed char, int, col_major, row_major, mem_col_major)
MULTIPLY(u8_wide, 8, 32, 16, unsigned char, int, row_major, row_major, mem_row_major)

// Elements of less than a byte: one tile, A row major, B column major.
template <class T, int kK, class Multiply>
__device__ void multiply_tile(const void* a, const void* b, int* d, Multiply multiply) {
  wmma::fragment<wmma::matrix_a, 8, 8, kK, T, wmma::row_major> fragment_a;
  wmma::fragment<wmma::matrix_b, 8, 8, kK, T, wmma::col_major> fragment_b;
  wmma::fragment<wmma::accumulator, 8, 8, kK, int> sums;
  wmma::fill_fragment(sums, 0);
  wmma::load_matrix_sync(fragment_a, a, kK);
  wmma::load_matrix_sync(fragment_b, b, kK);
  multiply(sums, fragment_a, fragment_b);
  wmma::store_matrix_sync(d, sums, 8, wmma::mem_row_major);
}
extern "C" __global__ void s4(const int* a, const int* b, int* d) {
  multiply_tile<wmma::experimental::precision::s4, 32>(
      a, b, d, [](auto& sums, auto& x, auto& y) { wmma::mma_sync(sums, x, y, sums); });
}
extern "C" __global__ void b1_xor(const int* a, const int* b, int* d) {
  multiply_tile<wmma::experimental::precision::b1, 128>(
      a, b, d, [](auto& sums, auto& x, auto& y) { wmma::bmma_sync(sums, x, y, sums); });
}
extern "C" __global__ void b1_and(const int* a, const int* b, int* d) {
  multiply_tile<wmma::experimental::precision::b1, 128>(a, b, d, [](auto& sums, auto& x, auto& y) {
    wmma::bmma_sync(sums, x, y, sums, wmma::experimental::bmmaBitOpAND);
  });
}
