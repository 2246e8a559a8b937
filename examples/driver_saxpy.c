// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// An ordinary program for the CUDA driver API: it loads a PTX file, runs its kernel `saxpy` and
// compares the result with its own. With a CUDA toolkit it builds as any such program does,
//   cc driver_saxpy.c -I$CUDA_HOME/include -lcuda
// and without one from Heddle's own declarations of that interface, as CMakeLists.txt does.
//   heddle exec -- driver_saxpy saxpy.ptx

#include <stdio.h>
#include <stdlib.h>

#if __has_include("driver/api.h")
#include "driver/api.h"
// The names that the toolkit's cuda.h gives to the current versions.
#define cuMemAlloc cuMemAlloc_v2
#define cuMemFree cuMemFree_v2
#define cuMemcpyHtoD cuMemcpyHtoD_v2
#define cuMemcpyDtoH cuMemcpyDtoH_v2
#define cuDevicePrimaryCtxRelease cuDevicePrimaryCtxRelease_v2
#else
#include <cuda.h>
#endif

enum { kCount = 100000, kBlock = 256 };

static void check(CUresult result, const char* call) {
  if (result == CUDA_SUCCESS) return;
  const char* text = "?";
  cuGetErrorString(result, &text);
  fprintf(stderr, "%s: %s (%d)\n", call, text, (int)result);
  exit(1);
}
#define CHECK(call) check((call), #call)

int main(int argc, char** argv) {
  if (argc != 2) {
    fprintf(stderr, "usage: %s saxpy.ptx\n", argv[0]);
    return 2;
  }

  CUdevice device;
  CUcontext context;
  char name[100];
  CHECK(cuInit(0));
  CHECK(cuDeviceGet(&device, 0));
  CHECK(cuDeviceGetName(name, sizeof(name), device));
  CHECK(cuDevicePrimaryCtxRetain(&context, device));
  CHECK(cuCtxSetCurrent(context));

  CUmodule module;
  CUfunction saxpy;
  CHECK(cuModuleLoad(&module, argv[1]));
  CHECK(cuModuleGetFunction(&saxpy, module, "saxpy"));

  const size_t bytes = kCount * sizeof(float);
  float* x = malloc(bytes);
  float* y = malloc(bytes);
  float* result = malloc(bytes);
  if (!x || !y || !result) return 1;
  for (int i = 0; i < kCount; ++i) {
    x[i] = (float)i;
    y[i] = 1.0f;
  }

  CUdeviceptr device_x, device_y;
  CHECK(cuMemAlloc(&device_x, bytes));
  CHECK(cuMemAlloc(&device_y, bytes));
  CHECK(cuMemcpyHtoD(device_x, x, bytes));
  CHECK(cuMemcpyHtoD(device_y, y, bytes));

  int n = kCount;
  float a = 2.5f;
  void* arguments[] = {&n, &a, &device_x, &device_y};
  const unsigned blocks = (kCount + kBlock - 1) / kBlock;
  CHECK(cuLaunchKernel(saxpy, blocks, 1, 1, kBlock, 1, 1, 0, NULL, arguments, NULL));
  CHECK(cuCtxSynchronize());
  CHECK(cuMemcpyDtoH(result, device_y, bytes));

  // 2.5 i and its sum with 1 are exact in a float for every i here, so equality is the right test.
  int wrong = 0;
  for (int i = 0; i < kCount; ++i) wrong += result[i] != a * x[i] + y[i];
  printf("saxpy on %s: %d elements, %d wrong, y[%d] = %g\n", name, n, wrong, n - 1, result[n - 1]);

  CHECK(cuMemFree(device_x));
  CHECK(cuMemFree(device_y));
  CHECK(cuModuleUnload(module));
  CHECK(cuDevicePrimaryCtxRelease(device));
  free(x);
  free(y);
  free(result);
  return wrong != 0;
}
