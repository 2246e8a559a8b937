// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The cost of a launch through libcuda.so.1, with an empty kernel. Goals: 5 us for a launch with a
// wait, 2 us per launch for a thousand in a queue.
#include "warp_kernel.h"

namespace {

using heddle::bench::ok;

constexpr const char* kEmpty = R"(
.version 7.0
.target sm_75
.address_size 64
.visible .entry empty() { ret; }
)";

/// The empty kernel, and a stream.
struct Empty {
  CUcontext context = nullptr;
  CUmodule module = nullptr;
  CUfunction function = nullptr;
  CUstream stream = nullptr;
  Empty() {
    ok(cuInit(0));
    ok(cuDevicePrimaryCtxRetain(&context, 0));
    ok(cuCtxSetCurrent(context));
    ok(cuModuleLoadData(&module, kEmpty));
    ok(cuModuleGetFunction(&function, module, "empty"));
    ok(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
  }
  ~Empty() {
    ok(cuStreamDestroy_v2(stream));
    ok(cuModuleUnload(module));
    ok(cuDevicePrimaryCtxRelease_v2(0));
  }
  void launch() const {
    ok(cuLaunchKernel(function, 1, 1, 1, 32, 1, 1, 0, stream, nullptr, nullptr));
  }
  void wait() const { ok(cuStreamSynchronize(stream)); }
};

void launch_and_wait(benchmark::State& state) {
  const Empty empty;
  for (auto _ : state) {
    empty.launch();
    empty.wait();
  }
}
BENCHMARK(launch_and_wait)->Unit(benchmark::kMicrosecond)->UseRealTime();

void queued_launches(benchmark::State& state) {
  constexpr int kQueued = 1000;
  const Empty empty;
  for (auto _ : state) {
    for (int i = 0; i < kQueued; ++i) empty.launch();
    empty.wait();
  }
  state.counters["launch"] =
      benchmark::Counter(kQueued * static_cast<double>(state.iterations()),
                         benchmark::Counter::kIsRate | benchmark::Counter::kInvert);
}
BENCHMARK(queued_launches)->Unit(benchmark::kMicrosecond)->UseRealTime();

}  // namespace

BENCHMARK_MAIN();
