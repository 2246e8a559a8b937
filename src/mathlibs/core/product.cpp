// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See product.h.
#include "mathlibs/core/product.h"

#include <algorithm>
#include <vector>

#include "mathlibs/core/blas.h"

namespace heddle::mathlibs {
namespace {

/// Rows and columns of the blocks that are converted. Converting takes one part in kBlock of the
/// time of multiplying.
constexpr int64_t kBlock = 1024;

/// A block in the accumulator's type, stored as the BLAS takes it.
template <class T>
struct Block {
  std::vector<T> data;
  CBLAS_TRANSPOSE op = CblasNoTrans;
  int64_t ld = 1;
};

/// Elements of a matrix, each converted exactly. `across` are its consecutive elements in memory.
template <class T>
void convert(const Matrix& from, int64_t first, int64_t across, int64_t along, int64_t distance,
             T* to) {
  visit_type(from.type, [&]<class E>(E) {
    using Wide = decltype(widen(E{}));
    if constexpr (is_complex<T> || !is_complex<Wide>) {
      const E* const data = static_cast<const E*>(from.data) + first;
      for (int64_t j = 0; j < along; ++j) {
        const E* const line = data + j * distance;
        T* const out = to + j * across;
        if (from.conjugated) {
          for (int64_t i = 0; i < across; ++i) out[i] = conjugate(static_cast<T>(widen(line[i])));
        } else {
          for (int64_t i = 0; i < across; ++i) out[i] = static_cast<T>(widen(line[i]));
        }
      }
    }
  });
}

/// Rows [i, i + rows) and columns [j, j + cols) of a factor.
template <class T>
void load(const Matrix& from, int64_t i, int64_t j, int64_t rows, int64_t cols, Block<T>& block) {
  const int64_t first = i * from.row + j * from.column;
  if (from.row == 1) {
    convert(from, first, rows, cols, from.column, block.data.data());
    block.op = CblasNoTrans;
    block.ld = std::max<int64_t>(rows, 1);
  } else {
    convert(from, first, cols, rows, from.row, block.data.data());
    block.op = CblasTrans;
    block.ld = std::max<int64_t>(cols, 1);
  }
}

template <class T>
T* writable(const Matrix& matrix) {
  return const_cast<T*>(static_cast<const T*>(matrix.data));
}

template <class T>
T factor_as(DoubleComplex x) {
  if constexpr (is_complex<T>) {
    return T(x);
  } else {
    return static_cast<T>(x.real());
  }
}

/// The sum of products of integers is exact, but the result of cuBLAS has 32 bits and wraps around.
int32_t wrap(double sum, double alpha, double beta, int32_t c) {
  const auto product = static_cast<uint64_t>(static_cast<int64_t>(sum)) *
                       static_cast<uint64_t>(static_cast<int64_t>(alpha));
  const auto summand = static_cast<uint64_t>(static_cast<int64_t>(beta)) *
                       static_cast<uint64_t>(static_cast<int64_t>(c));
  return static_cast<int32_t>(static_cast<uint32_t>(product + summand));
}

/// Writes a column of a block of sums, which begins at (i, j) of the result. The sums may be
/// overwritten.
template <class T>
void store(const Product& p, int64_t i, int64_t j, std::span<T> sums) {
  const T alpha = factor_as<T>(p.alpha), beta = factor_as<T>(p.beta);
  const bool reads_c = p.beta != DoubleComplex{};
  const auto count = static_cast<int64_t>(sums.size());
  if constexpr (std::is_same_v<T, double>) {
    if (p.d.type == CUDA_R_32I) {
      const auto* const c = static_cast<const int32_t*>(p.c.data) + i * p.c.row + j * p.c.column;
      auto* const d = writable<int32_t>(p.d) + i * p.d.row + j * p.d.column;
      for (int64_t r = 0; r < count; ++r)
        d[r * p.d.row] =
            wrap(sums[static_cast<size_t>(r)], alpha, beta, reads_c ? c[r * p.c.row] : 0);
      return;
    }
  }
  T* const x = sums.data();
  if (p.epilogue && p.epilogue->row_alpha) {
    for (int64_t r = 0; r < count; ++r) x[r] *= static_cast<T>(p.epilogue->row_alpha[i + r]);
  } else {
    for (int64_t r = 0; r < count; ++r) x[r] = alpha * x[r];
  }
  if (reads_c) {
    visit_type(p.c.type, [&]<class E>(E) {
      using Wide = decltype(widen(E{}));
      if constexpr (is_complex<T> || !is_complex<Wide>) {
        const E* const c = static_cast<const E*>(p.c.data) + i * p.c.row + j * p.c.column;
        for (int64_t r = 0; r < count; ++r) x[r] += beta * static_cast<T>(widen(c[r * p.c.row]));
      }
    });
  }
  if constexpr (!is_complex<T>) {
    if (p.epilogue) p.epilogue->apply(i, j, sums);
  }
  visit_type(p.d.type, [&]<class E>(E) {
    E* const d = writable<E>(p.d) + i * p.d.row + j * p.d.column;
    for (int64_t r = 0; r < count; ++r) d[r * p.d.row] = narrow<E>(x[r]);
  });
}

template <class T>
void multiply_blocks(const Product& p) {
  const int64_t m = std::min(p.m, kBlock), n = std::min(p.n, kBlock), k = std::min(p.k, kBlock);
  Block<T> a{std::vector<T>(static_cast<size_t>(m * k))},
      b{std::vector<T>(static_cast<size_t>(k * n))};
  std::vector<T> sums(static_cast<size_t>(m * n));
  for (int64_t j = 0; j < p.n; j += kBlock) {
    const int64_t cols = std::min(kBlock, p.n - j);
    for (int64_t i = 0; i < p.m; i += kBlock) {
      const int64_t rows = std::min(kBlock, p.m - i);
      std::fill(sums.begin(), sums.end(), T{});
      for (int64_t l = 0; l < p.k && p.alpha != DoubleComplex{}; l += kBlock) {
        const int64_t depth = std::min(kBlock, p.k - l);
        load(p.a, i, l, rows, depth, a);
        load(p.b, l, j, depth, cols, b);
        blas::gemm(a.op, b.op, static_cast<int>(rows), static_cast<int>(cols),
                   static_cast<int>(depth), T(1), a.data.data(), static_cast<int>(a.ld),
                   b.data.data(), static_cast<int>(b.ld), T(1), sums.data(),
                   static_cast<int>(rows));
      }
      for (int64_t c = 0; c < cols; ++c)
        store(p, i, j + c,
              std::span<T>(sums).subspan(static_cast<size_t>(c * rows), static_cast<size_t>(rows)));
    }
  }
}

/// How the BLAS takes a factor; nothing where it cannot.
struct Stored {
  CBLAS_TRANSPOSE op;
  int64_t ld;
};
std::optional<Stored> stored(const Matrix& matrix, int64_t rows, int64_t cols) {
  if (matrix.row == 1 && matrix.column >= std::max<int64_t>(rows, 1) && !matrix.conjugated)
    return Stored{CblasNoTrans, matrix.column};
  if (matrix.column == 1 && matrix.row >= std::max<int64_t>(cols, 1))
    return Stored{matrix.conjugated ? CblasConjTrans : CblasTrans, matrix.row};
  return std::nullopt;
}

/// False when the matrices must be converted.
template <class T>
bool multiply_in_place(const Product& p) {
  const cudaDataType type = type_of<T>;
  const auto a = stored(p.a, p.m, p.k), b = stored(p.b, p.k, p.n), d = stored(p.d, p.m, p.n);
  if (p.epilogue || p.a.type != type || p.b.type != type || p.d.type != type ||
      (p.beta != DoubleComplex{} && p.c != p.d) || !a || !b || !d || d->op != CblasNoTrans)
    return false;
  blas::gemm(a->op, b->op, static_cast<int>(p.m), static_cast<int>(p.n), static_cast<int>(p.k),
             factor_as<T>(p.alpha), static_cast<const T*>(p.a.data), static_cast<int>(a->ld),
             static_cast<const T*>(p.b.data), static_cast<int>(b->ld), factor_as<T>(p.beta),
             writable<T>(p.d), static_cast<int>(d->ld));
  return true;
}

template <class T>
void multiply_as(const Product& p) {
  if (!multiply_in_place<T>(p)) multiply_blocks<T>(p);
}

bool is_any(cudaDataType type, std::initializer_list<cudaDataType> types) {
  return std::find(types.begin(), types.end(), type) != types.end();
}

}  // namespace

Matrix operand(const void* data, cudaDataType type, int64_t ld, cublasOperation_t op) {
  return op == CUBLAS_OP_N ? Matrix{data, type, 1, ld, false}
                           : Matrix{data, type, ld, 1, op == CUBLAS_OP_C};
}

void multiply(const Product& product) {
  if (product.m <= 0 || product.n <= 0) return;
  switch (product.accumulator) {
    case Accumulator::f32:
      return multiply_as<float>(product);
    case Accumulator::c32:
      return multiply_as<Complex>(product);
    case Accumulator::c64:
      return multiply_as<DoubleComplex>(product);
    case Accumulator::f64:
    case Accumulator::integer:
      return multiply_as<double>(product);
  }
}

std::optional<Computation> computation_of(cublasComputeType_t compute, cudaDataType a,
                                          cudaDataType b, cudaDataType c) {
  const bool f8 =
      is_any(a, {CUDA_R_8F_E4M3, CUDA_R_8F_E5M2}) && is_any(b, {CUDA_R_8F_E4M3, CUDA_R_8F_E5M2});
  const bool same = a == b;
  switch (compute) {
    case CUBLAS_COMPUTE_16F:
    case CUBLAS_COMPUTE_16F_PEDANTIC:
      if (same && a == CUDA_R_16F && c == CUDA_R_16F)
        return Computation{Accumulator::f32, CUDA_R_16F};
      return std::nullopt;
    case CUBLAS_COMPUTE_32I:
    case CUBLAS_COMPUTE_32I_PEDANTIC:
      if (same && a == CUDA_R_8I && c == CUDA_R_32I)
        return Computation{Accumulator::integer, CUDA_R_32I};
      if (same && a == CUDA_R_8I && c == CUDA_R_8I)
        return Computation{Accumulator::integer, CUDA_R_32F};
      return std::nullopt;
    case CUBLAS_COMPUTE_32F:
    case CUBLAS_COMPUTE_32F_PEDANTIC:
      if (same && a == CUDA_R_16BF && is_any(c, {CUDA_R_16BF, CUDA_R_32F}))
        return Computation{Accumulator::f32, CUDA_R_32F};
      if (same && a == CUDA_R_16F && is_any(c, {CUDA_R_16F, CUDA_R_32F}))
        return Computation{Accumulator::f32, CUDA_R_32F};
      if (same && a == CUDA_R_8I && c == CUDA_R_32F)
        return Computation{Accumulator::integer, CUDA_R_32F};
      if (same && a == CUDA_C_8I && c == CUDA_C_32F)
        return Computation{Accumulator::c64, CUDA_C_32F};
      if (f8 && is_any(c, {CUDA_R_16BF, CUDA_R_16F, CUDA_R_32F}))
        return Computation{Accumulator::f32, CUDA_R_32F};
      [[fallthrough]];
    case CUBLAS_COMPUTE_32F_FAST_16F:
    case CUBLAS_COMPUTE_32F_FAST_16BF:
    case CUBLAS_COMPUTE_32F_FAST_TF32:
    case CUBLAS_COMPUTE_32F_EMULATED_16BFX9:
      if (same && a == CUDA_R_32F && c == CUDA_R_32F)
        return Computation{Accumulator::f32, CUDA_R_32F};
      if (same && a == CUDA_C_32F && c == CUDA_C_32F)
        return Computation{Accumulator::c32, CUDA_C_32F};
      return std::nullopt;
    case CUBLAS_COMPUTE_64F:
    case CUBLAS_COMPUTE_64F_PEDANTIC:
    case CUBLAS_COMPUTE_64F_EMULATED_FIXEDPOINT:
      if (same && a == CUDA_R_64F && c == CUDA_R_64F)
        return Computation{Accumulator::f64, CUDA_R_64F};
      if (same && a == CUDA_C_64F && c == CUDA_C_64F)
        return Computation{Accumulator::c64, CUDA_C_64F};
      return std::nullopt;
    default:
      return std::nullopt;
  }
}

DoubleComplex read_factor(const void* from, cudaDataType scale) {
  DoubleComplex value;
  visit_type(scale,
             [&]<class E>(E) { value = DoubleComplex(widen(*static_cast<const E*>(from))); });
  return value;
}

}  // namespace heddle::mathlibs
