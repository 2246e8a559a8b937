// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The time of a warp instruction in the interpreter, next to native code for the same job in the
// same run. The kernels execute a known number of instructions, so "warp-instruction" is time over
// count. One host thread runs, with data in the L2 cache; interpreted_matmul_two_threads has a
// second one.
#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <cstring>
#include <string>
#include <vector>

#include "check/check.h"
#include "interp/bench_sizes.h"
#include "interp/program.h"
#include "machine/launch.h"
#include "machine/pool.h"

namespace heddle::interp {
namespace {

using namespace bench;

constexpr const char* kSaxpy = R"(
.version 7.0
.target sm_75
.address_size 64
.visible .entry saxpy(.param .u32 n, .param .f32 a, .param .u64 x, .param .u64 y) {
  .reg .u32 %r<8>; .reg .u64 %rd<8>; .reg .f32 %f<8>; .reg .pred %p<2>;
  ld.param.u32 %r1, [n];
  ld.param.f32 %f1, [a];
  ld.param.u64 %rd1, [x];
  ld.param.u64 %rd2, [y];
  mov.u32 %r2, %ctaid.x;
  mov.u32 %r3, %ntid.x;
  mov.u32 %r4, %tid.x;
  mad.lo.s32 %r5, %r2, %r3, %r4;
  setp.ge.s32 %p1, %r5, %r1;
  @%p1 bra L;
  cvta.to.global.u64 %rd3, %rd1;
  cvta.to.global.u64 %rd4, %rd2;
  mul.wide.s32 %rd5, %r5, 4;
  add.s64 %rd6, %rd3, %rd5;
  add.s64 %rd7, %rd4, %rd5;
  ld.global.f32 %f2, [%rd6];
  ld.global.f32 %f3, [%rd7];
  fma.rn.f32 %f4, %f1, %f2, %f3;
  st.global.f32 [%rd7], %f4;
L:
  ret;
})";

constexpr const char* kMandelbrot = R"(
.version 7.0
.target sm_75
.address_size 64
.visible .entry mandelbrot(.param .u64 out, .param .u32 most, .param .f32 step) {
  .reg .u32 %r<8>; .reg .u64 %rd<8>; .reg .f32 %f<12>; .reg .pred %p<3>;
  ld.param.u64 %rd1, [out];
  ld.param.u32 %r1, [most];
  ld.param.f32 %f9, [step];
  mov.u32 %r2, %ctaid.x;
  mov.u32 %r3, %ntid.x;
  mov.u32 %r4, %tid.x;
  mad.lo.s32 %r5, %r2, %r3, %r4;
  cvt.rn.f32.u32 %f1, %r5;
  mul.f32 %f1, %f1, %f9;
  mov.f32 %f2, 0f3DCCCCCD;
  mov.f32 %f3, 0f00000000;
  mov.f32 %f4, 0f00000000;
  mov.u32 %r6, 0;
L1:
  mul.f32 %f5, %f3, %f3;
  mul.f32 %f6, %f4, %f4;
  add.f32 %f7, %f5, %f6;
  setp.gt.f32 %p1, %f7, 0f40800000;
  @%p1 bra L2;
  sub.f32 %f8, %f5, %f6;
  add.f32 %f8, %f8, %f1;
  mul.f32 %f3, %f3, %f4;
  fma.rn.f32 %f4, %f3, 0f40000000, %f2;
  mov.f32 %f3, %f8;
  add.s32 %r6, %r6, 1;
  setp.lt.u32 %p2, %r6, %r1;
  @%p2 bra L1;
L2:
  cvta.to.global.u64 %rd2, %rd1;
  mul.wide.u32 %rd3, %r5, 4;
  add.s64 %rd4, %rd2, %rd3;
  st.global.u32 [%rd4], %r6;
  ret;
})";

