// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// OpenCL C kernels (clang's -x cl for nvptx64): __global and __local pointers, vector types, and the
// two work-item functions written with builtins because no OpenCL library is linked.
static unsigned local_id(void) { return __nvvm_read_ptx_sreg_tid_x(); }
static unsigned local_size(void) { return __nvvm_read_ptx_sreg_ntid_x(); }
static unsigned group_id(void) { return __nvvm_read_ptx_sreg_ctaid_x(); }
static unsigned global_id(void) { return group_id() * local_size() + local_id(); }

__kernel void cl_scale4(__global const float4* in, __global float4* out, float factor, int n) {
  unsigned i = global_id();
  if (i < n) out[i] = in[i].wzyx * factor;
}

// The maximum of a group of up to 1024.
__kernel void cl_group_max(__global const int* in, __global int* out) {
  __local int scratch[1024];
  unsigned i = local_id();
  scratch[i] = in[global_id()];
  __syncthreads();
  for (unsigned width = local_size(); width > 1; width = (width + 1) / 2) {
    unsigned half_width = (width + 1) / 2;
    if (i + half_width < width && scratch[i + half_width] > scratch[i]) {
      scratch[i] = scratch[i + half_width];
    }
    __syncthreads();
  }
  if (i == 0) out[group_id()] = scratch[0];
}

__constant int weights[4] = {1, 10, 100, 1000};

__kernel void cl_weighted(__global const uchar4* in, __global int* out, int n) {
  unsigned i = global_id();
  if (i >= n) return;
  uchar4 v = in[i];
  out[i] = v.x * weights[0] + v.y * weights[1] + v.z * weights[2] + v.w * weights[3];
}
