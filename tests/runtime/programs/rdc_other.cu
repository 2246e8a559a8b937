// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The other half of rdc.cu.
__device__ int other_variable = 7;
__device__ int other_function(int x) { return 2 * x + 2; }

static __global__ void bump() { ++other_variable; }

int other_host() {
  bump<<<1, 1>>>();
  int value = 0;
  cudaMemcpyFromSymbol(&value, other_variable, sizeof value);
  return value;
}