/// C = A B with tiles of 32x32 in shared memory. The inner loop is unrolled, as compilers do.
std::string matmul_text() {
  std::string text = R"(
.version 7.0
.target sm_75
.address_size 64
.visible .entry matmul(.param .u64 a, .param .u64 b, .param .u64 c, .param .u32 n) {
  .reg .u32 %r<32>; .reg .u64 %rd<16>; .reg .f32 %f<8>; .reg .pred %p<2>;
  .shared .align 4 .b8 as[4096];
  .shared .align 4 .b8 bs[4096];
  ld.param.u64 %rd1, [a];
  ld.param.u64 %rd2, [b];
  ld.param.u64 %rd3, [c];
  ld.param.u32 %r1, [n];
  mov.u32 %r2, %tid.x;
  mov.u32 %r3, %tid.y;
  mov.u32 %r4, %ctaid.x;
  mov.u32 %r5, %ctaid.y;
  mad.lo.u32 %r6, %r5, 32, %r3;
  mad.lo.u32 %r7, %r4, 32, %r2;
  mul.lo.u32 %r8, %r6, %r1;
  add.u32 %r9, %r8, %r2;
  mad.lo.u32 %r10, %r3, %r1, %r7;
  mul.wide.u32 %rd4, %r9, 4;
  mul.wide.u32 %rd5, %r10, 4;
  add.u64 %rd6, %rd1, %rd4;
  add.u64 %rd7, %rd2, %rd5;
  mul.wide.u32 %rd8, %r1, 128;
  mov.u32 %r11, as;
  shl.b32 %r12, %r3, 7;
  add.u32 %r13, %r11, %r12;
  shl.b32 %r14, %r2, 2;
  add.u32 %r15, %r13, %r14;
  mov.u32 %r16, bs;
  add.u32 %r17, %r16, %r14;
  add.u32 %r18, %r17, %r12;
  mov.f32 %f1, 0f00000000;
  mov.u32 %r19, 0;
L:
  ld.global.f32 %f2, [%rd6];
  ld.global.f32 %f3, [%rd7];
  st.shared.f32 [%r15], %f2;
  st.shared.f32 [%r18], %f3;
  bar.sync 0;
)";
  for (u32 k = 0; k < kTile; ++k) {
    text += fmt::format(
        "ld.shared.f32 %f4, [%r13+{}];\nld.shared.f32 %f5, [%r17+{}];\n"
        "fma.rn.f32 %f1, %f4, %f5, %f1;\n",
        4 * k, 4 * kTile * k);
  }
  return text + R"(
  bar.sync 0;
  add.u64 %rd6, %rd6, 128;
  add.u64 %rd7, %rd7, %rd8;
  add.u32 %r19, %r19, 32;
  setp.lt.u32 %p1, %r19, %r1;
  @%p1 bra L;
  add.u32 %r20, %r8, %r7;
  mul.wide.u32 %rd9, %r20, 4;
  add.u64 %rd10, %rd3, %rd9;
  st.global.f32 [%rd10], %f1;
  ret;
})";
}

/// A compiled kernel with its device, ready to be launched again and again.
class Kernel {
 public:
  explicit Kernel(const std::string& text, u32 workers = 1)
      : memory_(std::move(*machine::Memory::create(u64{1} << 30))) {
    const check::Compiled compiled = check::compile({{"<bench>", text}});
    HEDDLE_CHECK(compiled.module);
    loaded_ = *machine::Loaded::create(*memory_, compiled.module);
    program_ = *Interpreter().prepare(loaded_, ir::FunctionId(0));
    config_.block = {kBlock, 1, 1};
    config_.workers = workers;
  }
  void shape(machine::Dim3 grid, machine::Dim3 block) {
    config_.grid = grid;
    config_.block = block;
  }
  u64 buffer(u64 bytes) { return *memory_->allocate(bytes); }
  template <class... Args>
  void arguments(u32 grid, const Args&... args) {
    config_.grid = {grid, 1, 1};
    config_.params.clear();
    (append(args), ...);
  }
  void launch() {
    const auto result = machine::launch(*machine::find_profile(""), *program_, *loaded_,
                                        ir::FunctionId(0), config_);
    HEDDLE_CHECK(std::holds_alternative<std::monostate>(result));
  }

 private:
  template <class T>
  void append(const T& value) {
    std::vector<u8>& params = config_.params;
    params.resize((params.size() + sizeof value - 1) / sizeof value * sizeof value);
    params.resize(params.size() + sizeof value);
    std::memcpy(params.data() + params.size() - sizeof value, &value, sizeof value);
  }
  std::unique_ptr<machine::Memory> memory_;
  std::shared_ptr<const machine::Loaded> loaded_;
  std::shared_ptr<const machine::Program> program_;
  machine::LaunchConfig config_;
};

void report(benchmark::State& state, double warp_instructions) {
  state.counters["warp-instruction"] =
      benchmark::Counter(warp_instructions * static_cast<double>(state.iterations()),
                         benchmark::Counter::kIsRate | benchmark::Counter::kInvert);
}

void interpreted_saxpy(benchmark::State& state) {
  Kernel kernel(kSaxpy);
  const u64 x = kernel.buffer(kCount * 4), y = kernel.buffer(kCount * 4);
  kernel.arguments(kCount / kBlock, kCount, 0.5f, x, y);
  for (auto _ : state) kernel.launch();
  report(state, kSaxpyInstructions);
}
BENCHMARK(interpreted_saxpy)->Unit(benchmark::kMicrosecond);

