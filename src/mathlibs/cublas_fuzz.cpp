// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Calls of libcublas and libcublasLt whose sizes, enumerators and pointers the input chooses: each
// must return a status, and no call may touch memory that is not the device's.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <vector>

#include "driver/api.h"
#include "mathlibs/api.h"

namespace {

/// The device's memory that calls may use, and memory of the host that they may not.
constexpr size_t kBytes = 1 << 14;
struct World {
  World() {
    CUcontext context = nullptr;
    CUdeviceptr address = 0;
    if (cuInit(0) || cuCtxCreate_v2(&context, 0, 0) || cuMemAlloc_v2(&address, kBytes) ||
        cublasCreate_v2(&handle) || cublasLtCreate(&lt))
      std::abort();
    device = reinterpret_cast<char*>(address);
  }
  char* device = nullptr;
  std::vector<char> host = std::vector<char>(kBytes, 0x11);
  cublasHandle_t handle = nullptr;
  cublasLtHandle_t lt = nullptr;
};

class Input {
 public:
  Input(World& world, const uint8_t* data, size_t size) : world_(world), data_(data), left_(size) {}
  bool has_more() const { return left_ > 0; }
  uint8_t byte() {
    if (!left_) return 0;
    --left_;
    return *data_++;
  }
  /// Mostly sizes that fit the memory.
  int size() {
    constexpr int kOdd[] = {-1, std::numeric_limits<int>::max(), std::numeric_limits<int>::min(),
                            1 << 20};
    const uint8_t b = byte();
    return b < 248 ? b % 31 : kOdd[b % 4];
  }
  int64_t wide() {
    constexpr int64_t kOdd[] = {std::numeric_limits<int64_t>::max(),
                                std::numeric_limits<int64_t>::min(), int64_t{1} << 32,
                                int64_t{1} << 62};
    const uint8_t b = byte();
    return b < 240 ? size() : kOdd[b % 4];
  }
  int batch() { return byte() % 6 - 1; }
  int increment() { return byte() % 9 - 4; }
  template <class Enum>
  Enum choice(int count) {
    const uint8_t b = byte();
    return static_cast<Enum>(b < 250 ? b % (count + 1) : -b);
  }
  cublasOperation_t op() { return choice<cublasOperation_t>(3); }
  cublasFillMode_t fill() { return choice<cublasFillMode_t>(2); }
  cublasSideMode_t side() { return choice<cublasSideMode_t>(2); }
  cublasDiagType_t diag() { return choice<cublasDiagType_t>(2); }
  cudaDataType type() { return choice<cudaDataType>(34); }
  cublasComputeType_t compute() { return static_cast<cublasComputeType_t>(62 + byte() % 20); }
  /// Mostly an address on the device.
  template <class T>
  T* pointer() {
    const uint8_t b = byte();
    if (b < 200) return reinterpret_cast<T*>(world_.device + b * 16);
    if (b < 225) return reinterpret_cast<T*>(world_.device + kBytes - b % 25);
    if (b < 240) return reinterpret_cast<T*>(world_.host.data());
    return b < 250 ? nullptr : reinterpret_cast<T*>(~uintptr_t{0} - b);
  }
  /// A factor or result: on the host unless the pointer mode says otherwise.
  template <class T>
  T* scalar() {
    const uint8_t b = byte();
    if (b >= 250) return nullptr;
    cublasPointerMode_t mode{};
    cublasGetPointerMode_v2(world_.handle, &mode);
    if (mode == CUBLAS_POINTER_MODE_DEVICE)
      return b >= 240 ? reinterpret_cast<T*>(scalars_) : pointer<T>();
    scalars_[b % 4] = b % 3;
    return reinterpret_cast<T*>(scalars_ + b % 4);
  }

