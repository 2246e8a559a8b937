// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// y = a x + y, one element per thread: the kernel behind examples/saxpy.ptx. No CUDA toolkit is
// needed to compile it; a few lines of clang attributes replace the toolkit's headers:
//
//   clang-19 -x cuda --cuda-device-only --cuda-gpu-arch=sm_75 -nocudainc -nocudalib -O2 -S \
//       saxpy.cu -o saxpy.ptx

#define __global__ __attribute__((global))

extern "C" __global__ void saxpy(int n, float a, const float* x, float* y) {
  const int i =
      __nvvm_read_ptx_sreg_ctaid_x() * __nvvm_read_ptx_sreg_ntid_x() + __nvvm_read_ptx_sreg_tid_x();
  if (i < n) y[i] = a * x[i] + y[i];
}