void native_saxpy(benchmark::State& state) {
  std::vector<float> x(kCount, 1), y(kCount, 2);
  for (auto _ : state) {
    float* __restrict to = y.data();
    const float* __restrict from = x.data();
    for (u32 i = 0; i < kCount; ++i) to[i] += 0.5f * from[i];
    benchmark::ClobberMemory();
  }
  report(state, kSaxpyInstructions);
}
BENCHMARK(native_saxpy)->Unit(benchmark::kMicrosecond);

constexpr float kStep = 0.0f;  // every point is inside, so the number of iterations is known
volatile float step = kStep;   // hides the value from the compiler of the native loop

void interpreted_mandelbrot(benchmark::State& state) {
  Kernel kernel(kMandelbrot);
  kernel.arguments(kPoints / kBlock, kernel.buffer(kPoints * 4), kMost, kStep);
  for (auto _ : state) kernel.launch();
  report(state, kMandelbrotInstructions);
}
BENCHMARK(interpreted_mandelbrot)->Unit(benchmark::kMicrosecond);

void native_mandelbrot(benchmark::State& state) {
  std::vector<u32> out(kPoints);
  for (auto _ : state) {
    for (u32 i = 0; i < kPoints; ++i) {
      const float cx = static_cast<float>(i) * step, cy = 0.1f;
      float x = 0, y = 0;
      u32 n = 0;
      do {
        const float xx = x * x, yy = y * y;
        if (xx + yy > 4.0f) break;
        y = 2 * x * y + cy;
        x = xx - yy + cx;
      } while (++n < kMost);
      out[i] = n;
    }
    u32* result = out.data();
    benchmark::DoNotOptimize(result);
    benchmark::ClobberMemory();
  }
  report(state, kMandelbrotInstructions);
}
BENCHMARK(native_mandelbrot)->Unit(benchmark::kMicrosecond);

void matmul(benchmark::State& state, u32 workers) {
  Kernel kernel(matmul_text(), workers);
  const u64 bytes = u64{kOrder} * kOrder * sizeof(float);
  kernel.arguments(0, kernel.buffer(bytes), kernel.buffer(bytes), kernel.buffer(bytes), kOrder);
  kernel.shape({kOrder / kTile, kOrder / kTile, 1}, {kTile, kTile, 1});
  for (auto _ : state) kernel.launch();
  report(state, kMatmulInstructions);
}
void interpreted_matmul(benchmark::State& state) { matmul(state, 1); }
BENCHMARK(interpreted_matmul)->Unit(benchmark::kMicrosecond);
void interpreted_matmul_two_threads(benchmark::State& state) { matmul(state, 2); }
BENCHMARK(interpreted_matmul_two_threads)->Unit(benchmark::kMicrosecond)->UseRealTime();

/// Threads take rows of tiles from a common counter, as threads of a grid take CTAs.
void native_matmul_on(benchmark::State& state, u32 threads) {
  std::vector<float> a(kOrder * kOrder, 1), b(kOrder * kOrder, 2), c(kOrder * kOrder);
  for (auto _ : state) {
    std::atomic<u32> next{0};
    const auto work = [&](u32) {
      for (u32 first; (first = next.fetch_add(kTile, std::memory_order_relaxed)) < kOrder;) {
        for (u32 i = first; i < first + kTile; ++i) {
          float* __restrict row = &c[i * kOrder];
          std::fill(row, row + kOrder, 0.0f);
          for (u32 k = 0; k < kOrder; ++k) {
            const float factor = a[i * kOrder + k];
            const float* __restrict from = &b[k * kOrder];
            for (u32 j = 0; j < kOrder; ++j) row[j] += factor * from[j];
          }
        }
      }
    };
    machine::Pool::of_process().run(threads - 1, work);
    benchmark::ClobberMemory();
  }
  report(state, kMatmulInstructions);
}
void native_matmul(benchmark::State& state) { native_matmul_on(state, 1); }
BENCHMARK(native_matmul)->Unit(benchmark::kMicrosecond);
/// Shows the gain of a second thread on this machine.
void native_matmul_two_threads(benchmark::State& state) { native_matmul_on(state, 2); }
BENCHMARK(native_matmul_two_threads)->Unit(benchmark::kMicrosecond)->UseRealTime();

}  // namespace
}  // namespace heddle::interp
