// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See gemm.h.
#include "mathlibs/api/gemm.h"

namespace heddle::mathlibs {
namespace {

/// A factor whose type is known at run time: read at the call, or on the device when the task runs.
struct Factor {
  DoubleComplex value;
  const void* on_device = nullptr;
  cudaDataType type = CUDA_R_32F;
  DoubleComplex operator()() const { return on_device ? read_factor(on_device, type) : value; }
};

Factor read(Call& call, const void* pointer, cudaDataType type, const char* what) {
  call.require(pointer, what);
  if (!call.ok()) return {};
  if (call.results_on_host()) return {read_factor(pointer, type), nullptr, type};
  call.memory(pointer, 1, size_of(type), what);
  return {{}, pointer, type};
}

/// The matrices of a batch; `elements` is the extent of one.
void check(Call& call, const MatrixArgument& matrix, int64_t elements, int64_t batch, bool pointers,
           const char* what) {
  if (pointers) {
    call.memory(matrix.data, batch, sizeof(void*), what);
    return;
  }
  const int64_t size = size_of(matrix.type);
  if (matrix.stride >= 0) {
    call.memory(matrix.data, extent(elements, batch, matrix.stride), size, what);
  } else {
    call.require(false, "a stride is negative");
  }
}

/// Matrix `i` of a batch.
const char* member(const MatrixArgument& matrix, int64_t i, bool pointers) {
  if (pointers) return static_cast<const char* const*>(matrix.data)[i];
  return static_cast<const char*>(matrix.data) + i * matrix.stride * size_of(matrix.type);
}

/// Whether the matrices to which the pointers of a batch point are the device's.
bool is_valid(const MatrixArgument& matrix, const void* data, int64_t elements, bool pointers) {
  return !pointers || elements == 0 || is_device_range(data, elements * size_of(matrix.type));
}

constexpr const char* kWrongPointer = "a pointer of the batch does not lie in the device's memory";

/// The first element of a vector that begins at `data` in memory.
const void* first(const MatrixArgument& vector, const char* data, int64_t n) {
  return vector.ld < 0 ? data - (n - 1) * vector.ld * size_of(vector.type) : data;
}

}  // namespace

cublasStatus_t gemm(cublasHandle_t handle, const GemmArguments& g) {
  Call call(handle);
  call.operation(g.transa).operation(g.transb);
  call.size(g.m, "m is negative or has more than 31 bits")
      .size(g.n, "n is negative or has more than 31 bits");
  call.size(g.k, "k is negative or has more than 31 bits")
      .require(g.batch >= 0, "the batch is negative");
  const auto computation = computation_of(g.compute, g.a.type, g.b.type, g.c.type);
  call.support(computation.has_value(), "the combination of types is not supported");
  if (!call.ok()) return call.status();
  const int64_t arows = g.transa == CUBLAS_OP_N ? g.m : g.k,
                acols = g.transa == CUBLAS_OP_N ? g.k : g.m;
  const int64_t brows = g.transb == CUBLAS_OP_N ? g.k : g.n,
                bcols = g.transb == CUBLAS_OP_N ? g.n : g.k;
  call.leading(arows, g.a.ld, "A").leading(brows, g.b.ld, "B").leading(g.m, g.c.ld, "C");
  if (!call.ok() || g.m == 0 || g.n == 0 || g.batch == 0) return call.status();

  const Factor alpha =
      read(call, g.alpha, computation->scale, "alpha is null or not on the device");
  const Factor beta = read(call, g.beta, computation->scale, "beta is null or not on the device");
  const int64_t a = extent(arows, acols, g.a.ld), b = extent(brows, bcols, g.b.ld),
                c = extent(g.m, g.n, g.c.ld);
  check(call, g.a, a, g.batch, g.pointers, "A");
  check(call, g.b, b, g.batch, g.pointers, "B");
  check(call, g.c, c, g.batch, g.pointers, "C");
  return call.run_checked([=, kind = computation->accumulator]() -> const char* {
    Product p{.m = g.m, .n = g.n, .k = g.k, .accumulator = kind, .alpha = alpha(), .beta = beta()};
    for (int64_t i = 0; i < g.batch; ++i) {
      p.a = operand(member(g.a, i, g.pointers), g.a.type, g.a.ld, g.transa);
      p.b = operand(member(g.b, i, g.pointers), g.b.type, g.b.ld, g.transb);
      p.c = p.d = operand(member(g.c, i, g.pointers), g.c.type, g.c.ld, CUBLAS_OP_N);
      if (!is_valid(g.a, p.a.data, a, g.pointers) || !is_valid(g.b, p.b.data, b, g.pointers) ||
          !is_valid(g.c, p.c.data, c, g.pointers))
        return kWrongPointer;
      multiply(p);
    }
    return nullptr;
  });
}

cublasStatus_t gemv_batch(cublasHandle_t handle, const GemvArguments& g) {
  Call call(handle);
  call.operation(g.trans).require(g.batch >= 0, "the batch is negative");
  call.size(g.m, "m is negative or has more than 31 bits")
      .size(g.n, "n is negative or has more than 31 bits");
  call.require(g.x.ld != 0 && g.y.ld != 0, "an increment is 0").leading(g.m, g.a.ld, "A");
  const auto computation = computation_of(g.compute, g.a.type, g.x.type, g.y.type);
  call.support(computation.has_value(), "the combination of types is not supported");
  if (!call.ok() || g.m == 0 || g.n == 0 || g.batch == 0) return call.status();

  const Factor alpha =
      read(call, g.alpha, computation->scale, "alpha is null or not on the device");
  const Factor beta = read(call, g.beta, computation->scale, "beta is null or not on the device");
  const int64_t in = g.trans == CUBLAS_OP_N ? g.n : g.m, out = g.trans == CUBLAS_OP_N ? g.m : g.n;
  const int64_t a = extent(g.m, g.n, g.a.ld), x = extent(in, g.x.ld), y = extent(out, g.y.ld);
  check(call, g.a, a, g.batch, g.pointers, "A");
  check(call, g.x, x, g.batch, g.pointers, "x");
  check(call, g.y, y, g.batch, g.pointers, "y");
  return call.run_checked([=, kind = computation->accumulator]() -> const char* {
    Product p{.m = out, .n = 1, .k = in, .accumulator = kind, .alpha = alpha(), .beta = beta()};
    for (int64_t i = 0; i < g.batch; ++i) {
      const char* const from = member(g.x, i, g.pointers);
      const char* const to = member(g.y, i, g.pointers);
      p.a = operand(member(g.a, i, g.pointers), g.a.type, g.a.ld, g.trans);
      if (!is_valid(g.a, p.a.data, a, g.pointers) || !is_valid(g.x, from, x, g.pointers) ||
          !is_valid(g.y, to, y, g.pointers))
        return kWrongPointer;
      p.b = {first(g.x, from, in), g.x.type, g.x.ld, 1, false};
      p.c = p.d = {first(g.y, to, out), g.y.type, g.y.ld, std::max<int64_t>(out, 1), false};
      multiply(p);
    }
    return nullptr;
  });
}

}  // namespace heddle::mathlibs
