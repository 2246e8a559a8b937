// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// In handlers of atexit the exiting thread still has its contexts. libgomp releases its devices
// there.
#include <cstdio>
#include <cstdlib>

#include "client.h"

namespace {

CUcontext made = nullptr;
CUdeviceptr memory = 0;

void expect(bool holds, const char* what) {
  if (holds) return;
  std::fprintf(stderr, "at exit: %s\n", what);
  std::_Exit(1);
}

void clean_up() {
  CUcontext current = nullptr;
  CUdevice device = -1;
  expect(cuCtxGetCurrent(&current) == CUDA_SUCCESS && current == made, "another context");
  expect(cuCtxGetDevice(&device) == CUDA_SUCCESS && device == 0, "another device");
  expect(cuMemFree_v2(memory) == CUDA_SUCCESS, "the memory is gone");
  expect(cuCtxDestroy_v2(made) == CUDA_SUCCESS, "the context is gone");
  expect(cuCtxGetDevice(&device) == CUDA_ERROR_INVALID_CONTEXT, "the context is still there");
}

void use_and_exit() {
  expect(cuInit(0) == CUDA_SUCCESS, "cuInit");
  expect(cuCtxCreate_v2(&made, 0, 0) == CUDA_SUCCESS, "cuCtxCreate");
  expect(cuMemAlloc_v2(&memory, 100) == CUDA_SUCCESS, "cuMemAlloc");
  std::atexit(clean_up);
  std::exit(0);
}

TEST(AtExit, TheContextIsStillThere) {
  EXPECT_EXIT(use_and_exit(), testing::ExitedWithCode(0), "");
}

}  // namespace
