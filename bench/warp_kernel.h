// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The cost of an instruction, through libcuda.so.1: a kernel of one CTA executes it many times.
#pragma once

#include <benchmark/benchmark.h>

#include <functional>
#include <string>

#include "base/check.h"
#include "base/types.h"
#include "driver/api.h"

namespace heddle::bench {

inline void ok(CUresult result) { HEDDLE_CHECK(result == CUDA_SUCCESS); }

/// Launches the kernel, whose first parameter is the address of `bytes` bytes. `instructions`: how
/// many its warp executes, or its warp group together; the counter `instruction` is the time of
/// one. `more`: makes the kernel's second parameter, of 64 bits, when the context is there.
inline void measure_warp(benchmark::State& state, const std::string& ptx, const char* kernel,
                         std::size_t bytes, double instructions, unsigned threads = 32,
                         const std::function<u64()>& more = nullptr) {
  CUcontext context = nullptr;
  CUmodule module = nullptr;
  CUfunction function = nullptr;
  CUdeviceptr out = 0;
  ok(cuInit(0));
  ok(cuDevicePrimaryCtxRetain(&context, 0));
  ok(cuCtxSetCurrent(context));
  ok(cuModuleLoadData(&module, ptx.c_str()));
  ok(cuModuleGetFunction(&function, module, kernel));
  ok(cuMemAlloc_v2(&out, bytes));
  u64 second = more ? more() : 0;
  void* parameters[] = {&out, &second};
  const auto launch = [&] {
    ok(cuLaunchKernel(function, 1, 1, 1, threads, 1, 1, 0, nullptr, parameters, nullptr));
    ok(cuCtxSynchronize());
  };
  launch();  // compiles the kernel
  for (auto _ : state) launch();
  ok(cuMemFree_v2(out));
  ok(cuModuleUnload(module));
  ok(cuDevicePrimaryCtxRelease_v2(0));
  state.counters["instruction"] =
      benchmark::Counter(instructions * static_cast<double>(state.iterations()),
                         benchmark::Counter::kIsRate | benchmark::Counter::kInvert);
}

}  // namespace heddle::bench