 private:
  World& world_;
  const uint8_t* data_;
  size_t left_;
  double scalars_[8] = {};
};

void call_level1(cublasHandle_t h, Input& in) {
  const int n = in.size();
  const auto x = in.pointer<float>(), y = in.pointer<float>();
  const auto z = in.pointer<cuDoubleComplex>();
  switch (in.byte() % 9) {
    case 0:
      cublasSaxpy_v2(h, n, in.scalar<float>(), x, in.increment(), y, in.increment());
      break;
    case 1:
      cublasSdot_v2(h, n, x, in.increment(), y, in.increment(), in.scalar<float>());
      break;
    case 2:
      cublasZdotc_v2(h, n, z, in.increment(), z, in.increment(), in.scalar<cuDoubleComplex>());
      break;
    case 3:
      cublasDznrm2_v2(h, n, z, in.increment(), in.scalar<double>());
      break;
    case 4:
      cublasIsamax_v2_64(h, in.wide(), x, in.wide(), in.scalar<int64_t>());
      break;
    case 5:
      cublasSrot_v2(h, n, x, in.increment(), y, in.increment(), in.scalar<float>(),
                    in.scalar<float>());
      break;
    case 6:
      cublasScalEx(h, n, in.scalar<void>(), in.type(), x, in.type(), in.increment(), in.type());
      break;
    case 7:
      cublasDotEx(h, n, x, in.type(), in.increment(), y, in.type(), in.increment(),
                  in.scalar<void>(), in.type(), in.type());
      break;
    default:
      cublasScopy_v2_64(h, in.wide(), x, in.wide(), y, in.wide());
      break;
  }
}

void call_level2(cublasHandle_t h, Input& in) {
  const int n = in.size(), m = in.size();
  const auto a = in.pointer<double>(), x = in.pointer<double>(), y = in.pointer<double>();
  const auto fill = in.fill();
  switch (in.byte() % 8) {
    case 0:
      cublasDgemv_v2(h, in.op(), m, n, in.scalar<double>(), a, in.size(), x, in.increment(),
                     in.scalar<double>(), y, in.increment());
      break;
    case 1:
      cublasDgbmv_v2(h, in.op(), m, n, in.size(), in.size(), in.scalar<double>(), a, in.size(), x,
                     in.increment(), in.scalar<double>(), y, in.increment());
      break;
    case 2:
      cublasDtrsv_v2(h, fill, in.op(), in.diag(), n, a, in.size(), x, in.increment());
      break;
    case 3:
      cublasDtbmv_v2(h, fill, in.op(), in.diag(), n, m, a, in.size(), x, in.increment());
      break;
    case 4:
      cublasDtpsv_v2_64(h, fill, in.op(), in.diag(), in.wide(), a, x, in.wide());
      break;
    case 5:
      cublasDspmv_v2(h, fill, n, in.scalar<double>(), a, x, in.increment(), in.scalar<double>(), y,
                     in.increment());
      break;
    case 6:
      cublasDger_v2(h, m, n, in.scalar<double>(), x, in.increment(), y, in.increment(), a,
                    in.size());
      break;
    default:
      cublasDsbmv_v2_64(h, fill, in.wide(), in.wide(), in.scalar<double>(), a, in.wide(), x,
                        in.wide(), in.scalar<double>(), y, in.wide());
      break;
  }
}

void call_level3(cublasHandle_t h, Input& in) {
  const int n = in.size(), m = in.size();
  const auto a = in.pointer<cuComplex>(), b = in.pointer<cuComplex>(), c = in.pointer<cuComplex>();
  const auto fill = in.fill();
  switch (in.byte() % 8) {
    case 0:
      cublasCsymm_v2(h, in.side(), fill, m, n, in.scalar<cuComplex>(), a, in.size(), b, in.size(),
                     in.scalar<cuComplex>(), c, in.size());
      break;
    case 1:
      cublasCherk_v2(h, fill, in.op(), m, n, in.scalar<float>(), a, in.size(), in.scalar<float>(),
                     c, in.size());
      break;
    case 2:
      cublasCsyr2k_v2(h, fill, in.op(), m, n, in.scalar<cuComplex>(), a, in.size(), b, in.size(),
                      in.scalar<cuComplex>(), c, in.size());
      break;
    case 3:
      cublasCtrsm_v2(h, in.side(), fill, in.op(), in.diag(), m, n, in.scalar<cuComplex>(), a,
                     in.size(), c, in.size());
      break;
    case 4:
      cublasCtrmm_v2(h, in.side(), fill, in.op(), in.diag(), m, n, in.scalar<cuComplex>(), a,
                     in.size(), b, in.size(), c, in.size());
      break;
    case 5:
      cublasCgeam(h, in.op(), in.op(), m, n, in.scalar<cuComplex>(), a, in.size(),
                  in.scalar<cuComplex>(), b, in.size(), c, in.size());
      break;
    case 6:
      cublasCdgmm(h, in.side(), m, n, a, in.size(), b, in.increment(), c, in.size());
      break;
    default:
      cublasCherkx(h, fill, in.op(), m, n, in.scalar<cuComplex>(), a, in.size(), b, in.size(),
                   in.scalar<float>(), c, in.size());
      break;
  }
}

void call_gemm(cublasHandle_t h, Input& in) {
  const auto opa = in.op(), opb = in.op();
  const int m = in.size(), n = in.size(), k = in.size();
  const auto a = in.pointer<void>(), b = in.pointer<void>(), c = in.pointer<void>();
  const auto as = static_cast<const void* const*>(a), bs = static_cast<const void* const*>(b);
  const auto cs = static_cast<void* const*>(c);
  const auto algo = CUBLAS_GEMM_DEFAULT;
  switch (in.byte() % 6) {
    case 0:
      cublasGemmEx(h, opa, opb, m, n, k, in.scalar<void>(), a, in.type(), in.size(), b, in.type(),
                   in.size(), in.scalar<void>(), c, in.type(), in.size(), in.compute(), algo);
      break;
    case 1:
      cublasGemmStridedBatchedEx(h, opa, opb, m, n, k, in.scalar<void>(), a, in.type(), in.size(),
                                 in.wide(), b, in.type(), in.size(), in.wide(), in.scalar<void>(),
                                 c, in.type(), in.size(), in.wide(), in.batch(), in.compute(),
                                 algo);
      break;
    case 2:
      cublasGemmBatchedEx(h, opa, opb, m, n, k, in.scalar<void>(), as, in.type(), in.size(), bs,
                          in.type(), in.size(), in.scalar<void>(), cs, in.type(), in.size(),
                          in.batch(), in.compute(), algo);
      break;
    case 3:
      cublasSgemm_v2_64(h, opa, opb, in.wide(), in.wide(), in.wide(), in.scalar<float>(),
                        static_cast<float*>(a), in.wide(), static_cast<float*>(b), in.wide(),
                        in.scalar<float>(), static_cast<float*>(c), in.wide());
      break;
    case 4:
      cublasDgetrfBatched(h, n, static_cast<double* const*>(c), in.size(), in.pointer<int>(),
                          in.pointer<int>(), in.batch());
      break;
    default:
      cublasSgemvStridedBatched(h, opa, m, n, in.scalar<float>(), static_cast<float*>(a), in.size(),
                                in.wide(), static_cast<float*>(b), in.increment(), in.wide(),
                                in.scalar<float>(), static_cast<float*>(c), in.increment(),
                                in.wide(), in.batch());
      break;
  }
}

cublasLtMatrixLayoutOpaque_t layout(Input& in) {
  cublasLtMatrixLayoutOpaque_t made = {};
  const uint8_t attributes = in.byte();
  cublasLtMatrixLayoutInit_internal(&made, sizeof made, in.type(), static_cast<uint64_t>(in.wide()),
                                    static_cast<uint64_t>(in.wide()), in.wide());
  const int32_t order = in.byte() % 4, batch = in.batch();
  const int64_t stride = in.wide();
  if (attributes & 1)
    cublasLtMatrixLayoutSetAttribute(&made, CUBLASLT_MATRIX_LAYOUT_ORDER, &order, sizeof order);
  if (attributes & 2)
    cublasLtMatrixLayoutSetAttribute(&made, CUBLASLT_MATRIX_LAYOUT_BATCH_COUNT, &batch,
                                     sizeof batch);
  if (attributes & 2)
    cublasLtMatrixLayoutSetAttribute(&made, CUBLASLT_MATRIX_LAYOUT_STRIDED_BATCH_OFFSET, &stride,
                                     sizeof stride);
  return made;
}

void call_lt(World& world, Input& in) {
  auto a = layout(in), b = layout(in), c = layout(in), d = layout(in);
  cublasLtMatmulDescOpaque_t desc = {};
  cublasLtMatmulDescInit_internal(&desc, sizeof desc, in.compute(), in.type());
  for (int count = in.byte() % 6; count > 0; --count) {
    uint8_t buffer[8] = {};
    for (uint8_t& x : buffer) x = in.byte();
    const auto attribute = static_cast<cublasLtMatmulDescAttributes_t>(in.byte() % 40);
    void* const pointer = in.pointer<void>();
    if (in.byte() & 1) std::memcpy(buffer, static_cast<const void*>(&pointer), sizeof pointer);
    // An address that is to be read on the host is not the input's to choose.
    if (attribute == CUBLASLT_MATMUL_DESC_POINTER_MODE) std::memset(buffer, 0, sizeof buffer);
    if (cublasLtMatmulDescSetAttribute(&desc, attribute, buffer, 8)) {
      const uint32_t small = buffer[0] & 1 ? buffer[1] : 0;
      cublasLtMatmulDescSetAttribute(&desc, attribute, &small, sizeof small);
    }
  }
  const double factors[4] = {1, 0, 1, 0};
  cublasLtMatmul(world.lt, &desc, factors, in.pointer<void>(), &a, in.pointer<void>(), &b,
                 factors + 2, in.pointer<void>(), &c, in.pointer<void>(), &d, nullptr, nullptr, 0,
                 nullptr);
  cublasLtMatmulHeuristicResult_t result = {};
  int found = 0;
  cublasLtMatmulAlgoGetHeuristic(world.lt, &desc, &a, &b, &c, &d, nullptr, 1, &result, &found);
  cublasLtMatrixTransformDescOpaque_t transform = {};
  cublasLtMatrixTransformDescInit_internal(&transform, sizeof transform, in.type());
  cublasLtMatrixTransform(world.lt, &transform, factors, in.pointer<void>(), &a, factors,
                          in.pointer<void>(), &b, in.pointer<void>(), &c, nullptr);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static World world;
  Input in(world, data, size);
  while (in.has_more()) {
    cublasSetPointerMode_v2(world.handle,
                            in.byte() & 1 ? CUBLAS_POINTER_MODE_DEVICE : CUBLAS_POINTER_MODE_HOST);
    switch (in.byte() % 5) {
      case 0:
        call_level1(world.handle, in);
        break;
      case 1:
        call_level2(world.handle, in);
        break;
      case 2:
        call_level3(world.handle, in);
        break;
      case 3:
        call_gemm(world.handle, in);
        break;
      default:
        call_lt(world, in);
        break;
    }
  }
  if (cuCtxSynchronize()) std::abort();
  for (const char x : world.host) {
    if (x != 0x11) std::abort();
  }
  return 0;
}
