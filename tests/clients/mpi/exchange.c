// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Two ranks, a device each. Device pointers are addresses that the host can read too, so any MPI
// sends and receives through them, without support for CUDA: kernels write data, MPI transfers it,
// kernels read it.
//   mpirun -n 2 heddle exec -- exchange saxpy.ptx

#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

#if __has_include("driver/api.h")
#include "driver/api.h"
// The names that the toolkit's cuda.h gives to the current versions.
#define cuMemAlloc cuMemAlloc_v2
#define cuMemFree cuMemFree_v2
#define cuMemcpyHtoD cuMemcpyHtoD_v2
#define cuMemcpyDtoH cuMemcpyDtoH_v2
#define cuMemcpyDtoD cuMemcpyDtoD_v2
#define cuMemsetD32 cuMemsetD32_v2
#define cuDevicePrimaryCtxRelease cuDevicePrimaryCtxRelease_v2
#else
#include <cuda.h>
#endif

enum { kCount = 100000, kBlock = 256, kRounds = 4 };

static void check(CUresult result, const char* call) {
  if (result == CUDA_SUCCESS) return;
  const char* text = "?";
  cuGetErrorString(result, &text);
  fprintf(stderr, "%s: %s (%d)\n", call, text, (int)result);
  MPI_Abort(MPI_COMM_WORLD, 1);
}
#define CHECK(call) check((call), #call)

int main(int argc, char** argv) {
  int rank, ranks, devices;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  if (argc != 2 || ranks != 2) {
    fprintf(stderr, "usage: mpirun -n 2 exchange saxpy.ptx\n");
    MPI_Abort(MPI_COMM_WORLD, 2);
  }

  CUdevice device;
  CUcontext context;
  CUmodule module;
  CUfunction saxpy;
  CHECK(cuInit(0));
  CHECK(cuDeviceGetCount(&devices));
  CHECK(cuDeviceGet(&device, rank % devices));
  CHECK(cuDevicePrimaryCtxRetain(&context, device));
  CHECK(cuCtxSetCurrent(context));
  CHECK(cuModuleLoad(&module, argv[1]));
  CHECK(cuModuleGetFunction(&saxpy, module, "saxpy"));

  // x counts up from 0 for rank 0, from 1 for rank 1; y is 0.
  const size_t bytes = kCount * sizeof(float);
  float* host = malloc(bytes);
  if (!host) MPI_Abort(MPI_COMM_WORLD, 1);
  for (int i = 0; i < kCount; ++i) host[i] = (float)(i % 1000 + rank);
  CUdeviceptr x, y, sum;
  CHECK(cuMemAlloc(&x, bytes));
  CHECK(cuMemAlloc(&y, bytes));
  CHECK(cuMemAlloc(&sum, bytes));
  CHECK(cuMemcpyHtoD(x, host, bytes));

  // Each round: y = 2 x, and the other's y becomes x.
  for (int round = 0; round < kRounds; ++round) {
    CHECK(cuMemsetD32(y, 0, kCount));
    int n = kCount;
    float a = 2;
    void* arguments[] = {&n, &a, &x, &y};
    CHECK(cuLaunchKernel(saxpy, (kCount + kBlock - 1) / kBlock, 1, 1, kBlock, 1, 1, 0, NULL,
                         arguments, NULL));
    CHECK(cuCtxSynchronize());
    if (rank == 0) {
      MPI_Send((void*)y, kCount, MPI_FLOAT, 1, round, MPI_COMM_WORLD);
      MPI_Recv((void*)x, kCount, MPI_FLOAT, 1, round, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    } else {
      float* received;  // a separate buffer: y is still to be sent
      CHECK(cuMemAlloc((CUdeviceptr*)&received, bytes));
      MPI_Recv(received, kCount, MPI_FLOAT, 0, round, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      MPI_Send((void*)y, kCount, MPI_FLOAT, 0, round, MPI_COMM_WORLD);
      CHECK(cuMemcpyDtoD(x, (CUdeviceptr)received, bytes));
      CHECK(cuMemFree((CUdeviceptr)received));
    }
  }
  MPI_Allreduce((void*)x, (void*)sum, kCount, MPI_FLOAT, MPI_SUM, MPI_COMM_WORLD);

  // All numbers are small integers, so equality is the right test. After an even number of rounds
  // each rank has its own x again.
  int wrong = 0, all_wrong = 0;
  const float factor = 1 << kRounds;
  CHECK(cuMemcpyDtoH(host, x, bytes));
  for (int i = 0; i < kCount; ++i) wrong += host[i] != factor * (float)(i % 1000 + rank);
  CHECK(cuMemcpyDtoH(host, sum, bytes));
  for (int i = 0; i < kCount; ++i) wrong += host[i] != factor * (float)(2 * (i % 1000) + 1);
  MPI_Allreduce(&wrong, &all_wrong, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  if (rank == 0) {
    printf("2 ranks, %d devices, %d rounds of %d numbers: %d wrong\n", devices, kRounds, kCount,
           all_wrong);
  }

  CHECK(cuMemFree(x));
  CHECK(cuMemFree(y));
  CHECK(cuMemFree(sum));
  CHECK(cuModuleUnload(module));
  CHECK(cuDevicePrimaryCtxRelease(device));
  free(host);
  MPI_Finalize();
  return all_wrong != 0;
}
