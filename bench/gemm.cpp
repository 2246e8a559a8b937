// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A matrix product of halves with f32 sums on Heddle, beside OpenBLAS's sgemm, if it is installed:
// each on one thread. They run in turn; the medians of their processor times are printed.
#include <dlfcn.h>
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <ctime>
#include <fstream>
#include <functional>
#include <iterator>
#include <string>
#include <vector>

#include "base/check.h"
#include "driver/api.h"

namespace {

constexpr int kM = 1024, kN = 1024, kK = 512, kTile = 128, kStep = 32, kRounds = 11;

void ok(CUresult result) { HEDDLE_CHECK(result == CUDA_SUCCESS); }

/// A number from 1 to 1.875, which a half holds exactly, at a place of A or B.
int eighths(int place) { return 8 + place * 37 % 101 % 8; }

class Kernel {
 public:
  Kernel() {
    ok(cuInit(0));
    ok(cuDevicePrimaryCtxRetain(&context_, 0));
    ok(cuCtxSetCurrent(context_));
    std::ifstream file(HEDDLE_BENCH_PTX "/gemm_f16.ptx");
    const std::string ptx(std::istreambuf_iterator<char>(file), {});
    ok(cuModuleLoadData(&module_, ptx.c_str()));
    ok(cuModuleGetFunction(&function_, module_, "gemm_f16"));
    a_ = {halves(kM * kK), kM, kK * 2, kK * 2};
    b_ = {halves(kK * kN), kK, kN * 2, kN * 2};
    ok(cuMemAlloc_v2(&d_, sizeof(float) * kM * kN));
  }

  void run() {
    int steps = kK / kStep, n = kN;
    void* parameters[] = {&a_, &b_, &steps, &d_, &n};
    ok(cuLaunchKernel(function_, kN / kTile, kM / kTile, 1, 128, 1, 1, 0, nullptr, parameters,
                      nullptr));
    ok(cuCtxSynchronize());
  }
  std::vector<float> result() const {
    std::vector<float> d(kM * kN);
    ok(cuMemcpyDtoH_v2(d.data(), d_, sizeof(float) * d.size()));
    return d;
  }

 private:
  struct Operand {  // as in tests/kernels/tiled_gemm.h
    CUdeviceptr data;
    int rows, bytes, pitch;
  };

  static CUdeviceptr halves(int count) {
    std::vector<uint16_t> values;
    for (int i = 0; i < count; ++i)
      values.push_back(static_cast<uint16_t>(0x3c00 + (eighths(i) - 8) * 0x80));
    CUdeviceptr address = 0;
    ok(cuMemAlloc_v2(&address, values.size() * 2));
    ok(cuMemcpyHtoD_v2(address, values.data(), values.size() * 2));
    return address;
  }

  CUcontext context_ = nullptr;
  CUmodule module_ = nullptr;
  CUfunction function_ = nullptr;
  Operand a_{}, b_{};
  CUdeviceptr d_ = 0;
};

/// The same product by OpenBLAS in f32.
class OpenBlas {
 public:
  OpenBlas() : library_(dlopen("libopenblas.so.0", RTLD_NOW)), a_(kM * kK), b_(kK * kN) {
    if (!library_) return;
    sgemm_ = reinterpret_cast<Sgemm*>(dlsym(library_, "cblas_sgemm"));
    reinterpret_cast<void (*)(int)>(dlsym(library_, "openblas_set_num_threads"))(1);
    for (int i = 0; i < kM * kK; ++i) a_[static_cast<size_t>(i)] = float(eighths(i)) / 8;
    for (int i = 0; i < kK * kN; ++i) b_[static_cast<size_t>(i)] = float(eighths(i)) / 8;
  }
  bool is_installed() const { return library_ != nullptr; }

  void run() {
    constexpr int kRowMajor = 101, kNotTransposed = 111;
    sgemm_(kRowMajor, kNotTransposed, kNotTransposed, kM, kN, kK, 1, a_.data(), kK, b_.data(), kN,
           0, d_.data(), kN);
  }
  const std::vector<float>& result() const { return d_; }

 private:
  using Sgemm = void(int order, int transpose_a, int transpose_b, int m, int n, int k, float alpha,
                     const float* a, int pitch_a, const float* b, int pitch_b, float beta, float* d,
                     int pitch_d);
  void* library_;
  Sgemm* sgemm_ = nullptr;
  std::vector<float> a_, b_, d_ = std::vector<float>(kM * kN);
};

/// The processor time of a run.
double milliseconds(const std::function<void()>& run) {
  const std::clock_t begin = std::clock();
  run();
  return 1e3 * static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC;
}
double median(std::vector<double>& times) {
  std::sort(times.begin(), times.end());
  return times[times.size() / 2];
}
std::string row(const char* name, double time) {
  return fmt::format("{:<24} {:8.1f} ms {:8.1f} GFLOP/s\n", name, time,
                     2.0 * kM * kN * kK / time / 1e6);
}

}  // namespace

int main() {
  setenv("HEDDLE_THREADS", "1", 1);
  setenv("HEDDLE_ENGINE", "jit", 0);
  Kernel kernel;
  OpenBlas blas;
  std::vector<double> kernel_times, blas_times;
  kernel.run();  // compiles it
  if (blas.is_installed()) {
    blas.run();
    HEDDLE_CHECK(kernel.result() == blas.result());  // the sums are exact
  }
  for (int round = 0; round < kRounds; ++round) {
    kernel_times.push_back(milliseconds([&] { kernel.run(); }));
    if (blas.is_installed()) blas_times.push_back(milliseconds([&] { blas.run(); }));
  }
  fmt::print("{} x {} x {}, one thread\n{}", kM, kN, kK,
             row("mma.sync f16, Heddle", median(kernel_times)));
  if (!blas.is_installed()) {
    fmt::print("OpenBLAS is not installed (libopenblas0): no comparison\n");
    return 0;
  }
  fmt::print("{}Heddle takes {:.2f} times as long\n", row("sgemm, OpenBLAS", median(blas_times)),
             median(kernel_times) / median(blas_times));
}
